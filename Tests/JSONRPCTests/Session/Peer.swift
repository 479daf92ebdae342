import JSON
import JSONRPC
import Support

/// The other end of a session, on the thread of the test.
final class Peer {
  let handler: FakeHandler
  let session: Session
  private let wakeUps = Semaphore()

  init(limits: SessionLimits = SessionLimits(), admission: Admission? = nil) {
    handler = FakeHandler(admission: admission)
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

  func takeOutput() -> String {
    let text = session.withOutput { String(decoding: $0, as: UTF8.self) }
    session.consumeOutput(text.utf8.count)
    return text
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

func later(_ id: String, _ name: String) -> String { request(id, "later", #"["\#(name)"]"#) }

func notification(_ method: String, _ params: String? = nil) -> String {
  let params = params.map { #","params":\#($0)"# } ?? ""
  return #"{"jsonrpc":"2.0","method":"\#(method)"\#(params)}"#
}
