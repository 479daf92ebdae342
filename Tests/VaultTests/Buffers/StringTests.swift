import FoundationEssentials
import TestSupport
import Testing

@testable import Vault

@Suite struct StringTests {
  let protection: DataProtection

  init() throws {
    protection = try Device().protection()
  }

  @Test("A protected text is base64 of the same buffer as data", arguments: [true, false])
  func roundTrip(encrypting: Bool) throws {
    let text = try protection.protect("Grüße, 世界", for: .alice, encrypting: encrypting)
    #expect(try protection.unprotect(text) { $0 == .alice } == "Grüße, 世界")
    #expect(try protection.owner(of: text) == .alice)
    #expect(try protection.isEncrypted(text) == encrypting)
    let bytes = try #require(Data(base64Encoded: text))
    #expect(try protection.unprotect(Array(bytes)) == Array("Grüße, 世界".utf8))
  }

  @Test(
    "A text that is no base64 of a buffer comes back unchanged",
    arguments: [
      "hello", "aGVsbG8=", "iU1BTUJVRg0", "iU1BTUJVRg0K=", "iU1BTUJVRg0K====", "iU1BTUJVRg0K!", "iU1BTUJVRg0K世界",
      " iU1BTUJVRg0K",
    ])
  func foreign(text: String) throws {
    #expect(try protection.unprotect(text) { _ in false } == text)
    #expect(try protection.owner(of: text) == nil)
    #expect(try !protection.isEncrypted(text))
  }

  @Test("Base64 of the magic and no whole buffer is refused")
  func malformed() {
    #expect(code { _ = try protection.unprotect("iU1BTUJVRg0K") { _ in true } } == .failedToDecryptData)
    #expect(code { _ = try protection.unprotect("iU1BTUJVRg0KAQEB") { _ in true } } == .failedToDecryptData)
  }

  @Test("Protected bytes that are no text are not given out as one")
  func noText() throws {
    let bytes = try protection.protect([0xFF, 0xFE], for: .alice, encrypting: true)
    let text = Data(bytes).base64EncodedString()
    #expect(code { _ = try protection.unprotect(text) { _ in true } } == .failedToDecryptData)
  }

  @Test("An empty text is not data")
  func empty() {
    #expect(code { _ = try protection.protect("", for: .alice, encrypting: true) } == .emptyData)
    #expect(code { _ = try protection.unprotect("") { _ in true } } == .emptyData)
    #expect(code { _ = try protection.owner(of: "") } == .emptyData)
  }
}
