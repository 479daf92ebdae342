import JSON
import SourceProtocol
import Testing

@testable import Tenancy

@Suite struct AnsweredTenantTests {
  /// `members` are those of the answer besides the outcome.
  private func tenant(_ members: String, _ outcome: SourceAnswer.Outcome) throws -> TenantSnapshot {
    let text = #"{"outcome":"\#(outcome)",\#(members)}"#
    return try TenantSnapshot(SourceAnswer.decode(JSONDocument(parsing: text).root), outcome)
  }

  @Test(
    "A malformed source answer is refused, and the error names the member",
    arguments: [
      (#""user": {"userPrincipalName": 5}"#, "answer: user/userPrincipalName must be"),
      (#""user": {}"#, "answer: user/userPrincipalName is missing"),
      (#""allowedAccounts": "all""#, "answer: allowedAccounts must be"),
      (#""unknownRestrictions": "Block""#, "answer: unknownRestrictions must be"),
      (#""operations": {}"#, "operations: must be a list"),
    ])
  func place(answer: String, text: String) throws {
    let error = #expect(throws: TenantError.self) { try tenant(answer, .notModified) }
    #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
  }

  private static let policies = ##"""
    [{"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"T_1","version":"1","pinRequired":true,
      "minimumPinLength":6,"apps":[],"unheardOf":1.5},
     {"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"T_1","printBlocked":true}]
    """##
  private static let configurations = ##"""
    [{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","customSettings":[{"name":"n","value":"v"}]}]
    """##
  private static let user =
    #""id":"87d349ed-44d7-43e1-9a83-5f2406dee5bd","userPrincipalName":"alice@contoso.example","mail":null,"odd":1"#
  private static let tenantId = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
  private static let more =
    #""allowedAccounts":["a@b.c"],"certificatePins":{},"mdm":null,"unknownRestrictions":"block""#

  @Test("A source answer and a folder with the same content give the same tenant")
  func sameAsFolder() throws {
    let answered = try tenant(
      #"""
      "user":{\#(Self.user),"tenantId":"\#(Self.tenantId)"},"policies":\#(Self.policies),
      "configurations":\#(Self.configurations),\#(Self.more)
      """#, .delivered)
    let files = [
      "tenant.json": #"""
      {"tenantId":"\#(Self.tenantId)","users":[{\#(Self.user),"accountEnabled":true,"deleted":false,"licensed":true}],
       \#(Self.more)}
      """#,
      "policies/policies.json": Self.policies, "configurations/configurations.json": Self.configurations,
    ]
    let folder = try TenantReader(files: TextFiles(texts: files)).readAvailable()
    #expect(answered.users == folder.users)
    #expect(answered.tenantId == folder.tenantId)
    #expect(answered.allowedAccounts == folder.allowedAccounts)
    #expect(answered.mdm == folder.mdm)
    #expect(
      answered.policies.map(\.id) == ["T_1", "T_1#2"] && answered.policies.map(\.id) == folder.policies.map(\.id))
    #expect(answered.policies.allSatisfy { $0.blocksUnknown })
    #expect(answered.configurations.count == 1)
    let told = Set(answered.warnings.map(\.text))
    #expect(told.count > 2)
    #expect(told.isSubset(of: folder.warnings.map(\.text)))
    #expect(Set(answered.warnings.map(\.source)).isSuperset(of: ["policies", "tenant.json"]))
  }

  @Test("A source answer with unreadable policies keeps what it says about the user")
  func unreadablePolicies() throws {
    let text = #""user":{\#(Self.user)},"policies":\#(Self.policies),"configurations":[5],\#(Self.more)"#
    let answered = try tenant(text, .delivered)
    #expect(answered.policyFault?.description == "configurations: element 0 of the list must be an object")
    #expect(answered.policies.isEmpty && answered.users.map(\.isEnabled) == [true])
    #expect(answered.allowedAccounts?.count == 1)
    #expect(answered.blocksUnknownRestrictions)
  }
}
