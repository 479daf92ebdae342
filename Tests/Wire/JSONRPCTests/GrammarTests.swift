import JSONRPC
import Testing

@Suite("The JSON scanner follows the grammar of RFC 8259")
struct GrammarTests {
  @Test("The JSON scanner accepts what RFC 8259 allows", arguments: acceptedTexts)
  func accepts(_ text: String) {
    #expect(ScannedMessage.scan(text).syntaxError == nil)
  }

  @Test("The JSON scanner accepts a valid value in the params of a message", arguments: acceptedTexts)
  func acceptsInside(_ text: String) {
    let message = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[\(text)]}"
    guard case .notification(let call) = single(message) else {
      Issue.record("not a notification")
      return
    }
    #expect(call.params == 39..<(message.utf8.count - 1))
  }

  @Test("The JSON scanner refuses what RFC 8259 forbids, with the byte offset", arguments: rejectedTexts)
  func refuses(_ text: String, _ offset: Int) {
    #expect(ScannedMessage.scan(text).syntaxError?.offset == offset)
  }

  @Test("The JSON scanner refuses an invalid value in the params of a message", arguments: rejectedTexts.map(\.text))
  func refusesInside(_ text: String) {
    let message = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[0,\(text)]}"
    #expect(ScannedMessage.scan(message).syntaxError != nil)
  }

  @Test("The JSON scanner refuses invalid UTF-8 in a string, at the offset of the character", arguments: malformedUTF8)
  func refusesMalformedUTF8(_ bytes: [UInt8]) {
    for prefix in ["", "a", "1234567", "12345678", "é", "𝄞𝄞"] {
      for suffix in ["", "\"]", "a\"]", "12345678\"]"] {
        let head = Array("[\"\(prefix)".utf8)
        let error = ScannedMessage.scan(head + bytes + Array(suffix.utf8)).syntaxError
        #expect(error?.reason == .invalidUTF8)
        #expect(error?.offset == head.count)
      }
    }
  }

  @Test("The JSON scanner accepts the same UTF-8 sequences as Swift's standard library")
  func agreesOnUTF8() {
    let edges: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xF4, 0xFF]
    for first in UInt8(0x80)...0xFF {
      for second in UInt8(0x20)...0xFF where second != 0x22 && second != 0x5C { check([first, second]) }
      for second in edges { for third in edges { check([first, second, third]) } }
      for second in edges { for third in edges { for fourth in edges { check([first, second, third, fourth]) } } }
    }
  }

  private func check(_ bytes: [UInt8]) {
    guard bytes.allSatisfy({ $0 >= 0x20 }) else { return }
    let isValid = String(validating: bytes, as: UTF8.self) != nil
    let isAccepted = ScannedMessage.scan([0x22] + bytes + [0x22]).syntaxError == nil
    if isValid != isAccepted { Issue.record("differs on \(bytes)") }
  }

  @Test(
    "A JSON syntax error names its reason",
    arguments: [
      ("\u{FEFF}{}", JSONSyntaxError.Reason.byteOrderMark), ("[\"a\u{1}\"]", .controlCharacter),
      ("[\"\\q\"]", .invalidEscape), ("[1,", .unexpectedEnd), ("[1;]", .unexpectedByte), ("{}{}", .trailingText),
    ])
  func reason(_ text: String, _ reason: JSONSyntaxError.Reason) {
    #expect(ScannedMessage.scan(text).syntaxError?.reason == reason)
  }

  @Test("The JSON scanner finds control characters, quotes and escapes at every place in a string")
  func specialBytes() {
    for length in 0..<40 {
      for place in 0...length {
        let head = String(repeating: "x", count: place)
        let tail = String(repeating: "y", count: length - place)
        #expect(ScannedMessage.scan("[\"\(head)\u{1F}\(tail)\"]").syntaxError?.offset == place + 2)
        #expect(ScannedMessage.scan("[\"\(head)\"\(tail)z\"]").syntaxError?.offset == place + 3)
        #expect(ScannedMessage.scan("[\"\(head)é\\n\u{7F}\(tail)\"]").syntaxError == nil)
      }
    }
  }
}

func single(_ text: String, limits: ScanLimits = ScanLimits()) -> Envelope? {
  guard case .single(let envelope) = ScannedMessage.scan(text, limits: limits) else { return nil }
  return envelope
}
