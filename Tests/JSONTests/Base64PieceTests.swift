import JSON
import Testing

@Suite("Long base64 is coded in pieces")
struct Base64PieceTests {
  private static let piece = 48 << 10

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  private func decode(_ text: String) throws -> [UInt8] {
    var quoted = "\"\(text)\""
    return try quoted.withUTF8 { utf8 in
      try Base64Bytes.decode(JSONDocument(scanned: UnsafeRawBufferPointer(utf8)).root).bytes
    }
  }

  @Test("lengths around the ends of pieces are read back", arguments: [1, 2, 3], -4...4)
  func lengths(_ pieces: Int, _ more: Int) throws {
    let bytes = bytes(pieces * Self.piece + more)
    let text = Base64Bytes(bytes).text
    #expect(text.utf8.count == (bytes.count + 2) / 3 * 4)
    #expect(Base64Bytes(bytes).jsonText == "\"\(text)\"")
    #expect(try decode(text) == bytes)
    #expect(Base64Bytes(text: text)?.bytes == bytes)
  }

  static let strays = ["AA==", "AAA=", "====", "AAA", "A\nAA", "AA-A", "AA A", "é_"]

  @Test("what is no base64 is refused in every piece", arguments: strays)
  func refuses(_ stray: String) {
    let piece = Base64Bytes(bytes(Self.piece)).text
    let cut = String(piece.dropLast(4))
    for text in [stray + piece + piece, cut + stray + piece, piece + stray + piece, piece + stray + cut] {
      #expect(throws: JSONDecodingError.self) { try decode(text) }
      #expect(Base64Bytes(text: text) == nil)
    }
  }

  @Test("stray bits behind the last byte are refused")
  func strayBits() {
    let piece = Base64Bytes(bytes(Self.piece)).text
    #expect(Base64Bytes(text: piece + "AA==") != nil)
    #expect(Base64Bytes(text: piece + "AB==") == nil)
    #expect(Base64Bytes(text: piece.dropLast(2) + "==") == nil)
  }

  @Test("it stands between other values")
  func surroundings() throws {
    let data = Base64Bytes(bytes(Self.piece + 1))
    #expect([data, data].jsonText == "[\"\(data.text)\",\"\(data.text)\"]")
  }
}
