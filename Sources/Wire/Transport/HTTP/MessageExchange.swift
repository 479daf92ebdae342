import HTTPServer
import JSON
import JSONRPC
import NIOCore
import Support

/// One message over HTTP and its reply, in a session of their own. Runs on one event loop; long work runs on other
/// threads.
final class MessageExchange: HTTPWork {
  private let session: LoanedSession<Session>
  private let connection: HTTPConnection
  /// The pieces of the reply, as soon as everything is done.
  private let reply = Lock<[[UInt8]]?>(nil)
  /// This exchange, until its reply is with the connection.
  private let awake: NIOLoopBoundBox<MessageExchange?>

  init(_ handler: any MethodHandler, limits: SessionLimits, on connection: HTTPConnection) {
    let eventLoop = connection.handle.eventLoop
    let awake = NIOLoopBoundBox<MessageExchange?>(nil, eventLoop: eventLoop)
    let session = Session(handler: SingleMessageHandler(handler), limits: limits) {
      eventLoop.execute { awake.value?.perform { $0.run() } }
    }
    session.sharesThread = true
    (self.connection, self.awake) = (connection, awake)
    self.session = LoanedSession(session, on: eventLoop) { awake.value?.deliver() }
    awake.value = self
  }

  func begin(_ message: ClearedBytes) {
    perform { [reply] session in
      session.answer(message) { pieces in reply.withLock { $0 = pieces } }
    }
  }

  func clientDidEnd() { perform { $0.endOfInput() } }

  func serverDidEnd() { perform { $0.endOfInput() } }

  /// Answers unfinished calls with -32002.
  func abandon() -> Bool {
    perform { $0.abandon() }
    return true
  }

  private func perform(_ body: @escaping @Sendable (inout Session) -> Void) {
    session.perform(body)
    deliver()
  }

  private func deliver() {
    guard !session.isAway, awake.value != nil, let pieces = reply.withLock({ $0 }) else { return }
    awake.value = nil
    if pieces.isEmpty {
      connection.finish(BridgeApplication.reply(.noContent, []))
    } else {
      let body = pieces.map { ByteBuffer(bytes: $0) }
      connection.finish(BridgeApplication.reply(.ok, [("Content-Type", "application/json")], body))
    }
  }
}

/// A handler for a session that carries one message and its reply.
private final class SingleMessageHandler: MethodHandler {
  private let base: any MethodHandler

  init(_ base: any MethodHandler) {
    self.base = base
  }

  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    guard method != Session.handshake else {
      throw RPCError(.invalidRequest, "\(method) is not available over HTTP, where each request is independent")
    }
    return try base.call(method, params, into: &writer)
  }

  func hint(forUnknown method: String) -> String? { base.hint(forUnknown: method) }
  func hint(forExceeded limit: LimitName) -> String? { base.hint(forExceeded: limit) }
  func connectionDidBegin(_ peer: any Peer) { base.connectionDidBegin(MutePeer()) }
  func connectionDidEnd() { base.connectionDidEnd() }
}

/// A host that receives nothing and answers nothing.
private struct MutePeer: Peer {
  var isOpen: Bool { false }
  func notify(_ method: String, params: [UInt8]) -> Bool { false }
  func whenReady(_ body: @escaping @Sendable () -> Void) { body() }
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer { .unanswered }
  func watch(process: Int32) -> Bool { false }
}
