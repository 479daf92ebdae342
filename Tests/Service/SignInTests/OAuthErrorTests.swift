import JSON
import Testing

@testable import SignIn

@Suite struct OAuthErrorTests {
  private func claims(_ text: String) -> String? { OAuthError(["error": "refused", "claims": .string(text)])?.claims }

  @Test("The claims of an error are kept up to 8 KiB, and longer or empty claims are ignored")
  func limit() {
    let longest = String(repeating: "x", count: 8192)
    #expect(claims(longest) == longest)
    #expect(claims(longest + "x")?.count == nil)
    #expect(claims("") == nil)
  }

  @Test("An object that names no error is none", arguments: [[:], ["error": ""], ["error": 1]] as [JSONValue])
  func none(_ object: JSONValue) {
    #expect(OAuthError(object) == nil)
  }
}
