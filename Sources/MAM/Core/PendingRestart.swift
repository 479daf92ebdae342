import Support

/// Whether the application must be restarted for its first policy; pending until the process ends.
final class PendingRestart: Sendable {
  private let isDue = Lock(false)

  var isPending: Bool { isDue.withLock { $0 } }

  /// False when it was due before: nobody is asked twice.
  func becomeDue() -> Bool {
    isDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
  }
}
