import JSON
import JSONRPC

/// Answers for a connection that lasts for one message: nothing is told or asked beside the reply.
final class ScriptHandler: MethodHandler {
  private let base: any MethodHandler
  private let waiting = WaitingWork()

  init(_ base: any MethodHandler) {
    self.base = base
  }

  /// A session ends what only waits when its input ends, which is at once here; so to it that is work like any other.
  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    guard method != Session.handshake else {
      throw RPCError(.invalidRequest, "over HTTP each request stands alone: there is no \(method)")
    }
    let work = try base.call(method, params, into: &writer)
    guard let work, work.isWaiting else { return work }
    return Work(queue: work.queue) { [waiting] () async throws(RPCError) in try await waiting.run(work).get() }
  }

  func hint(forUnknown method: String) -> String? { base.hint(forUnknown: method) }
  func connectionDidBegin(_ peer: any Peer) { base.connectionDidBegin(MutePeer()) }
  func connectionDidEnd() { base.connectionDidEnd() }

  /// What waits answers with what it has.
  func endWaiting() { waiting.end() }
}

/// A host that hears nothing and answers nothing.
private struct MutePeer: Peer {
  var isOpen: Bool { false }
  func notify(_ method: String, params: [UInt8]) -> Bool { false }
  func whenReady(_ body: @escaping @Sendable () -> Void) { body() }
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer { .unanswered }
  func watch(process: Int32) {}
}
