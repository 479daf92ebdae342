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
}

@Suite("What is said about an unknown method") struct HintTests {
  @Test("a request gets a hint; for a notification none is looked for")
  func notifications() {
    let handler = Ignorant()
    let session = Session(handler: handler) {}
    let lines = #"{"jsonrpc":"2.0","method":"a"}"# + "\n" + #"{"jsonrpc":"2.0","method":"b","id":1}"# + "\n"
    Array(lines.utf8).withUnsafeBytes(session.receive)
    let reply = session.withOutput { String(decoding: $0, as: UTF8.self) }
    #expect(reply.contains(#""hint":"try another""#))
    #expect(handler.asked.withLock { $0 } == ["b"])
  }
}
