import Testing

@testable import Transport

@Suite struct SessionTokenTests {
  @Test("Only its own text is the token, and no two are equal")
  func own() throws {
    let (token, other) = (try SessionToken(), try SessionToken())
    #expect(token.text.count == 64)
    #expect(token.text != other.text)
    for (text, isToken) in [
      (token.text, true), (other.text, false), ("", false), (token.text.uppercased() + " ", false),
      (String(token.text.dropLast()), false),
    ] {
      #expect(Array(text.utf8).withUnsafeBufferPointer(token.isToken) == isToken)
    }
  }
}
