import JSON
import SQLite
import TestSupport
import Testing

@testable import MAM
@testable import Policy

@Suite struct CertificatePinsTests {
  private static let pin = Base64Bytes([UInt8](repeating: 7, count: 32)).text
  private static let other = Base64Bytes([UInt8](repeating: 8, count: 32)).text

  @Test(
    "HostName accepts host names and addresses in one normalized form and refuses anything else",
    arguments: [
      ("a.example", "a.example"), ("A.Example.", "a.example"), ("192.0.2.1", "192.0.2.1"), ("localhost", "localhost"),
      ("[2001:DB8:0:0:0::1]", "2001:db8::1"), ("::1", "::1"), ("_x-1.b", "_x-1.b"), ("", nil), (".", nil),
      (".a.example", nil), ("a..example", nil), ("a.example..", nil), ("*.example", nil), ("a.example:443", nil),
      ("https://a.example", nil), ("a b", nil), ("ä.example", nil), ("[::1", nil), ("[a.example]", nil),
      (String(repeating: "a", count: 64), nil), (String(repeating: "a.", count: 127) + "a", nil),
      ("a\u{0}.example", nil),
    ])
  func hostName(_ text: String, _ form: String?) {
    #expect(HostName(text)?.text == form)
  }

  @Test("Certificate pins of two spellings of a host are merged, and hosts without pins are left out")
  func union() throws {
    let pins = try CertificatePins(["A.example": [Self.pin], "a.example.": [Self.other, Self.pin], "b.example": []])
    #expect(pins[try #require(HostName("a.example"))].count == 2)
    #expect(pins[try #require(HostName("b.example"))].isEmpty)
    #expect(!pins.isEmpty)
    #expect(try CertificatePins(["b.example": []]) == .none)
  }

  @Test(
    "An invalid host or pin in certificatePins is refused with its place",
    arguments: [
      (["*.example": [pin]], "*.example must be a host"), (["": []], " must be a host"),
      (["a.example": [pin, "AAAA"]], "a.example/1 must be the SHA-256"),
      (["a.example": [String(pin.dropLast())]], "a.example/0 must be the SHA-256"),
    ] as [([String: [String]], String)])
  func fault(_ pins: [String: [String]], _ text: String) {
    let error = #expect(throws: CertificatePinFault.self) { try CertificatePins(pins) }
    #expect(error?.description.hasPrefix(text) == true)
  }

  @Test("Certificate pins can be stored and read back, and equal sets have equal text")
  func stored() throws {
    let pins = try CertificatePins(["b.example": [Self.pin], "a.example": [Self.other, Self.pin]])
    #expect(try CertificatePins(stored: pins.encoded) == pins)
    let same = try CertificatePins(["A.example": [Self.pin, Self.other], "b.example": [Self.pin]])
    #expect(same.encoded == pins.encoded)
    for text in ["", "[]", #"{"a.example": ["AAAA"]}"#] {
      #expect(throws: StoredTextError.self) { try CertificatePins(stored: text) }
    }
  }

  @Test("Damaged stored certificate pins are logged and ignored, and the account keeps its policy")
  func damaged() throws {
    let fixture = CoreFixture()
    fixture.tenant.writeTenant(more: #""certificatePins": {"a.example": ["\#(Self.pin)"]},"#)
    #expect(try fixture.core().enroll("alice") == 100)
    let connection = try Connection(path: fixture.state.database)
    try connection.execute("UPDATE documents SET body = '{' WHERE kind = 'certificatePins'")
    let core = try fixture.core()
    #expect(try core.account("alice")?.certificatePins == CertificatePins.none)
    #expect(try core.requiresPIN("alice"))
    #expect(try fixture.warnings("certificate pins", in: core).count == 1)
  }

  @Test("Enrolled accounts have the tenant's certificate pins, even without a policy; others have none")
  func enrolled() throws {
    let fixture = CoreFixture()
    fixture.tenant.writeTenant(more: #""certificatePins": {"a.example": ["\#(Self.pin)"]},"#)
    let core = try fixture.core("MultiManagedIdentities=true")
    for (name, code) in [("bob", 103), ("carol", 225)] {
      #expect(try core.enroll(name) == code)
      #expect(core.state.certificatePins(of: .user(name)).isEmpty == (code == 225))
    }
  }
}
