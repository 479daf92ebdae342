import JSON
import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

@Suite struct TargetingTests {
  struct Row: Sendable {
    let export: String
    var assignments: [TenantAssignment] = []
    var app = "com.example.mail"
    var level = AppManagementLevel.unmanaged
    let reason: TargetingReason

    init(
      _ export: String, _ reason: TargetingReason, assigned assignments: [(groups: [String], apps: [String])] = [],
      app: String = "com.example.mail", level: AppManagementLevel = .unmanaged
    ) {
      self.export = export
      self.reason = reason
      self.assignments = assignments.map { TenantAssignment(file: "policy", groups: $0.groups, apps: $0.apps) }
      self.app = app
      self.level = level
    }
  }

  private static func group(_ id: String, exclusion: Bool = false) -> String {
    let type = exclusion ? "exclusionGroupAssignmentTarget" : "groupAssignmentTarget"
    return ##"{"target": {"@odata.type": "#microsoft.graph.\##(type)", "groupId": "\##(id)"}}"##
  }
  private static let everybody = ##"{"target": {"@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}}"##
  private static let mailApp = #""apps": [{"mobileAppIdentifier": {"bundleId": "com.example.MAIL"}}]"#

  private static func apps(_ names: String...) -> String {
    let apps = names.map { ##"{"mobileAppIdentifier": {"bundleId": "\##($0)"}}"## }
    return #""apps": [\#(apps.joined(separator: ", "))]"#
  }

  static let rows = [
    Row("{}", .applies), Row(#"{"isAssigned": false}"#, .applies),
    Row("{\"assignments\": [\(group("staff"))]}", .applies), Row("{\"assignments\": [\(group("STAFF"))]}", .applies),
    Row("{\"assignments\": [\(group("other"))]}", .noGroup), Row(#"{"assignments": []}"#, .noAssignment),
    Row("{\"assignments\": [\(group("other")), \(group("staff"))]}", .applies),
    Row("{\"assignments\": [\(everybody)]}", .applies),
    Row(
      ##"{"assignments": [{"target": {"@odata.type": "#microsoft.graph.AllLicensedUsersAssignmentTarget"}}]}"##,
      .applies),
    Row("{\"assignments\": [\(everybody), \(group("staff", exclusion: true))]}", .excludedGroup),
    Row("{\"assignments\": [\(group("other", exclusion: true)), \(group("staff"))]}", .applies),
    Row("{\"assignments\": [\(group("other", exclusion: true))]}", .noGroup),
    Row("{\(mailApp)}", .applies), Row("{\(mailApp)}", .otherApp, app: "com.example.files"),
    Row("{\(mailApp), \"appGroupType\": \"selectedPublicApps\"}", .applies),
    Row("{\(mailApp), \"appGroupType\": \"allApps\"}", .applies, app: "com.example.files"),
    Row("{\(mailApp), \"appGroupType\": 4}", .applies, app: "com.example.files"),
    Row("{\(mailApp), \"appGroupType\": \"allMicrosoftApps\"}", .applies),
    Row(#"{"appGroupType": "allMicrosoftApps"}"#, .applies, app: "com.microsoft.powerbimobile"),
    Row(#"{"appGroupType": "allMicrosoftApps"}"#, .otherApp, app: "com.microsoftish"),
    Row("{\(apps("wefwef", "com.yammer.v1")), \"appGroupType\": \"allMicrosoftApps\"}", .applies, app: "Wefwef"),
    Row("{\(apps("com.yammer.v1")), \"appGroupType\": 2}", .applies, app: "com.yammer.v1"),
    Row("{\(apps("com.yammer.v1")), \"appGroupType\": 2}", .applies, app: "com.microsoft.newapp"),
    Row("{\(apps("com.yammer.v1")), \"appGroupType\": \"allMicrosoftApps\"}", .otherApp, app: "com.yammer"),
    Row("{\(apps("com.yammer.v1")), \"appGroupType\": \"allCoreMicrosoftApps\"}", .applies, app: "com.yammer.v1"),
    Row(
      "{\(apps("com.yammer.v1")), \"appGroupType\": \"allCoreMicrosoftApps\"}", .otherApp,
      app: "com.microsoft.office.outlook"),
    Row(#"{"appGroupType": "allCoreMicrosoftApps"}"#, .applies, app: "com.microsoft.skype.teams"),
    Row(#"{"appGroupType": "allCoreMicrosoftApps", "apps": []}"#, .applies, app: "com.microsoft.Office.Outlook"),
    Row(#"{"appGroupType": 1, "apps": null}"#, .applies, app: "com.microsoft.msedge"),
    Row(#"{"appGroupType": "allCoreMicrosoftApps"}"#, .otherApp, app: "com.microsoft.powerbimobile"),
    Row(#"{"appGroupType": "allCoreMicrosoftApps"}"#, .otherApp, app: "com.microsoft.emmx"),
    Row(#"{"appGroupType": "allCoreMicrosoftApps"}"#, .otherApp, app: "com.microsoftish"),
    Row(#"{"appGroupType": "selectedPublicApps"}"#, .noApps), Row(#"{"apps": []}"#, .otherApp),
    Row(#"{"targetedAppManagementLevels": "unspecified"}"#, .applies),
    Row(#"{"targetedAppManagementLevels": "mdm,androidEnterprise"}"#, .otherManagementLevel),
    Row(#"{"targetedAppManagementLevels": "mdm,androidEnterprise"}"#, .applies, level: .mdm),
    Row(#"{"targetedAppManagementLevels": 3}"#, .applies, level: .unmanaged),
    Row("{\"assignments\": [\(group("other"))]}", .applies, assigned: [(["staff"], ["*"])]),
    Row(#"{"appGroupType": "allMicrosoftApps"}"#, .applies, assigned: [(["*"], ["com.example.mail"])]),
    Row("{}", .noGroup, assigned: [(["other"], ["*"])]),
    Row("{}", .otherApp, assigned: [(["staff"], ["com.example.files"])]),
    Row("{}", .otherApp, assigned: [(["staff"], ["com.example.files"]), (["other"], ["com.example.mail"])]),
    Row("{}", .applies, assigned: [(["staff"], ["com.example.files"]), (["Staff"], ["COM.example.mail"])]),
    Row("{}", .noGroup, assigned: [([], ["*"])]),
    Row(#"{"targetedAppManagementLevels": "mdm"}"#, .otherManagementLevel, assigned: [(["*"], ["*"])]),
  ]

  static let user = TenantUser(
    id: "87d349ed-44d7-43e1-9a83-5f2406dee5bd", userPrincipalName: "alice@contoso.example", displayName: "Alice",
    mail: nil, isLicensed: true, isEnabled: true, groups: ["staff"], clock: nil)

  @Test("A policy reaches a user by groups, apps and management level, and a miss names its reason", arguments: rows)
  func targets(row: Row) throws {
    var tenant = TenantSnapshot()
    tenant.policies = [try PolicyDocument.of("policy", .ios, row.export)]
    tenant.assignments = row.assignments
    let targeting = tenant.targeting(of: Self.user, app: row.app, platform: .ios, managementLevel: row.level)
    #expect(targeting.considered == [Targeting.Considered(policyID: "policy", reason: row.reason)])
    #expect(targeting.policies.count == (row.reason == .applies ? 1 : 0))
  }

  @Test(
    "Management levels of a policy match what the host reports, or else what the tenant knows",
    arguments: [
      (ManagementType.notReported, AppManagementLevel.mdm, DevicePlatform.ios, ["mdm"]),
      (.notReported, .mdm, .android, ["mdm", "androidEnterprise"]), (.notReported, .unmanaged, .android, ["unmanaged"]),
      (.unmanaged, .mdm, .ios, ["unmanaged"]), (.managed, .unmanaged, .ios, ["mdm"]),
      (.androidEnterprise, .unmanaged, .android, ["androidEnterprise"]),
      (.androidDeviceAdministrator, .mdm, .android, ["mdm"]), (.fullyManaged, .mdm, .android, ["androidEnterprise"]),
      (.aospUserless, .mdm, .android, ["androidOpenSourceProjectUserless"]),
      (
        .dedicatedWithSharedMode, .mdm, .android, ["androidEnterpriseDedicatedDevicesWithAzureAdSharedMode"]
      ),
    ])
  func levels(type: ManagementType, known: AppManagementLevel, platform: DevicePlatform, selected: [String]) throws {
    var tenant = TenantSnapshot()
    let levels = AppManagementLevel.allCases.filter { $0 != .unspecified }.map(\.rawValue)
    tenant.policies = try levels.map { level in
      try PolicyDocument.of(level, platform.policyKind, #"{"targetedAppManagementLevels": "\#(level)"}"#)
    }
    let targeting = tenant.targeting(
      of: Self.user, app: "x", platform: platform, managementLevel: known, on: FilterDevice(managementType: type))
    #expect(Set(targeting.policies.map(\.id)) == Set(selected))
  }

  @Test("A targeted policy hides the default policy of the user, but not its app configuration")
  func defaults() throws {
    var tenant = TenantSnapshot()
    tenant.policies = [
      try PolicyDocument.of("G", .default, #"{"customSettings": [{"name": "k", "value": "v"}]}"#),
      try PolicyDocument.of("T", .ios, "{}"), try PolicyDocument.of("U", .android, "{}"),
    ]
    let targeting = tenant.targeting(of: Self.user, app: "com.example.mail", platform: .ios)
    #expect(targeting.policies.map(\.id) == ["T"])
    #expect(targeting.defaults.map(\.id) == ["G"])
    #expect(targeting.considered.map(\.reason) == [.hiddenByTargeted, .applies, .otherPlatform])
    #expect(tenant.appConfig(of: Self.user, targeting).string("k", .any) == "v")
    tenant.assignments = [TenantAssignment(file: "T", groups: ["other"], apps: ["*"])]
    #expect(tenant.targeting(of: Self.user, app: "x", platform: .ios).policies.map(\.id) == ["G"])
  }

  @Test("A policy dumped from a device applies to nobody until tenant.json assigns it")
  func deviceDictionary() {
    var tenant = TenantSnapshot()
    tenant.policies = [
      PolicyDocument(id: "d", kind: .ios, source: "d", targeting: PolicyTargeting(needsAssignment: true))
    ]
    #expect(tenant.targeting(of: Self.user, app: "x", platform: .ios).considered.map(\.reason) == [.noAssignment])
    tenant.assignments = [TenantAssignment(file: "d", groups: ["*"], apps: ["*"])]
    #expect(tenant.targeting(of: Self.user, app: "x", platform: .ios).policies.count == 1)
  }

  @Test("Every targeting reason has its own text")
  func texts() {
    #expect(Set(TargetingReason.allCases.map(\.text)).count == TargetingReason.allCases.count)
  }
}
