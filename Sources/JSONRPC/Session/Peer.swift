import JSON
import Support

/// The host at the other end of a connection, for whoever has something to tell it or to ask. Callable from any thread.
package protocol Peer: Sendable {
  /// Queues a notification, whose params are JSON text. False when it was dropped: the connection is over, or its host
  /// does not read what is queued already.
  func notify(_ method: String, params: [UInt8]) -> Bool

  /// False when the connection is over.
  var isOpen: Bool { get }

  /// Calls `body` once, on any thread, when something may be queued again after a drop; at once when it may now, or when
  /// the connection is over.
  func whenReady(_ body: @escaping @Sendable () -> Void)

  /// Asks the host and waits for its answer; the time runs from the call on. A cancelled task gets none.
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer

  /// The death of this process counts as the end of input, where the transport can see it.
  func watch(process: Int32)
}

/// What became of a question to a host.
package enum PeerAnswer: Equatable, Sendable {
  /// Its JSON text, which `JSONDocument` reads. It may hold a PIN or a token, so it is cleared at its end.
  case result(ClearedBytes)
  /// The host's own error.
  case failure(code: Int, message: String)
  /// No answer in time, or the connection is over: the default holds.
  case unanswered
}
