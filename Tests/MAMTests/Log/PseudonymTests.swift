import Testing

@testable import MAM

@Suite struct PseudonymTests {
  /// From the appendix of the SipHash paper: key 00…0f, message 00…0e.
  @Test("the hash is SipHash-2-4")
  func vector() {
    let key = (SipHash.word(Array(0..<8)), SipHash.word(Array(8..<16)))
    #expect(SipHash.hash(Array(0..<15), key: key) == 0xa129_ca61_49be_45e5)
    #expect(SipHash.hash([], key: key) == 0x726f_db47_dd0e_0e31)
    #expect(SipHash.hash(Array(0..<8), key: key) == 0x93f5_f579_9a93_2462)
  }

  @Test("another salt gives other names; no user is shown as none")
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
