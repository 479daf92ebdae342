import JSON
import Testing

@Suite("Base64 in pieces")
struct Base64PieceTests {
  private static let piece = 48 << 10

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  private func decode(_ text: String) throws -> [UInt8] {
    var quoted = "\"\(text)\""
    return try quoted.withUTF8 { utf8 in
      try Base64Bytes.decode(JSONNode(scanned: UnsafeRawBufferPointer(utf8))).bytes
    }
  }

  /// As in a JSON string.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0 == "\n" ? "\\n" : $0 == "\r" ? "\\r" : String($0) }.joined()
  }

  @Test("Base64 with lengths around the ends of pieces reads back unchanged", arguments: [1, 2, 3], -4...4)
  func lengths(_ pieces: Int, _ more: Int) throws {
    let bytes = bytes(pieces * Self.piece + more)
    let text = Base64Bytes(bytes).text
    #expect(text.utf8.count == (bytes.count + 2) / 3 * 4)
    #expect(Base64Bytes(bytes).jsonText == "\"\(text)\"")
    #expect(try decode(text) == bytes)
    #expect(Base64Bytes(text: text)?.bytes == bytes)
  }

  static let strays = ["AA==", "AAA=", "====", "AAA", "A\nAA", "AA-A", "AA A", "é_"]

  @Test("Invalid base64 is refused in every piece", arguments: strays)
  func refuses(_ stray: String) {
    let piece = Base64Bytes(bytes(Self.piece)).text
    let cut = String(piece.dropLast(4))
    for text in [stray + piece + piece, cut + stray + piece, piece + stray + piece, piece + stray + cut] {
      #expect(throws: JSONDecodingError.self) { try decode(text) }
      #expect(Base64Bytes(text: text) == nil)
    }
  }

  @Test(
    "Line breaks in base64 are ignored, wherever they are",
    arguments: ["\n", "\r\n", "\r"], [1, 4, 64, 76, piece])
  func lineBreaks(_ lineBreak: String, _ width: Int) throws {
    for count in [0, 1, 2, 3, 100, Self.piece, Self.piece + 1, 2 * Self.piece + 2] where width > 1 || count < 200 {
      let bytes = bytes(count)
      let text = Array(Base64Bytes(bytes).text.utf8)
      let lines = stride(from: 0, to: text.count, by: width).map {
        String(decoding: text[$0..<min($0 + width, text.count)], as: UTF8.self)
      }
      for text in [lines.joined(separator: lineBreak), (lines + [""]).joined(separator: lineBreak)] {
        #expect(Base64Bytes(text: text)?.bytes == bytes)
        #expect(try decode(escaped(text)) == bytes)
      }
    }
  }

  @Test(
    "Invalid base64 with line breaks is refused",
    arguments: ["AA==\nAA==", "A\nA", "AA=\n", "A A\nA", "\n="])
  func refusesInLines(_ text: String) {
    #expect(Base64Bytes(text: text) == nil)
  }

  @Test("Base64 with stray bits after the last byte is refused")
  func strayBits() {
    let piece = Base64Bytes(bytes(Self.piece)).text
    #expect(Base64Bytes(text: piece + "AA==") != nil)
    #expect(Base64Bytes(text: piece + "AB==") == nil)
    #expect(Base64Bytes(text: piece.dropLast(2) + "==") == nil)
  }

  @Test("Base64 is written correctly between other JSON values")
  func surroundings() throws {
    let data = Base64Bytes(bytes(Self.piece + 1))
    #expect([data, data].jsonText == "[\"\(data.text)\",\"\(data.text)\"]")
  }
}
