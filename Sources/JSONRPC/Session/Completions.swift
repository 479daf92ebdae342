import Support

/// The results of work that is done, on their way from its threads to the session's.
final class Completions: Sendable {
  struct Completion: Sendable {
    let ticket: Int
    let result: Result<[UInt8], RPCError>
  }

  private let done = Lock<[Completion]>([])
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func add(_ completion: Completion) {
    done.withLock { $0.append(completion) }
    wake()
  }

  func takeAll() -> [Completion] {
    done.withLock { done in
      guard !done.isEmpty else { return [] }
      defer { done.removeAll() }
      return done
    }
  }
}
