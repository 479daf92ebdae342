import HTTP
import Model
import Testing

@testable import TenantService

@Suite struct WireValuesTests {
  @Test(
    "The secret of a registration is 32 bytes in canonical base64",
    arguments: [
      (String(repeating: "A", count: 43) + "=", true), (String(repeating: "/", count: 42) + "8=", true),
      // Bits that belong to no byte, 31 and 33 bytes, no padding, and a space.
      (String(repeating: "A", count: 42) + "B=", false), (String(repeating: "A", count: 42) + "==", false),
      (String(repeating: "A", count: 44), false), (String(repeating: "A", count: 43), false),
      (" " + String(repeating: "A", count: 43) + "=", false), ("", false),
    ])
  func secret(_ text: String, _ isSecret: Bool) {
    #expect((RegistrationSecret(text) != nil) == isSecret)
  }

  @Test("A line has no control characters", arguments: Array(0...0x1F) + [0x7F] as [UInt8])
  func control(_ byte: UInt8) {
    #expect(WireLine("a\(Character(Unicode.Scalar(byte)))b")?.text == nil)
  }

  @Test("A line has at most 200 characters")
  func longest() {
    let longest = String(repeating: "é", count: 200)
    #expect(WireLine(longest)?.text == longest)
    #expect(WireLine(longest + "a")?.text == nil)
  }

  @Test(
    "Credentials are read from the only Authorization header, whatever the case of its scheme",
    arguments: [
      (["Bearer a.b"], "a.b"), (["bearer a.b"], "a.b"), (["BEARER   a.b"], "a.b"), (["Basic a.b"], nil),
      (["Bearer"], nil), (["Bearer "], nil), (["Bearer a b"], nil), (["Bearer a", "Bearer a"], nil),
      (["Bearer a", "Basic b"], nil), ([], nil),
    ] as [([String], String?)])
  func credentials(_ values: [String], _ expected: String?) {
    var headers = HTTPHeaders()
    for value in values { headers.add("Authorization", value) }
    #expect(headers.credentials("Bearer") == expected)
  }
}
