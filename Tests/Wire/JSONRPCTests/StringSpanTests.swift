import JSONRPC
import Testing

@Suite("StringSpan decodes the content of a JSON string")
struct StringSpanTests {
  @Test(
    "StringSpan decodes every JSON escape, and a lone surrogate as U+FFFD",
    arguments: [
      ("", ""), ("abc", "abc"), ("é€𝄞", "é€𝄞"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#"\u0041\u00e9"#, "Aé"),
      (#"\uD834\uDD1E"#, "𝄞"), (#"a\ud83d\ude00b"#, "a😀b"), (#"\u0000"#, "\0"), (#"é\u20AC"#, "é€"),
      (#"\\u0041"#, "\\u0041"),
      (#"\uD800"#, "\u{FFFD}"), (#"\uDC00"#, "\u{FFFD}"), (#"\uD800\u0041"#, "\u{FFFD}A"), (#"\uD800x"#, "\u{FFFD}x"),
      (#"\uD800\uD834\uDD1E"#, "\u{FFFD}𝄞"), (#"\uDC00\uD800"#, "\u{FFFD}\u{FFFD}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"),
      (#"\uD800\uE000"#, "\u{FFFD}\u{E000}"),
    ])
  func unescapes(_ content: String, _ expected: String) {
    #expect(text(content) == expected)
  }

  @Test(
    "StringSpan does not crash on escapes that JSON forbids",
    arguments: [
      #"\"#, #"a\"#, #"\u"#, #"\u12"#, #"\uD800\"#, #"\uD800\u"#, #"\q"#, #"\uzzzz"#, #"\uD800\uD"#,
    ])
  func survives(_ content: String) {
    #expect(text(content).utf8.count < 10)
  }

  @Test("A StringSpan that reaches beyond the message is cut to the message")
  func outside() {
    let bytes = Array("abc".utf8)
    let spans = [2..<9, 5..<9, -4 ..< -2, -1..<2, Int.min..<Int.max]
    let texts = spans.map { span in
      bytes.withUnsafeBufferPointer { StringSpan(content: span, hasEscapes: false).text(in: $0) }
    }
    #expect(texts == ["c", "", "", "ab", "abc"])
  }

  private func text(_ content: String) -> String {
    let bytes = Array(content.utf8)
    let span = StringSpan(content: 0..<bytes.count, hasEscapes: content.contains("\\"))
    return bytes.withUnsafeBufferPointer { span.text(in: $0) }
  }
}
