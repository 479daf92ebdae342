import Support
import Testing

@Suite struct HexTests {
  @Test("Hexadecimal text is read in either case and written in lower case")
  func hexadecimal() {
    #expect(Hex.encode([0x00, 0x9F, 0xAB]) == "009fab")
    #expect(Hex.decode("009FaB") == [0x00, 0x9F, 0xAB])
    #expect(Hex.encode([]) == "")
    #expect(Hex.decode("") == [])
  }

  @Test("Text that is not hexadecimal is refused", arguments: ["0", "0g", " 0", "0x00", "ü"])
  func noHexadecimal(_ text: String) {
    #expect(Hex.decode(text) == nil)
  }

  @Test(
    "A UUID made from bytes has its version and variant",
    arguments: [(0x00, "00000000-0000-4000-8000-000000000000"), (0xFF, "ffffffff-ffff-4fff-bfff-ffffffffffff")])
  func uuid(_ byte: UInt8, _ text: String) {
    #expect(String(uuid: [UInt8](repeating: byte, count: 16), version: 4) == text)
  }

  @Test("Random UUIDs differ")
  func random() {
    let some = Set((0..<100).map { _ in String.randomUUID })
    #expect(some.count == 100)
    #expect(some.allSatisfy { $0.utf8.count == 36 })
  }
}
