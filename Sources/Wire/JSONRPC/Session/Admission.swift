import Support

/// Guards a connection that must authenticate first. The handler of `authenticate` opens it and must answer
/// immediately: until then, no other message is read.
package final class Admission: Sendable {
  /// The only method that may be called before authentication.
  package static let method = "authenticate"
  package static let allowedFailures = 3

  private struct State {
    var isOpen = false
    var failures = 0
  }

  private let state = Lock(State())
  private let verify: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  private let makeRoom: @Sendable () throws(RPCError) -> Void

  /// `verify` compares a token in constant time. `makeRoom` throws if there is no room for another open connection.
  package init(
    verify: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool,
    makeRoom: @escaping @Sendable () throws(RPCError) -> Void = { () throws(RPCError) in }
  ) {
    self.verify = verify
    self.makeRoom = makeRoom
  }

  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Whether the connection has failed too often and must be closed.
  package var isLost: Bool { state.withLock { !$0.isOpen && $0.failures >= Self.allowedFailures } }

  /// Opens the connection, or throws -32001 for a wrong token. Does nothing if the connection is open.
  package func present(_ token: UnsafeBufferPointer<UInt8>) throws(RPCError) {
    guard verify(token) else { throw RPCError(.notAuthenticated) }
    guard !isOpen else { return }
    try makeRoom()
    state.withLock { $0.isOpen = true }
  }

  /// For a copy of a token that its owner cannot clear, such as a header.
  package func present(_ token: String) throws(RPCError) {
    try Array(token.utf8).withUnsafeBufferPointer { token throws(RPCError) in try present(token) }
  }

  func countFailure() {
    state.withLock { $0.failures += 1 }
  }
}

extension Session {
  /// Accepts only a single request for `authenticate`.
  func beginAdmission(_ admission: Admission, _ message: UnsafeBufferPointer<UInt8>) {
    let scanned = ScannedMessage.scan(message, limits: limits.scan)
    if case .single(.request(let call, let id)) = scanned, call.method.text(in: message) == Admission.method {
      perform(call, .alone(RequestID(id, in: message)), in: message)
    } else if scanned.isAnswered {
      send(RPCError(.notAuthenticated), to: .alone(RequestID(scanned.id, in: message)))
    }
    admission.isOpen ? admit() : countFailure(of: admission)
  }

  func countFailure(of admission: Admission) {
    admission.countFailure()
    if admission.isLost { endMessages() }
  }

  private func admit() {
    admission = nil
    decoder.maximumMessageBytes = limits.messageBytes
  }
}
