import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct PolicyManagerTests {
  private static let aliceId: JSONValue = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"

  @Test("isManagementEnabled becomes true when the first account with a policy enrolls")
  func management() throws {
    let host = try TestHost()
    #expect(try host.call("policyManager.isManagementEnabled") == false)
    #expect(try host.call("policyManager.mamPolicySource") == "other")
    #expect(try host.call("policyManager.managedAccounts") == [])
    try host.enroll("bob@contoso.example")
    #expect(try host.call("policyManager.isManagementEnabled") == false)
    try host.enroll()
    #expect(try host.call("policyManager.isManagementEnabled") == true)
    #expect(try host.call("policyManager.mamPolicySource") == "mam")
    #expect(try host.call("policyManager.managedAccounts").arrayValue?.map { $0["accountId"] } == [Self.aliceId])
    #expect(try host.call("policyManager.primaryUser")["identity"] == "alice@contoso.example")
  }

  @Test("isIdentityManaged is true for an account with a policy, by name or by id, and false for null")
  func isIdentityManaged() throws {
    let host = try TestHost()
    try host.enroll()
    for account in ["alice@contoso.example", "Alice@Contoso.Example", Self.aliceId] {
      #expect(try host.call("policyManager.isIdentityManaged", ["account": account]) == true)
    }
    for account in ["bob@contoso.example", "", .null] as [JSONValue] {
      #expect(try host.call("policyManager.isIdentityManaged", ["account": account]) == false)
    }
    #expect(try host.call("policyManager.isIdentityManaged") == false)
  }

  @Test("isIdentityEqual ignores case and matches a name with its known id, and null equals only null")
  func isIdentityEqual() throws {
    let host = try TestHost()
    try host.enroll()
    let alice: JSONValue = "alice@contoso.example"
    let table: [(JSONValue, JSONValue, JSONValue)] = [
      (alice, "ALICE@contoso.example", true), (alice, Self.aliceId, true), (alice, "bob@contoso.example", false),
      (.null, .null, true), ("", "", true), (.null, "", false), (alice, "", false), (alice, .null, false),
      (alice, " alice@contoso.example", false), ("é@x", "É@x", false),
    ]
    for (first, second, isEqual) in table {
      #expect(try host.call("policyManager.isIdentityEqual", ["first": first, "second": second]) == isEqual)
      #expect(try host.call("policyManager.isIdentityEqual", [second, first]) == isEqual)
    }
  }

  @Test("policyManager.policy returns every property, and every setting with its source policy")
  func policy() throws {
    let host = try TestHost()
    try host.enroll()
    let report = try host.call("policyManager.policy", ["account": "alice@contoso.example"])
    #expect(report["managed"] == true)
    #expect(report["accountId"] == Self.aliceId)
    #expect(report["identity"] == "alice@contoso.example")
    #expect(report["properties"]?["isPINRequired"] == true)
    #expect(report["properties"]?["notificationPolicy"] == "blockOrgData")
    let setting = report["settings"]?["allowedOutboundDataTransferDestinations"]
    #expect(setting?["value"] == "managedApps")
    #expect(setting?["sdkValue"] == 1)
    #expect(setting?["policyId"] == "T_1f3ac5b2-30d1-4a5c-8f4c-6d1c0a5e7b11")
    #expect(report["policies"]?.arrayValue?.map { $0["displayName"] } == ["Contoso data protection for iOS"])
  }

  @Test("policyManager.settingSources lists every policy that sets a setting and says whose value wins")
  func settingSources() throws {
    let tenant = TenantFolder()
    tenant.write(
      TenantFolder.tenant(mdm: "null").replacing(
        #""policies/closed.json", "groups": ["closed"]"#, with: #""policies/closed.json", "groups": ["listed"]"#),
      to: "tenant.json")
    for (name, id, settings) in [
      ("listed", "T_1", #""printBlocked": false, "allowedDataStorageLocations": ["box", "localStorage"]"#),
      (
        "closed", "T_2",
        #""printBlocked": true, "saveAsBlocked": true, "allowedDataStorageLocations": ["box", "sharePoint"]"#
      ),
    ] {
      tenant.write(
        ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "\##(id)", "displayName": "\##(name)","##
          + #""pinRequired": true, \#(settings)}"#, to: "policies/\(name).json")
    }
    let host = try TestHost(tenantFolder: tenant)
    try host.enroll("listed@fabrikam.example")
    let settings = try host.call("policyManager.settingSources", ["account": "listed@fabrikam.example"])["settings"]
    let all = try #require(settings?.arrayValue)
    func sources(_ name: JSONValue) -> [JSONValue] { all.first { $0["setting"] == name }?["sources"]?.arrayValue ?? [] }
    #expect(
      sources("printBlocked") == [
        ["policyId": "T_1", "displayName": "listed", "value": false, "wins": false],
        ["policyId": "T_2", "displayName": "closed", "value": true, "wins": true],
      ])
    #expect(sources("pinRequired").map { $0["wins"] } == [true, true])
    #expect(sources("saveAsBlocked").map { $0["policyId"] } == ["T_2"])
    #expect(sources("allowedDataStorageLocations").map { $0["wins"] } == [false, false])
    #expect(try host.call("policyManager.settingSources", ["account": "bob@contoso.example"]) == ["settings": []])
  }

  @Test("policyManager.policy of an unmanaged account is permissive and empty, but never null")
  func unmanagedPolicy() throws {
    let host = try TestHost()
    try host.enroll()
    for account in ["bob@contoso.example", ""] as [JSONValue] {
      let report = try host.call("policyManager.policy", ["account": account])
      #expect(report["managed"] == false)
      #expect(report["identity"] == account)
      #expect(report["settings"] == [:])
      #expect(report["policies"] == [])
      #expect(report["properties"]?["isAppSharingAllowed"] == true)
    }
    #expect(try TestHost().call("policyManager.policy")["managed"] == false)
  }
}
