import Model
import Support

/// The accounts whose first attempt to enroll runs in this process: the store does not know them yet.
final class OngoingEnrollments: Sendable {
  private let references = Lock<[AccountReference]>([])

  var all: [AccountReference] { references.withLock { $0 } }

  func run<Result>(_ reference: AccountReference, _ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    references.withLock { $0.append(reference) }
    defer {
      references.withLock { references in
        if let index = references.firstIndex(of: reference) { references.remove(at: index) }
      }
    }
    return try body()
  }
}
