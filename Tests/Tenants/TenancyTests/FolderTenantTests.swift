import Glibc
import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

@Suite struct FolderTenantTests {
  let folder = TemporaryFolder()

  func read() throws(TenantError) -> TenantSnapshot { try FolderTenant(path: folder.path).read() }

  @Test("tenant.json is read with all its members, and unknown members cause warnings")
  func tenantFile() throws {
    folder.write(
      """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "surprise": 1,
       "users": [{"id": "87D349ED-44d7-43e1-9a83-5f2406dee5bd", "userPrincipalName": "Alice@contoso.example",
                  "groups": ["staff"], "clock": {"status": "clockedIn", "updated": "2026-01-31T09:30:00Z"}, "age": 5},
                 {"userPrincipalName": "bob@contoso.example", "licensed": false, "accountEnabled": false, "mail": ""}],
       "assignments": [{"policy": "./policies/x.json"}],
       "operations": [{"type": "wipe", "user": "alice@contoso.example", "app": "*", "requestedDateTime": "2026-01-01T00:00:00Z"},
                      {"type": "wipeAndBlock", "user": "bob@contoso.example", "app": "com.example.host"}],
       "allowedAccounts": ["alice@contoso.example"],
       "certificatePins": {"login.example": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]},
       "mdm": {"user": "alice@contoso.example", "appConfig": {"a": "b", "n": 5, "t": true}}}
      """, to: "tenant.json")
    folder.write("[]", to: "policies/x.json")
    let tenant = try read()
    #expect(tenant.tenantId == "6babcaad-604b-40ac-a9d7-9fd97c0b779f")
    #expect(tenant.displayName == "Contoso")
    let alice = try #require(tenant.user(for: "ALICE@contoso.example"))
    #expect(alice.isLicensed)
    #expect(alice.isEnabled)
    #expect(alice.groups == ["staff"])
    #expect(alice.clock == TenantUser.ClockEntry(status: .clockedIn, updated: "2026-01-31T09:30:00Z"))
    #expect(tenant.user(for: "87d349ed-44d7-43e1-9a83-5f2406dee5bd") == alice)
    #expect(alice.account.accountId == "87d349ed-44d7-43e1-9a83-5f2406dee5bd")
    let bob = try #require(tenant.user(for: "bob@contoso.example"))
    #expect(!bob.isLicensed)
    #expect(!bob.isEnabled)
    #expect(bob.mail == nil)
    #expect(bob.id.isGUID)
    #expect(bob.displayName == "bob@contoso.example")
    #expect(tenant.user(for: "") == nil)
    #expect(tenant.user(for: "eve@contoso.example") == nil)
    #expect(tenant.assignments == [TenantAssignment(file: "policies/x.json", groups: ["*"], apps: ["*"])])
    #expect(tenant.operations.map(\.kind) == [.wipe, .wipeAndBlock])
    #expect(tenant.operations.map(\.app) == [nil, "com.example.host"])
    #expect(tenant.allowedAccounts == ["alice@contoso.example"])
    #expect(tenant.certificatePins[try #require(HostName("login.example"))] == [[UInt8](repeating: 0, count: 32)])
    #expect(tenant.mdm?.appConfig == ["a": "b", "n": "5", "t": "true"])
    #expect(tenant.warnings.compactMap(\.member) == ["surprise", "users/0/age"])
  }

  @Test(
    "A Graph answer is read unchanged, typed by its @odata.context, and a missing page is an error",
    arguments: [
      ("iosManagedAppProtections(apps(),assignments())", .ios), ("androidManagedAppProtections(apps())", .android),
      ("windowsManagedAppProtections(assignments())", .windows),
      ("defaultManagedAppProtections", .default), ("androidManagedAppProtections/$entity", .android),
      ("androidManagedAppProtections('T_ios/1')/$entity", .android),
      ("iosManagedAppProtections(id,apps(mobileAppIdentifier),assignments())/$entity", .ios),
      ("managedAppPolicies/microsoft.graph.androidManagedAppProtection/$entity", .android),
      ("managedAppPolicies/microsoft.graph.windowsManagedAppProtection", .windows),
      ("managedAppPolicies('T_1')/microsoft.graph.iosManagedAppProtection(apps(),assignments())/$entity", .ios),
      ("managedAppPolicies(apps())/microsoft.graph.defaultManagedAppProtection/$entity", .default),
      ("iosManagedAppProtections/microsoft.graph.androidManagedAppProtection/$entity", .android),
    ] as [(String, PolicyKind)])
  func graphAnswer(collection: String, kind: PolicyKind) throws {
    folder.write("{}", to: "tenant.json")
    let context = "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/\(collection)"
    let policy =
      #""id": "T_1", "assignments@odata.context": "x", "version": "\"1\"", "assignments": [], "printBlocked": true"#
    folder.write(#"{"@odata.context": "\#(context)", "value": [{\#(policy)}]}"#, to: "policies/page.json")
    #expect(try read().policies.map(\.kind) == [kind])
    #expect(try read().warnings == [])
    folder.write(#"{"@odata.context": "\#(context)", \#(policy)}"#, to: "policies/page.json")
    #expect(try read().policies.map(\.kind) == [kind])
    #expect(try read().warnings == [])
    folder.write(#"[{"@odata.context": "\#(context)", \#(policy)}]"#, to: "policies/page.json")
    #expect(try read().policies.map(\.kind) == [kind])
    #expect(try read().warnings == [])
    folder.write(
      #"{"@odata.context": "\#(context)", "@odata.nextLink": "https://x", "value": [{\#(policy)}]}"#,
      to: "policies/page.json")
    #expect(throws: TenantError.self) { try read() }
    folder.write(#"{"@odata.context": "\#(context)", "value": []}"#, to: "policies/last.json")
    #expect(try read().policies.map(\.kind) == [kind])
    #expect(try read().warnings == [])
  }

  @Test("The id derived from a user name is the same at each reading and in any case")
  func derivedIds() throws {
    folder.write(#"{"users": [{"userPrincipalName": "bob@contoso.example"}]}"#, to: "tenant.json")
    let first = try read().users.map(\.id)
    folder.write(#"{"users": [{"userPrincipalName": "BOB@contoso.example"}]}"#, to: "tenant.json")
    #expect(try read().users.map(\.id) == first)
  }

  @Test("A policy file holds an object, a list or a page of Graph, and @odata.type gives each kind")
  func shapes() throws {
    folder.write("{}", to: "tenant.json")
    folder.write("{\(Self.ios)}", to: "policies/a.json")
    folder.write(
      ##"""
      [{"id": "T_b", \##(Self.ios)}, {"@odata.type": "#microsoft.graph.androidManagedAppProtection", "pinRequired": true}]
      """##, to: "policies/b.json")
    folder.write(
      """
      {"@odata.context": "x", "value": [{"@odata.type": "#microsoft.graph.defaultManagedAppProtection", "id": "T_d",
       "customSettings": [{"name": "k", "value": "v"}]},
       {"@odata.type": "#microsoft.graph.windowsManagedAppProtection", "printBlocked": false}]}
      """, to: "policies/c.json")
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1", "customSettings": []}"##,
      to: "policies/d.json")
    folder.write("{\(Self.configuration)}", to: "configurations/e.JSON")
    folder.write(#"{"value": []}"#, to: "policies/none.json")
    folder.write("no json", to: "policies/readme.txt")
    folder.write("no json", to: "policies/.hidden.json")
    let tenant = try read()
    #expect(tenant.policies.map(\.id) == ["T_b", "T_d", "policies/a", "policies/b#2", "policies/c#2"])
    #expect(tenant.policies.map(\.kind) == [.ios, .default, .ios, .android, .windows])
    #expect(tenant.policies[1].customSettings == [KeyValuePair(name: "k", value: "v")])
    #expect(tenant.configurations.count == 2)
    #expect(tenant.warnings == [])
  }

  @Test(
    "A dictionary from a device is read as a policy that only tenant.json can assign",
    arguments: [
      #"{"IntuneMAMPolicies": {"PINEnabled": true, "AppSharingToLevel": 1}, "IntuneMAMPolicyVersion": "1.0"}"#,
      """
      {"com.example.host.MAMPolicies": {"IntuneIdentityOID": "x", "IntuneMAMPolicyVersion": "1.0",
       "IntuneMAMPolicies": {"PINEnabled": 1, "appsharingtolevel": "1"}}}
      """,
    ])
  func deviceDictionary(text: String) throws {
    folder.write(
      #"{"users": [{"userPrincipalName": "a@x.example", "groups": ["g"]}, {"userPrincipalName": "b@x.example"}]}"#,
      to: "tenant.json")
    folder.write(text, to: "policies/device.json")
    let policy = try #require(try read().policies.first)
    #expect(
      policy.settings == [
        .pinRequired: .bool(true), .allowedOutboundDataTransferDestinations: .word("managedApps"),
      ])
    #expect(policy.version == "1.0")
    #expect(policy.targeting.needsAssignment)
  }

  @Test("An assigned file outside the policy folders is read too, and a missing one is an error")
  func outside() throws {
    folder.write(#"{"assignments": [{"policy": "../shared/own.json"}]}"#, to: "tenant/tenant.json")
    folder.write("{\(Self.ios)}", to: "shared/own.json")
    let tenant = FolderTenant(path: folder.file("tenant"))
    #expect(try tenant.read().policies.map(\.source) == ["../shared/own.json"])
    unlink(folder.file("shared/own.json"))
    let error = TenantError.unparsable(file: "../shared/own.json", reason: "is missing, but tenant.json assigns it")
    #expect(throws: error) { try tenant.read() }
  }

  @Test("A tenant folder's links are followed and byte order marks skipped")
  func links() throws {
    folder.write("\u{FEFF}{}", to: "tenant.json")
    folder.write(#"{"id": "T_1", \#(Self.ios)}"#, to: "elsewhere/p.json")
    folder.write("{\(Self.ios)}", to: "policies/a.json")
    symlink(folder.file("elsewhere/p.json"), folder.file("policies/link.json"))
    #expect(try read().policies.map(\.id) == ["T_1", "policies/a"])
    #expect(try read().warnings == [])
  }

  /// Something other than a regular file, put where a file or folder of the tenant belongs.
  @Test(
    "Graph objects that are not app protection are ignored with a warning", arguments: TenantObjectKind.foreignTypes)
  func foreignType(type: String) throws {
    folder.write("{}", to: "tenant.json")
    folder.write(
      ##"[{"@odata.type": "#microsoft.graph.\##(type)"}, {"id": "T_1", \##(Self.ios)}]"##, to: "policies/x.json")
    #expect(try read().policies.map(\.id) == ["T_1"])
    let expected = "policies/x.json: @odata.type: \(type) is not an app protection policy and is ignored"
    #expect(try read().warnings.map(\.description) == [expected])
  }

  @Test("Two policies with the same id get different ids and a warning")
  func sameId() throws {
    folder.write("{}", to: "tenant.json")
    for name in ["a", "b"] { folder.write(#"{"id": "T_1", \#(Self.ios)}"#, to: "policies/\(name).json") }
    let tenant = try read()
    #expect(tenant.policies.map(\.id) == ["T_1", "T_1#2"])
    #expect(tenant.warnings.map(\.source) == ["policies/b.json"])
  }

  @Test(
    "A value that does not fit is only a warning if ignoring it loosens nothing",
    arguments: [
      (#""managedBrowser": "netscape""#, "managedBrowser", #"not "netscape""#),
      (#""displayName": 5"#, "displayName", "must be a string, not 5"),
      (#""allowedDataStorageLocations": ["box", "attic"]"#, "allowedDataStorageLocations", #"not "attic""#),
      (#""connectToVpnOnLaunch": "maybe""#, "connectToVpnOnLaunch", "has no effect in a policy for iOS"),
      (#""encryptAppData": "maybe""#, "encryptAppData", "has no effect in a policy for iOS"),
      (
        ##""assignments": [{"target": {"@odata.type": "#x.futureTarget"}}]"##, "assignments",
        "a target of an unknown type"
      ),
    ])
  func misfit(members: String, member: String, text: String) throws {
    folder.write("{}", to: "tenant.json")
    folder.write("{\(members), \(Self.ios)}", to: "policies/a.json")
    let tenant = try read()
    #expect(tenant.policies[0].settings[.pinRequired] == .bool(true))
    #expect(tenant.warnings.map(\.member) == [member], "\(tenant.warnings)")
    #expect(tenant.warnings[0].text.contains(text), "\(tenant.warnings)")
  }

  private static let ios = ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true"##
  private static let configuration = ##"""
    "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "customSettings": [{"name": "k", "value": "v"}]
    """##
}
