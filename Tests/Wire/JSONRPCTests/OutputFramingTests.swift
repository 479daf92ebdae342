import JSONRPC
import Testing

@Suite("Replies are framed as the peer frames its requests")
struct OutputFramingTests {
  @Test(
    "A message is framed as one line, or with a Content-Length header that counts bytes",
    arguments: [
      (OutputFraming.ndjson, "{}\n\"é\"\n"),
      (.contentLength, "Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\n\"é\""),
    ])
  func frames(_ framing: OutputFraming, _ expected: String) {
    var output: [UInt8] = []
    for text in ["{}", "\"é\""] { Array(text.utf8).withUnsafeBufferPointer { framing.append($0, to: &output) } }
    #expect(String(decoding: output, as: UTF8.self) == expected)
  }

  @Test("A message built in place is framed like an appended one", arguments: [OutputFraming.ndjson, .contentLength])
  func inPlace(_ framing: OutputFraming) {
    var output = Array("before".utf8)
    output += Array("[1]".utf8)
    framing.endMessage(from: 6, in: &output)
    var expected = Array("before".utf8)
    Array("[1]".utf8).withUnsafeBufferPointer { framing.append($0, to: &expected) }
    #expect(output == expected)
  }

  @Test(
    "A framed message contains no raw newline and is still the same JSON",
    arguments: [
      OutputFraming.ndjson, .contentLength,
    ])
  func noNewlines(_ framing: OutputFraming) {
    var output = Array("a\nb".utf8)
    output += Array("\n{\n\"a\\n\":\n\n1}\n".utf8)
    framing.endMessage(from: 3, in: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.hasPrefix("a\nb"))
    #expect(text.contains(" { \"a\\n\":  1} "))
  }

  @Test("The frame decoder reads what the output framing wrote", arguments: [OutputFraming.ndjson, .contentLength])
  func roundTrip(_ framing: OutputFraming) {
    let messages = (1..<50).map { "[\"\(String(repeating: "é", count: $0 * 7))\"]" }
    var output: [UInt8] = []
    for message in messages { Array(message.utf8).withUnsafeBufferPointer { framing.append($0, to: &output) } }
    #expect(events([output]) == messages.map(Event.message) + [.closed])
  }
}
