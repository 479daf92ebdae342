import Support

/// The rule of a connection that must authenticate first. Made open by the handler of its one method.
package final class Admission: Sendable {
  /// The only method that is called before.
  package static let method = "authenticate"
  package static let allowedFailures = 3

  private struct State {
    var isOpen = false
    var failures = 0
  }

  private let state = Lock(State())
  private let verify: @Sendable (String) -> Bool

  /// `verify` compares a token in constant time.
  package init(verify: @escaping @Sendable (String) -> Bool) {
    self.verify = verify
  }

  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// True when the connection has failed too often and must be closed.
  package var isLost: Bool { state.withLock { !$0.isOpen && $0.failures >= Self.allowedFailures } }

  /// Opens the connection, or is false.
  package func present(_ token: String) -> Bool {
    let isRight = verify(token)
    if isRight { state.withLock { $0.isOpen = true } }
    return isRight
  }

  package func countFailure() {
    state.withLock { $0.failures += 1 }
  }
}
