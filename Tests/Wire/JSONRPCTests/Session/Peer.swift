import JSON
import JSONRPC
import Support

/// The other end of a session, on the thread of the test.
final class Peer {
  let handler: FakeHandler
  let session: Session
  private let wakeUps = Semaphore()

  init(limits: SessionLimits = SessionLimits(), admission: Admission? = nil) {
    handler = FakeHandler(admission: admission) { [wakeUps] in wakeUps.signal() }
    session = Session(handler: handler, admission: admission, limits: limits) { [wakeUps] in wakeUps.signal() }
  }

  func send(bytes: [UInt8]) {
    bytes.withUnsafeBytes { session.receive($0) }
  }

  /// Each on a line of its own.
  func send(_ messages: String...) {
    for message in messages { send(bytes: Array((message + "\n").utf8)) }
  }

  /// Lets the work of one `later` end, and the session see it.
  func finish(_ name: String, _ outcome: Gate.Outcome = .success(Array("true".utf8))) {
    handler.gate.finish(name, outcome)
    waitForWork()
  }

  /// Until one piece of work is done.
  func waitForWork() {
    wakeUps.wait()
    session.run()
  }

  /// The session sees what comes until this is so.
  func wait(until condition: () -> Bool) {
    while !condition() { waitForWork() }
  }

  /// Until the work of `steps` has said so.
  func wait(for entry: String) {
    wait { handler.log.withLock { $0.contains(entry) } }
  }

  /// Lets the work of `steps` go on behind `wait NAME`.
  func release(_ names: String...) {
    for name in names { handler.gate.finish(name, .success(Array("true".utf8))) }
  }

  /// The next lines, as many.
  func nextLines(_ count: Int) -> [String] {
    var lines = takeLines()
    while lines.count < count {
      if !session.hasOutput { waitForWork() }
      lines += takeLines()
    }
    return lines
  }

  /// The next replies, as many.
  func nextReplies(_ count: Int) -> [String] { nextLines(count).map(summary(ofLine:)) }

  /// What comes until all work is done and the input has ended.
  func lastReplies() -> [String] {
    session.endOfInput()
    var replies = takeReplies()
    while !session.isFinished || session.hasOutput {
      if !session.hasOutput { waitForWork() }
      replies += takeReplies()
    }
    return replies
  }

  /// What there is now; not what comes by the room that this makes.
  func takeOutput() -> String {
    var output: [UInt8] = []
    let count = session.outputByteCount
    while output.count < count {
      let piece = session.withOutput { Array($0.prefix(count - output.count)) }
      output += piece
      session.consumeOutput(piece.count)
    }
    return String(decoding: output, as: UTF8.self)
  }

  func takeLines() -> [String] {
    takeOutput().split(separator: "\n").map(String.init)
  }

  /// The replies so far as `id: result` or `id: code`; those of a batch in brackets.
  func takeReplies() -> [String] {
    takeLines().map(summary(ofLine:))
  }
}

/// What one line answers: `1: 19`, `null: -32700`, or `[1: 19, 2: -32601]`.
func summary(ofLine line: String) -> String {
  guard let value = try? JSONValue(parsing: line) else { return "no JSON: \(line)" }
  guard let batch = value.arrayValue else { return summary(of: value) }
  return "[" + batch.map(summary(of:)).joined(separator: ", ") + "]"
}

private func summary(of reply: JSONValue) -> String {
  let id = (reply["id"] ?? "no id").jsonText
  if let error = reply["error"] { return "\(id): \(error["code"]?.jsonText ?? "no code")" }
  return "\(id): \((reply["result"] ?? "no result").jsonText)"
}

/// A request for `method`, its params and id as JSON text.
func request(_ id: String, _ method: String, _ params: String? = nil) -> String {
  let params = params.map { #","params":\#($0)"# } ?? ""
  return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(params)}"#
}

/// A request whose work takes these steps; more members of its params as JSON text.
func steps(_ id: String, _ steps: [String], _ members: String = "") -> String {
  request(id, "steps", stepParams(steps, members))
}

func stepParams(_ steps: [String], _ members: String = "") -> String {
  #"{"do":[\#(steps.map { "\"\($0)\"" }.joined(separator: ","))]\#(members.isEmpty ? "" : "," + members)}"#
}

func cancel(_ id: String) -> String { notification("$/cancelRequest", #"{"id":\#(id)}"#) }

func later(_ id: String, _ name: String) -> String { request(id, "later", #"["\#(name)"]"#) }

func notification(_ method: String, _ params: String? = nil) -> String {
  let params = params.map { #","params":\#($0)"# } ?? ""
  return #"{"jsonrpc":"2.0","method":"\#(method)"\#(params)}"#
}
