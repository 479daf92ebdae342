import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

@Suite struct TenantCheckTests {
  let folder = TemporaryFolder()

  /// A folder of which nothing is to be said: alice in staff, and one policy for staff.
  init() {
    write()
    policy(#""pinRequired": true"#)
  }

  private func write(
    users: String = #"{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]}"#,
    assignments: String = #"{"policy": "policies/ios.json", "groups": ["staff"]}"#, more: String = ""
  ) {
    folder.write(#"{"users": [\#(users)], "assignments": [\#(assignments)]\#(more)}"#, to: "tenant.json")
  }

  private func policy(_ members: String) {
    folder.write("{\(Self.type), \"id\": \"T_1\", \"displayName\": \"Policy\", \(members)}", to: "policies/ios.json")
  }

  private static let type = ##""@odata.type": "#microsoft.graph.iosManagedAppProtection""##

  private func findings() throws -> [TenantFinding] { try TenantCheck(folder: folder.path).findings }

  private func expect(_ kind: TenantFinding.Kind, _ line: String, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let findings = try findings()
    #expect(findings.map(\.kind) == [kind], sourceLocation: sourceLocation)
    let isNamed = findings.first?.line.contains(line) == true
    #expect(isNamed, "\(findings.map(\.line))", sourceLocation: sourceLocation)
  }

  @Test("A check of a correct folder has no findings and lists the policies a check-in would deliver")
  func inOrder() throws {
    let check = try TenantCheck(folder: folder.path)
    #expect(check.findings == [])
    let shares = try #require(check.shares(of: nil, in: nil, on: nil))
    #expect(shares.map(\.platform) == [.ios, .android])
    #expect(shares.map(\.app) == [.other, .other])
    #expect(shares.map { $0.policies.map(\.id) } == [["T_1"], []])
    #expect(
      check.shares(of: "ALICE@contoso.example", in: "com.example.mail", on: .ios)?.map(\.app.text) == [
        "com.example.mail"
      ])
    #expect(check.shares(of: "eve@contoso.example", in: nil, on: nil) == nil)
  }

  @Test("A check shows a policy for core Microsoft apps without a list in one of these apps")
  func coreApps() throws {
    write(assignments: "")
    policy(#""pinRequired": true, "appGroupType": "allCoreMicrosoftApps""#)
    try expect(.ignored, "appGroupType: the export lists no apps")
    let shares = try #require(try TenantCheck(folder: folder.path).shares(of: nil, in: nil, on: .ios))
    #expect(
      shares.map { "\($0.app.text) \($0.policies.map(\.id))" } == [
        #"com.microsoft.office.outlook ["T_1"]"#, "com.microsoft.* []", "* []",
      ])
  }

  @Test(
    "A check finds contradictory, unreadable or ineffective settings in a policy",
    arguments: [
      (
        #""surprise": false, "pinRequired": true"#, .ignored, "policies/ios.json: surprise: is not known and is ignored"
      ),
      (
        #""surprise": 1, "pinRequired": true"#, .unknownRestriction,
        "ios.json: surprise: is not known, so its value 1 has no effect"
      ),
      (
        #""encryptAppData": true, "pinRequired": true"#, .otherPlatform,
        "encryptAppData: has no effect in a policy for iOS"
      ),
      (
        #""saveAsBlocked": true, "allowedOutboundDataTransferDestinations": "allApps""#, .voidSetting,
        "T_1: saveAsBlocked: has no effect, because allowedOutboundDataTransferDestinations is allApps"
      ),
      (#""minimumPinLength": "long""#, .unreadable, "policies/ios.json: minimumPinLength: must be a whole number"),
      (
        #""SaveAsBlocked": true, "PinRequired": true"#, .unreadable,
        "policies/ios.json: SaveAsBlocked: is not known; did you mean saveAsBlocked? Until it is fixed, every check-in"
      ),
      (#""saveAsBloked": true"#, .unreadable, "did you mean saveAsBlocked?"),
      (#""description": "none""#, .unreadable, "it has no setting of iosManagedAppProtection. Until it is fixed"),
      (#""managedBrowser": 7"#, .ignored, "policies/ios.json: managedBrowser"),
      (#""DisplayName": "Spelled", "pinRequired": true"#, .ignored, "policies/ios.json: DisplayName: is not known"),
      (
        #""exemptedAppProtocols": [{"name": "Default", "value": "skype;com.apple.Maps;"}]"#, .bundleIdAmongSchemes,
        "policies/ios.json: T_1: exemptedAppProtocols: \"com.apple.Maps\""
      ),
      (
        #""customBrowserProtocol": "org.example.Browser", "managedBrowserToOpenLinksRequired": true"#,
        .bundleIdAmongSchemes, "customBrowserProtocol"
      ),
      (
        #""dialerRestrictionLevel": "blocked", "exemptedAppProtocols": [{"name": "Default", "value": "skype; Tel:"}]"#,
        .exemptionWins, "exemptedAppProtocols"
      ),
      (
        #""protectedMessagingRedirectAppType": "blocked", "exemptedAppProtocols": [{"name": "x", "value": "sms"}]"#,
        .exemptionWins, "exemptedAppProtocols"
      ),
      (
        #""minimumRequiredOsVersion": "15.0", "minimumWipeOsVersion": "16""#, .unreachableAction,
        "minimumWipeOsVersion: 16 is not below minimumRequiredOsVersion (15.0)"
      ),
      (
        #""minimumWarningAppVersion": "2", "minimumWipeAppVersion": "2.0""#, .unreachableAction, "minimumWipeAppVersion"
      ),
      (
        #""maximumRequiredOsVersion": "18", "maximumWipeOsVersion": "17""#, .unreachableAction,
        "maximumWipeOsVersion: 17 is not above maximumRequiredOsVersion (18)"
      ),
      (
        #""periodOfflineBeforeAccessCheck": "P90D", "periodOfflineBeforeWipeIsEnforced": "P30D""#, .unreachableAction,
        "periodOfflineBeforeWipeIsEnforced: P30D"
      ),
      (
        #""minimumRequiredOsVersion": "17", "maximumRequiredOsVersion": "16""#, .impossibleVersion,
        "minimumRequiredOsVersion"
      ),
    ] as [(String, TenantFinding.Kind, String)])
  func withinPolicy(members: String, kind: TenantFinding.Kind, line: String) throws {
    policy(members)
    try expect(kind, line)
  }

  @Test(
    "A check has no findings for reasonable combinations of settings",
    arguments: [
      #""minimumWarningOsVersion": "16", "minimumRequiredOsVersion": "15", "minimumWipeOsVersion": "14""#,
      #""maximumWarningOsVersion": "16", "maximumRequiredOsVersion": "17", "maximumWipeOsVersion": "18""#,
      #""minimumRequiredOsVersion": "15", "maximumRequiredOsVersion": "18", "minimumWipeOsVersion": "0.0""#,
      #""periodOfflineBeforeAccessCheck": "PT720M", "periodOfflineBeforeWipeIsEnforced": "P90D""#,
      #""exemptedAppProtocols": [{"name": "Default", "value": "skype;app-settings;itms-apps;"}]"#,
      #""dialerRestrictionLevel": "allApps", "exemptedAppProtocols": [{"name": "Default", "value": "tel;sms"}]"#,
      #""dialerRestrictionLevel": "blocked", "exemptedAppProtocols": [{"name": "Default", "value": "skype;itms"}]"#,
      #""customBrowserProtocol": "", "exemptedAppProtocols": null, "roleScopeTagIds": ["0"], "printBlocked": false"#,
      ##""pinRequired": true, "apps@odata.context": "x", "#microsoft.graph.assign": {}"##,
    ])
  func fine(members: String) throws {
    policy(members)
    #expect(try findings() == [])
  }

  @Test(
    "A check finds an app configuration key in the channel in which it has no effect",
    arguments: [
      ("IntuneMAMUPN", true), ("IntuneMAMOID", true), ("IntuneMAMDeviceID", true),
      ("IntuneMAMAllowedAccountsOnly", true), ("IntuneMAMRequireAccounts", true),
      ("com.microsoft.intune.mam.AllowedAccountUPNs", true), ("com.microsoft.intune.mam.screencapturecontrol", false),
      ("com.microsoft.intune.myappstore", false),
    ])
  func channels(key: String, isOfDevice: Bool) throws {
    let type = ##""@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1""##
    let configuration = #"{\#(type), "displayName": "A", "customSettings": [{"name": "\#(key)", "value": "x"}]}"#
    folder.write(configuration, to: "configurations/a.json")
    if isOfDevice {
      try expect(.keyInWrongChannel, "configurations/a.json: A_1: \(key): has no effect")
    } else {
      #expect(try findings() == [])
    }
    folder.write(#"{\#(type), "customSettings": [{"name": "own", "value": "x"}]}"#, to: "configurations/a.json")
    write(more: #", "mdm": {"user": "alice@contoso.example", "appConfig": {"\#(key)": "x", "own": "y"}}"#)
    if isOfDevice {
      #expect(try findings() == [])
    } else {
      try expect(.keyInWrongChannel, "tenant.json: mdm/appConfig/\(key): has no effect")
    }
  }

  @Test("A check finds overlapping assignments of the same policy")
  func overlap() throws {
    let both =
      #"{"policy": "policies/ios.json", "groups": ["staff"]}, {"policy": "policies/ios.json", "groups": ["*"]}"#
    write(assignments: both)
    try expect(.overlappingAssignments, "tenant.json: assignments/1: assigns policies/ios.json")
    let apart =
      #"{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["a"]}, "#
      + #"{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["b"]}"#
    write(assignments: apart)
    #expect(try findings() == [])
  }

  @Test("A check finds policies that are merged for a user")
  func merged() throws {
    folder.write(
      #"{\#(Self.type), "id": "T_2", "displayName": "Other", "pinRequired": true}"#, to: "policies/other.json")
    try expect(.mergedPolicies, "the policies T_1, T_2 are merged for alice@contoso.example")
  }

  @Test("A check finds a policy that applies to nobody and names the nearest reason")
  func nobody() throws {
    folder.write(
      ##"{\##(Self.type), "id": "T_2", "pinRequired": true, "assignments": [{"target": {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "staff"}}], "targetedAppManagementLevels": "mdm"}"##,
      to: "policies/other.json")
    try expect(
      .policyForNobody, "policies/other.json: T_2: applies to nobody, because it is for devices that are managed")
  }

  @Test("A check finds a group without users in tenant.json or an export")
  func groups() throws {
    write(assignments: #"{"policy": "policies/ios.json", "groups": ["staff", "guests"]}"#)
    try expect(.unknownGroup, "tenant.json: assignments/0/groups: no user is in the group guests")
    write(assignments: "")
    policy(
      ##""pinRequired": true, "assignments": [{"target": {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "STAFF"}}, {"target": {"@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "groupId": "guests"}}]"##
    )
    try expect(.unknownGroup, "policies/ios.json: T_1: assignments: no user is in the group guests")
  }

  @Test("A check finds a user without a policy, unless the user has no license")
  func withoutPolicy() throws {
    let users = #"{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]}, "#
    write(users: users + #"{"userPrincipalName": "bob@contoso.example"}"#)
    try expect(.userWithoutPolicy, "bob@contoso.example gets no policy in any app")
    let others = ["bob", "carol", "dave", "eve"].map { #"{"userPrincipalName": "\#($0)@contoso.example"}"# }
    write(users: users + others.joined(separator: ", "))
    try expect(
      .userWithoutPolicy,
      "users: bob@contoso.example, carol@contoso.example, dave@contoso.example and 1 more get no policy in any app")
    write(users: users + #"{"userPrincipalName": "bob@contoso.example", "licensed": false}"#)
    #expect(try findings() == [])
    let share = try TenantCheck(folder: folder.path).shares(of: "bob@contoso.example", in: nil, on: .ios)?.first
    #expect(share?.obstacle == "the user has no license")
    #expect(share?.policies.isEmpty == true)
  }

  @Test("A check finds an operation for a user that the tenant does not list")
  func users() throws {
    write(more: #", "operations": [{"type": "wipe", "app": "*", "user": "eve@contoso.example"}]"#)
    try expect(
      .unknownUser,
      "tenant.json: operations/0/user: the tenant does not list the user eve@contoso.example; nobody carries out")
    write(more: #", "operations": [{"type": "wipe", "app": "*", "user": "99d349ed-44d7-43e1-9a83-5f2406dee5bd"}]"#)
    try expect(.unknownUser, "99d349ed-44d7-43e1-9a83-5f2406dee5bd; only a tenant service wipes")
  }

  @Test("A user name belongs to the user who is not deleted; a check finds a name that two of them share")
  func sharedName() throws {
    let ids = (1...3).map { "99d349ed-44d7-43e1-9a83-5f2406dee5b\($0)" }
    func user(_ index: Int, _ more: String = "") -> String {
      #"{"id": "\#(ids[index])", "userPrincipalName": "\#(index == 1 ? "alice" : "Alice")@contoso.example", "#
        + #""groups": ["staff"]\#(more)}"#
    }
    let deleted = #", "deleted": true"#
    write(users: [user(0, deleted), user(1), user(2, deleted)].joined(separator: ", "))
    #expect(try findings() == [])
    let tenant = try FolderTenant(path: folder.path).read()
    #expect(tenant.user(for: "alice@contoso.example")?.id == ids[1])
    #expect(ids.allSatisfy { tenant.user(for: AccountReference($0))?.id == $0 })
    write(users: user(0, deleted))
    #expect(try FolderTenant(path: folder.path).read().user(for: "alice@contoso.example")?.id == ids[0])
    write(users: [user(0), user(1), user(2, deleted)].joined(separator: ", "))
    try expect(.sharedName, "alice@contoso.example is the name of \(ids[0]) and of \(ids[1])")
  }

  @Test(
    "A check finds files that are not read",
    arguments: ["stray.json", "policies/notes.txt", "policies/old/ios.json", "configurations/x.yaml"])
  func notRead(name: String) throws {
    folder.write("{}", to: name)
    try expect(.fileNotRead, name + ": is not read")
  }

  @Test("A check ignores hidden files and files that do not belong to the tenant")
  func otherFiles() throws {
    for name in ["README.md", ".git/config.json", "policies/.swp"] { folder.write("{", to: name) }
    #expect(try findings() == [])
  }

  @Test("A check reports a damaged file as a finding, but a missing folder as an error")
  func damaged() throws {
    folder.write("{", to: "policies/ios.json")
    try expect(.unreadable, "policies/ios.json: ")
    let check = try TenantCheck(folder: folder.path)
    for user in [nil, "alice@contoso.example", "eve@contoso.example"] as [AccountReference?] {
      #expect(check.shares(of: user, in: nil, on: nil)?.isEmpty == true)
    }
    #expect(throws: TenantError.self) { try TenantCheck(folder: folder.file("gone")) }
    folder.write(##"{"@odata.type": "#microsoft.graph.iosManagedAppProtecton"}"##, to: "policies/ios.json")
    try expect(
      .unreadable,
      "did you mean #microsoft.graph.iosManagedAppProtection? Until it is fixed, every check-in fails with status 206")
  }
}
