import Model
import Support

/// The accounts whose attempt to enroll runs in this process, which includes that the host lets the user sign in. The
/// store knows nothing of it.
final class OngoingEnrollments: Sendable {
  private let references = Lock<[AccountReference]>([])

  var all: [AccountReference] { references.withLock { $0 } }

  func begin(_ reference: AccountReference) {
    references.withLock { $0.append(reference) }
  }

  /// To be called once for each `begin`.
  func end(_ reference: AccountReference) {
    references.withLock { references in
      if let index = references.firstIndex(of: reference) { references.remove(at: index) }
    }
  }
}
