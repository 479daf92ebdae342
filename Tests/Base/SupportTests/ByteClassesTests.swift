import Support
import Testing

@Suite struct ByteClassesTests {
  @Test("A byte has the class of its ASCII character, and no class beyond ASCII")
  func classes() {
    for byte in UInt8.min ... .max {
      let character = Character(Unicode.Scalar(byte))
      let isASCII = byte < 0x80
      #expect(byte.isDigit == (isASCII && character.isNumber), "\(byte)")
      #expect(byte.isLetter == (isASCII && character.isLetter), "\(byte)")
      #expect(byte.isHexDigit == (isASCII && character.isHexDigit), "\(byte)")
      #expect(byte.isAlphanumeric == (byte.isDigit || byte.isLetter), "\(byte)")
      #expect(byte.lowercasedLetter == (isASCII ? character.lowercased().utf8.first : byte), "\(byte)")
    }
  }
}
