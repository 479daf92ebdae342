import Glibc
import JSON
import JSONRPC
import Support

extension FakeHandler {
  /// Work by its steps, each a word and a name:
  /// `note NAME` writes into the log; `wait NAME` waits until the test lets it go on, whatever becomes of the call;
  /// `event NAME` waits for that or a cancel; `commit` passes the commit point, or fails when it may not;
  /// `block NAME` blocks the thread until `unblock`; `sleep` takes about a millisecond; `progress TEXT` reports; `ask METHOD` asks the host; `cancelled` waits for a cancel. The result is that of the last.
  func steps(_ params: JSONValue?) -> Work {
    let steps = (params?["do"]?.arrayValue ?? []).compactMap(\.stringValue)
    let timeout = Duration.milliseconds(params?["timeout"]?.integerValue ?? 60_000)
    return Work(queue: params?["queue"]?.stringValue, isWaiting: params?["isWaiting"] == true) {
      [self] () async throws(RPCError) in
      var result = Array("true".utf8)
      for step in steps {
        let words = step.split(separator: " ", maxSplits: 1).map(String.init)
        result = try await take(words.first ?? "", words.last ?? "", timeout) ?? result
      }
      return result
    }
  }

  private func take(_ step: String, _ name: String, _ timeout: Duration) async throws(RPCError) -> [UInt8]? {
    switch step {
    case "note": note(name)
    case "wait": return try await gate.outcome(of: name).get()
    case "block": gate.block(name)
    case "sleep": usleep(800)
    case "event": return try await event(name).get()
    case "cancelled": while !Task.isCancelled { await Task.yield() }
    case "commit":
      guard CommitPoint.current?.pass() == true else { throw RPCError(.cancelled) }
      note("committed")
    case "progress": Progress.report?(ProgressReport(.report, percentage: 50, message: name))
    case "ask": return await ask(name, timeout)
    default: throw RPCError(.internalError)
    }
    return nil
  }

  private func event(_ name: String) async -> Gate.Outcome {
    await withTaskCancellationHandler {
      await gate.outcome(of: name)
    } onCancel: {
      gate.finish(name, .success(Array("\"nothing yet\"".utf8)))
    }
  }

  private func ask(_ method: String, _ timeout: Duration) async -> [UInt8] {
    let answer = await peer.withLock { $0 }?.ask(method, params: Array("[1]".utf8), timeout: timeout)
    return Array(JSONValue.string(Self.text(of: answer)).jsonText.utf8)
  }

  /// Asks outside of any call; what becomes of it goes into the log behind `name`.
  func ask(_ method: String, _ timeout: Duration, of peer: (any JSONRPC.Peer)?, saying name: String) {
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      let answer = await peer?.ask(method, params: Array("[1]".utf8), timeout: timeout)
      note("\(name) \(Self.text(of: answer))")
    }
  }

  private static func text(of answer: PeerAnswer?) -> String {
    switch answer {
    case .result(let text): "result \(text.withBytes { (try? JSONValue(parsing: Array($0)))?.jsonText } ?? "")"
    case .failure(let code, let message): "failure \(code) \(message)"
    case .unanswered, nil: "unanswered"
    }
  }
}
