import JSON
import Support
import Testing

@testable import JSONRPC

/// Knows no method, and counts how often it is asked what was meant.
private final class Ignorant: MethodHandler {
  let asked = Lock<[String]>([])

  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    throw RPCError(.methodNotFound)
  }

  func hint(forUnknown method: String) -> String? {
    asked.withLock { $0.append(method) }
    return "try another"
  }

  func hint(forExceeded limit: LimitName) -> String? { limit == .message || limit == .reply ? "in parts" : nil }
}

/// Answers everything with more than fits.
private final class Talker: MethodHandler {
  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    writer.string(String(repeating: "x", count: 100))
    return nil
  }

  func hint(forExceeded limit: LimitName) -> String? { limit == .reply ? "in parts" : nil }
}

@Suite("Hints for unknown methods and exceeded limits") struct HintTests {
  @Test("An unknown method in a request gets a hint, and none is looked up for a notification")
  func notifications() {
    let handler = Ignorant()
    let session = Session(handler: handler) {}
    let lines = #"{"jsonrpc":"2.0","method":"a"}"# + "\n" + #"{"jsonrpc":"2.0","method":"b","id":1}"# + "\n"
    Array(lines.utf8).withUnsafeBytes(session.receive)
    let reply = session.withOutput { String(decoding: $0, as: UTF8.self) }
    #expect(reply.contains(#""hint":"try another""#))
    #expect(handler.asked.withLock { $0 } == ["b"])
  }

  @Test("An error for a message or reply that is too long has the handler's hint; other limits have none")
  func limits() throws {
    let long = #"{"jsonrpc":"2.0","id":1,"method":"\#(String(repeating: "x", count: 90))"}"#
    let deep = #"{"jsonrpc":"2.0","id":1,"method":"a","params":[[[[]]]]}"#
    for (line, hint) in [(long, "in parts"), (deep, nil)] {
      #expect(
        try data(line, Session(handler: Ignorant(), limits: limits(reply: 1000)) {})?["hint"]?.stringValue == hint)
    }
    let short = try data(
      #"{"jsonrpc":"2.0","id":1,"method":"a"}"#, Session(handler: Talker(), limits: limits(reply: 60)) {})
    #expect(short?["limit"] == "reply")
    #expect(short?["hint"] == "in parts")
  }

  @Test("Before authentication, a message that is too long gets no hint")
  func stranger() throws {
    var limits = SessionLimits()
    limits.unauthenticatedMessageBytes = 20
    let session = Session(handler: Ignorant(), admission: Admission(verify: { _ in false }), limits: limits) {}
    let data = try data(String(repeating: "[", count: 30), session)
    #expect(data?["limit"] == "message")
    #expect(data?["hint"] == nil)
  }

  private func limits(reply: Int) -> SessionLimits {
    var limits = SessionLimits()
    (limits.messageBytes, limits.replyBytes, limits.scan.nesting) = (100, reply, 3)
    return limits
  }

  /// The data of the error that answers a line.
  private func data(_ line: String, _ session: Session) throws -> JSONValue? {
    Array((line + "\n").utf8).withUnsafeBytes(session.receive)
    let reply = session.withOutput { String(decoding: $0, as: UTF8.self) }
    return try JSONValue(parsing: reply)["error"]?["data"]
  }
}
