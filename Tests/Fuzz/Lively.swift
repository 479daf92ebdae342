import JSON
import JSONRPC
import Support

/// Methods whose answers depend on what else goes on.
enum Lively: String {
  /// Puts a question to the host.
  case ask
  /// Waits for something to tell, for a short time.
  case wait
  /// Tells its progress, then commits, then answers.
  case commit

  func work(_ peer: (any Peer)?) -> Work {
    switch self {
    case .ask: Work { () async throws(RPCError) in await Self.answer(of: peer) }
    case .wait:
      Work(isWaiting: true) { () async throws(RPCError) in
        try? await Task.sleep(for: .milliseconds(2))
        return Array("[]".utf8)
      }
    case .commit:
      Work { () async throws(RPCError) in
        Progress.report?(ProgressReport(.begin, message: "half"))
        guard CommitPoint.current?.pass() ?? true else { throw RPCError(.cancelled) }
        return Array("true".utf8)
      }
    }
  }

  private static func answer(of peer: (any Peer)?) async -> [UInt8] {
    let answer = await peer?.ask("question", params: Array("{}".utf8), timeout: .milliseconds(5))
    var writer = JSONWriter()
    if case .result(let text) = answer { text.withBytes { writer.raw($0) } } else { writer.null() }
    return writer.bytes
  }
}
