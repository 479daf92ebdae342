import JSON
import JSONRPC
import NIOCore
import Support

/// One message and its reply, in a session of their own. Runs on one event loop; long work runs on other threads.
final class ScriptExchange {
  private let handler: ScriptHandler
  private let script: LoanedSession<Script>

  /// Calls `wake` on any thread when there is work for `resume`. Calls `didReturn` on the loop when long work is done.
  init(
    _ handler: any MethodHandler, limits: SessionLimits, on eventLoop: any EventLoop,
    wake: @escaping @Sendable () -> Void, didReturn: @escaping @Sendable () -> Void
  ) {
    let handler = ScriptHandler(handler)
    let session = Session(handler: handler, limits: limits, wake: wake)
    session.sharesThread = true
    self.handler = handler
    script = LoanedSession(Script(session), on: eventLoop, didReturn: didReturn)
  }

  /// Whether everything is done and the reply, if there is one, is available.
  var isFinished: Bool { !script.isAway && script.ask { $0.isFinished } }

  /// `nil` if no reply is due, as for a notification. Valid once finished.
  var reply: ByteBuffer? { script.ask { $0.reply } }

  func begin(_ body: [ClearedBytes]) { script.tell { $0.begin(body) } }

  func resume() { script.tell { $0.resume() } }

  /// Work that only waits for something answers with what it has.
  func endOfInput() { handler.endWaiting() }

  func abandon() { script.tell { $0.abandon() } }
}

/// The session of one message, and its result.
private struct Script: Loanable {
  private let session: Session
  private var output: [UInt8] = []
  private(set) var reply: ByteBuffer?

  init(_ session: Session) {
    self.session = session
  }

  var isFinished: Bool { session.isFinished }
  var hasLongWork: Bool { session.hasLongWork }

  /// Puts a header before the body, because a body may contain line feeds.
  mutating func begin(_ body: [ClearedBytes]) {
    let count = body.reduce(0) { $0 + $1.count }
    Array("Content-Length: \(count)\r\n\r\n".utf8).withUnsafeBytes(session.receive)
    for part in body { part.withBytes { session.receive(UnsafeRawBufferPointer($0)) } }
    session.endOfInput()
    collect()
  }

  mutating func resume() {
    session.run()
    collect()
  }

  mutating func runLong() {
    session.runLong()
    collect()
  }

  mutating func abandon() {
    session.abandon()
    collect()
  }

  private mutating func collect() {
    while session.hasOutput {
      let count = session.withOutput { bytes in
        output += bytes
        return bytes.count
      }
      session.consumeOutput(count)
      takeMessages()
    }
  }
}

// MARK: - Messages

extension Script {
  /// Drops progress messages: they are not the reply, and cannot be sent.
  private mutating func takeMessages() {
    while let message = nextMessage() {
      if !message.starts(with: Self.notification) { reply = ByteBuffer(bytes: message) }
      output.removeSubrange(..<message.endIndex)
    }
  }

  /// `nil` if the message is incomplete.
  private func nextMessage() -> ArraySlice<UInt8>? {
    guard let colon = output.firstIndex(of: UInt8(ascii: ":")),
      let end = output[colon...].firstIndex(of: UInt8(ascii: "\n")),
      let count = Int(String(decoding: output[(colon + 2)..<(end - 1)], as: UTF8.self)),
      output.count >= end + 3 + count
    else { return nil }
    return output[(end + 3)..<(end + 3 + count)]
  }

  private static let notification = Array(#"{"jsonrpc":"2.0","method":"#.utf8)
}

/// A handler for a connection that lasts for one message and carries only the reply.
final class ScriptHandler: MethodHandler {
  private let base: any MethodHandler
  private let waiting = WaitingWork()

  init(_ base: any MethodHandler) {
    self.base = base
  }

  /// A session ends waiting work when its input ends, which is immediately here. So the session must see it as ordinary
  /// work.
  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    guard method != Session.handshake else {
      throw RPCError(.invalidRequest, "\(method) is not available over HTTP, where each request is independent")
    }
    let work = try base.call(method, params, into: &writer)
    guard let work, work.isWaiting else { return work }
    return Work(queue: work.queue) { [waiting] () async throws(RPCError) in try await waiting.run(work).get() }
  }

  func hint(forUnknown method: String) -> String? { base.hint(forUnknown: method) }
  func hint(forExceeded limit: LimitName) -> String? { base.hint(forExceeded: limit) }
  func connectionDidBegin(_ peer: any Peer) { base.connectionDidBegin(MutePeer()) }
  func connectionDidEnd() { base.connectionDidEnd() }

  /// Waiting work answers with what it has.
  func endWaiting() { waiting.end() }
}

/// A host that receives nothing and answers nothing.
private struct MutePeer: Peer {
  var isOpen: Bool { false }
  func notify(_ method: String, params: [UInt8]) -> Bool { false }
  func whenReady(_ body: @escaping @Sendable () -> Void) { body() }
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer { .unanswered }
  func watch(process: Int32) {}
}
