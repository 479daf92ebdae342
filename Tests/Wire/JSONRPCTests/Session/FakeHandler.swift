import JSON
import JSONRPC
import Support

/// Methods that answer at once, that fail, and that answer when the test says so.
final class FakeHandler: MethodHandler {
  /// Names of calls in the order in which they began.
  let calls = Lock<[String]>([])
  let gate = Gate()
  /// What the work of `steps` has done, in that order.
  let log = Lock<[String]>([])
  let strays = Lock<[StrayAnswer]>([])
  let peer = Lock<(any JSONRPC.Peer)?>(nil)
  private let admission: Admission?
  private let logDidChange: @Sendable () -> Void

  init(admission: Admission? = nil, logDidChange: @escaping @Sendable () -> Void = {}) {
    self.admission = admission
    self.logDidChange = logDidChange
  }

  func connectionDidBegin(_ peer: any JSONRPC.Peer) {
    self.peer.withLock { $0 = peer }
  }

  func didDrop(_ answer: StrayAnswer) {
    strays.withLock { $0.append(answer) }
  }

  func note(_ entry: String) {
    log.withLock { $0.append(entry) }
    logDidChange()
  }

  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    let values = params?.value
    calls.withLock { $0.append(method) }
    switch method {
    case "echo": writer.raw(Array((values ?? .null).jsonText.utf8))
    case "fail": throw RPCError(code: 5001, name: "fileMissing", message: "no such file", details: ["errno": 2])
    case "big": writer.string(String(repeating: "x", count: Int(values?.arrayValue?.first?.integerValue ?? 0)))
    case "later": return later(values)
    case "work": return Work { () throws(RPCError) in Array((values ?? .null).jsonText.utf8) }
    case "untilCancelled": return untilCancelled
    case "steps": return steps(values)
    case Session.handshake: return try handshake(values, into: &writer)
    case Session.farewell: writer.null()
    case "authenticate":
      try admission?.present(values?["token"]?.stringValue ?? "")
      writer.null()
    default: try Self.example(method, values, into: &writer)
    }
    return nil
  }

  private func later(_ params: JSONValue?) -> Work {
    let name = params?.arrayValue?.first?.stringValue ?? ""
    return Work { [gate] () async throws(RPCError) in try await gate.outcome(of: name).get() }
  }

  private var untilCancelled: Work {
    Work { () async throws(RPCError) in
      while !Task.isCancelled { await Task.yield() }
      throw RPCError(.cancelled)
    }
  }

  private func handshake(_ params: JSONValue?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    if params?["fail"] == true { throw RPCError(.invalidParams) }
    if params?["do"] != nil { return steps(params) }
    writer.string("host")
    return nil
  }

  /// The methods of section 7 of the specification.
  private static func example(_ method: String, _ params: JSONValue?, into writer: inout JSONWriter) throws(RPCError) {
    switch method {
    case "subtract": writer.integer(try subtract(params))
    case "sum": writer.integer((params?.arrayValue ?? []).reduce(0) { $0 + ($1.integerValue ?? 0) })
    case "get_data": writer.raw(Array(#"["hello",5]"#.utf8))
    case "update", "notify_hello", "notify_sum": writer.null()
    default: throw RPCError(.methodNotFound)
    }
  }

  private static func subtract(_ params: JSONValue?) throws(RPCError) -> Int64 {
    let left = params?["minuend"] ?? params?.arrayValue?.first
    let right = params?["subtrahend"] ?? params?.arrayValue?.last
    guard let left = left?.integerValue, let right = right?.integerValue else { throw RPCError(.invalidParams) }
    return left - right
  }
}

/// Where the work of `later` waits for its outcome, by name; an outcome may come before its work does.
final class Gate: Sendable {
  typealias Outcome = Result<[UInt8], RPCError>

  private struct State {
    var outcomes: [String: Outcome] = [:]
    var waiting: [String: CheckedContinuation<Outcome, Never>] = [:]
    var blocked: [String: Semaphore] = [:]
  }

  private let state = Lock(State())

  func outcome(of name: String) async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        let outcome = state.outcomes.removeValue(forKey: name)
        if outcome == nil { state.waiting[name] = continuation }
        return outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  func finish(_ name: String, _ outcome: Outcome) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      let waiting = state.waiting.removeValue(forKey: name)
      if waiting == nil { state.outcomes[name] = outcome }
      return waiting
    }
    waiting?.resume(returning: outcome)
  }

  /// Blocks the thread until `unblock`, which may have come before.
  func block(_ name: String) { semaphore(name).wait() }

  func unblock(_ name: String) { semaphore(name).signal() }

  private func semaphore(_ name: String) -> Semaphore {
    state.withLock { state in
      let semaphore = state.blocked[name] ?? Semaphore()
      state.blocked[name] = semaphore
      return semaphore
    }
  }
}
