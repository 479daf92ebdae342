import JSON
import Testing

@testable import Model

@Suite struct AccountReferenceTests {
  private static let object = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
  private static let tenant = "6BABCAAD-604B-40AC-A9D7-9FD97C0B779F"

  private func decode(_ text: String) throws(JSONDecodingError) -> AccountReference {
    guard let document = try? JSONDocument(parsing: JSONValue.string(text).jsonText) else { return .noUser }
    return try AccountReference.decode(document.root)
  }

  @Test("An account reference with an MSAL account identifier is refused; the error names the object id")
  func homeAccount() {
    let error = #expect(throws: JSONDecodingError.self) { try decode("\(Self.object).\(Self.tenant)") }
    #expect(String(describing: error).contains("pass the object id, its part before the dot: \(Self.object)"))
  }

  @Test(
    "Only two GUIDs joined by a dot are refused as an MSAL account identifier",
    arguments: [
      object, tenant, "", "alice@contoso.example", "\(object).", ".\(tenant)", "\(object).contoso.example",
      "\(object).\(tenant).\(tenant)", "\(object)@\(tenant)", "\(object)-b2c_1.\(tenant)x",
    ])
  func others(text: String) throws {
    #expect(try decode(text).text == text)
  }
}
