import Testing

@testable import MAM

@Suite struct PseudonymTests {
  @Test("A pseudonym is the start of HMAC-SHA256 with the salt as the key")
  func hash() {
    #expect(Pseudonyms(salt: Array(0..<16)).name(for: "Alice@contoso.example") == "<user:423b8c03>")
  }

  @Test("Pseudonyms depend on the salt, but not on case, and no user is shown as none")
  func salt() {
    let first = Pseudonyms(salt: Array(0..<16))
    let second = Pseudonyms(salt: Array(1..<17))
    #expect(first.name(for: "alice@contoso.example") == first.name(for: "ALICE@contoso.example"))
    #expect(first.name(for: "alice@contoso.example") != second.name(for: "alice@contoso.example"))
    #expect(first.name(for: "") == "<user:none>")
    #expect(first.name(for: "/home/a", label: "path").hasPrefix("<path:"))
    #expect(Pseudonyms(salt: []).name(for: "a") != Pseudonyms(salt: [1]).name(for: "a"))
  }
}
