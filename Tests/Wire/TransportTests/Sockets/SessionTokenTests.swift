import Testing

@testable import Transport

@Suite struct SessionTokenTests {
  @Test("Session tokens are all different, and each matches only its own exact text")
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
