import Bridge
import JSON
import JSONRPC
import Support

/// One app of a test: a core in this process, and a connection that lasts as long as the test.
final class TestConversation {
  private let bridge: Bridge
  private let session: Session
  private let wakeUp = Support.Semaphore()
  private var rest: [UInt8] = []
  private var lastID: Int64 = 0

  /// How long an answer may take. Nothing in a test waits for a network or a person.
  private static let limit = Duration.seconds(60)

  init(_ arguments: CoreArguments) throws {
    bridge = try arguments.makeBridge()
    session = Session(handler: bridge.connect()) { [wakeUp] in wakeUp.signal() }
  }

  /// The whole reply to a call.
  func call(_ method: String, _ params: JSONObject) throws -> JSONValue {
    guard session.inputIsOpen else {
      throw CommandFailure(exitCode: 64, message: "\(method) comes after shutdown, which ends the app of a test")
    }
    lastID += 1
    var request: JSONObject = ["jsonrpc": "2.0", "id": .integer(lastID), "method": .string(method)]
    if !params.isEmpty { request["params"] = .object(params) }
    let bytes = Array((request.jsonText + "\n").utf8)
    let deadline = ContinuousClock.now + Self.limit
    let timer = Timers.shared.after(Self.limit) { [wakeUp] in wakeUp.signal() }
    defer { timer.cancel() }
    bytes.withUnsafeBytes { session.receive($0) }
    while true {
      session.run()
      if let reply = try takeReply() { return reply }
      guard ContinuousClock.now < deadline else {
        session.cancelCalls()
        throw CommandFailure(exitCode: 69, message: "\(method) gave no answer within \(Self.limit.secondsText) s")
      }
      wakeUp.wait()
    }
  }

  func end() {
    session.endOfInput()
    bridge.end()
  }

  /// Passes over notifications.
  private func takeReply() throws -> JSONValue? {
    while session.hasOutput {
      rest += session.withOutput { Array($0) }
      session.consumeOutput(session.outputByteCount)
    }
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let message = try JSONValue(parsing: rest[..<end])
      rest.removeFirst(end + 1)
      if message["id"]?.integerValue == lastID, message["method"] == nil { return message }
    }
    return Optional.none  // nil would be JSON's null
  }
}
