import JSON
import Model
import Testing

@testable import Policy
@testable import Tenancy

@Suite struct AssignmentFilterTests {
  static let id = "33333333-0000-4000-8000-00000000000A"

  static func filter(
    _ rule: String = #"(app.deviceManagementType -eq \"Unmanaged\")"#, id: String = id, name: String = "Unmanaged",
    more: String = #""platform": "iOSMobileApplicationManagement""#
  ) -> String {
    #"{"id": "\#(id)", "displayName": "\#(name)", "rule": "\#(rule)", \#(more)}"#
  }

  static func target(_ members: String, type: String = "allLicensedUsers") -> String {
    ##"{"target": {"@odata.type": "#microsoft.graph.\##(type)AssignmentTarget", \##(members)}}"##
  }

  static func named(_ type: String, id: String = id) -> String {
    let member = "deviceAndAppManagementAssignmentFilter"
    return #""\#(member)Id": "\#(id)", "\#(member)Type": \#(type)"#
  }

  static func tenant(
    _ filters: [String: String], _ targets: String..., mdm: String? = nil, kind: String = "ios"
  ) throws -> TenantSnapshot {
    let settings = """
      "minimumWipeOsVersion": "16.0", "minimumRequiredOsVersion": "15.0", "periodOfflineBeforeWipeIsEnforced": "P90D",
      "appActionIfUnableToAuthenticateUser": "wipe", "pinRequired": true
      """
    let assignments = targets.joined(separator: ", ")
    let mdm = mdm.map { #", "mdm": {"user": "\#($0)"}"# } ?? ""
    var texts = [
      "tenant.json":
        #"{"users": [{"userPrincipalName": "alice@contoso.example"}, {"userPrincipalName": "bob@contoso.example"}]\#(mdm)}"#,
      "policies/p.json":
        ##"{"@odata.type": "#microsoft.graph.\##(kind)ManagedAppProtection", "id": "P", \##(settings), "assignments": [\##(assignments)]}"##,
      "configurations/c.json":
        ##"{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "C", "customSettings": [{"name": "k", "value": "v"}], "assignments": [\##(assignments)]}"##,
    ]
    for (name, text) in filters { texts["filters/\(name)"] = text }
    return try TenantFileSet(texts: texts).read()
  }

  private static func targeting(
    _ tenant: TenantSnapshot, _ type: ManagementType = .notReported, on platform: DevicePlatform = .ios, user: Int = 0
  ) -> Targeting {
    tenant.targeting(
      of: tenant.users[user], app: "com.example.app", platform: platform, on: FilterDevice(managementType: type))
  }

  private static func reasons(_ targeting: Targeting) -> [TargetingReason] { targeting.considered.map(\.reason) }

  @Test(
    "An assignment filter includes or excludes devices by how they are managed",
    arguments: [
      (#""include""#, ManagementType.notReported, TargetingReason.applies), (#""INCLUDE""#, .unmanaged, .applies),
      (#""include""#, .managed, .filteredOut), (#""exclude""#, .notReported, .filteredOut),
      (#""exclude""#, .managed, .applies), (#""none""#, .managed, .applies), ("1", .managed, .filteredOut),
      ("2", .managed, .applies), ("0", .managed, .applies),
    ])
  func modes(type: String, device: ManagementType, reason: TargetingReason) throws {
    let tenant = try Self.tenant(["all.json": "[\(Self.filter())]"], Self.target(Self.named(type)))
    let targeting = Self.targeting(tenant, device)
    #expect(Self.reasons(targeting) == [reason, reason])
    #expect(targeting.policies.first?.settings[.minimumWipeOsVersion] != nil || reason == .filteredOut)
    #expect(tenant.warnings == [])
  }

  @Test("For filters, a device is managed only for the user named by mdm in tenant.json")
  func managedUser() throws {
    let filters = ["a.json": Self.filter(more: #""platform": null"#)]
    let tenant = try Self.tenant(filters, Self.target(Self.named(#""include""#)), mdm: "alice@contoso.example")
    #expect(Self.reasons(Self.targeting(tenant)) == [.filteredOut, .filteredOut])
    #expect(Self.reasons(Self.targeting(tenant, user: 1)) == [.applies, .applies])
    #expect(Self.reasons(Self.targeting(tenant, .unmanaged)) == [.applies, .applies])
  }

  @Test(
    "A filter file has one filter, a list or an answer of Graph, and filter ids ignore case",
    arguments: [filter(), "[\(filter())]", #"{"value": [\#(filter())]}"#, "\u{FEFF}[\(filter()), \(filter())]"])
  func forms(text: String) throws {
    let tenant = try Self.tenant(["f.json": text], Self.target(Self.named(#""include""#, id: Self.id.lowercased())))
    #expect(Self.reasons(Self.targeting(tenant, .managed)) == [.filteredOut, .filteredOut])
    #expect(tenant.warnings == [])
  }

  static let unusable: [(name: String, filters: [String: String], target: String, cause: String)] = [
    ("missing", [:], named(#""include""#), "is missing"), ("missing", [:], named(#""exclude""#), "is missing"),
    ("not a rule", ["f.json": filter("app.x")], named(#""include""#), "column 1"),
    ("device", ["f.json": filter(#"(device.model -eq \"x\")"#)], named(#""include""#), "column 2"),
    (
      "typing error", ["f.json": filter(#"(app.deviceManagementType -eq \"Unmanagd\")"#)], named(#""include""#),
      "column 31"
    ),
    ("no rule", ["f.json": #"{"id": "\#(id)"}"#], named(#""include""#), "no rule"),
    ("null", ["f.json": #"{"id": "\#(id)", "rule": null}"#], named(#""exclude""#), "no rule"),
    (
      "of devices", ["f.json": filter(more: #""assignmentFilterManagementType": "devices""#)], named(#""include""#),
      "not for managed apps"
    ),
    (
      "another platform", ["f.json": filter(more: #""platform": "androidMobileApplicationManagement""#)],
      named(#""include""#), "for another platform"
    ),
    (
      "unknown platform", ["f.json": filter(more: #""platform": "iOS""#)], named(#""exclude""#), "for another platform"
    ),
    ("no word as platform", ["f.json": filter(more: #""platform": 5"#)], named(#""include""#), "for another platform"),
    (
      "twice for two platforms",
      ["a.json": filter(), "b.json": filter(more: #""platform": "androidMobileApplicationManagement""#)],
      named(#""include""#), "same id"
    ),
    ("twice", ["f.json": "[\(filter()), \(filter("(app.osVersion -eq 1)"))]"], named(#""include""#), "same id"),
    ("unknown type", ["f.json": filter()], named(#""inclued""#), "includes or excludes"),
    ("null type", ["f.json": filter()], named("null"), "includes or excludes"),
    ("wrong type", ["f.json": filter()], named("true"), "includes or excludes"),
    ("no id", ["f.json": filter()], named(#""include""#, id: ""), "does not name"),
    (
      "zero id", ["f.json": filter()], named(#""exclude""#, id: "00000000-0000-0000-0000-000000000000"), "does not name"
    ),
  ]

  @Test(
    "A protection policy with an unusable filter applies unfiltered and blocks instead of wiping",
    arguments: unusable.indices)
  func unusableFilters(index: Int) throws {
    let row = Self.unusable[index]
    let tenant = try Self.tenant(row.filters, Self.target(row.target))
    for type in [ManagementType.unmanaged, .managed] {
      let targeting = Self.targeting(tenant, type)
      #expect(Self.reasons(targeting) == [.appliesUnfiltered, .filterUnknown], "\(row.name)")
      let policy = try #require(targeting.policies.first)
      #expect(
        policy.settings[.minimumWipeOsVersion] == nil && policy.settings[.periodOfflineBeforeWipeIsEnforced] == nil)
      #expect(policy.settings[.minimumRequiredOsVersion]?.versionValue == VersionNumber("16.0"))
      #expect(policy.settings[.appActionIfUnableToAuthenticateUser] == .word("block"))
      #expect(policy.settings[.pinRequired] == .bool(true))
      #expect(policy.filterNote?.contains("blocks where it would wipe") == true)
      #expect(targeting.configurations.isEmpty)
      #expect(try PolicyDocument(stored: policy.encoded) == policy)
    }
    #expect(tenant.warnings.contains { $0.text.contains(row.cause) }, "\(tenant.warnings)")
    #expect(tenant.warnings.contains { $0.text.contains("blocks where it would wipe") })
  }

  @Test("A filter for another platform or on an unreported property leaves the policy unfiltered")
  func undecided() throws {
    let android = Self.filter(more: #""platform": "androidMobileApplicationManagement""#)
    let model = Self.filter(#"(app.deviceModel -eq \"x\")"#)
    for filter in [android, model] {
      let tenant = try Self.tenant(["f.json": filter], Self.target(Self.named(#""include""#)))
      #expect(Self.reasons(Self.targeting(tenant)) == [.appliesUnfiltered, .filterUnknown])
    }
  }

  @Test("A policy applies if one of its assignments has no filter or a filter that matches")
  func several() throws {
    let filters = ["f.json": Self.filter()]
    let (include, missing) = (Self.named(#""include""#), Self.named(#""include""#, id: "x"))
    let plain = Self.named(#""none""#)
    let rows: [([String], TargetingReason)] = [
      ([include, plain], .applies), ([missing, plain], .applies), ([missing, include], .appliesUnfiltered),
      ([Self.named(#""exclude""#), missing], .applies),
    ]
    for (members, reason) in rows {
      let targets = members.map { Self.target($0) }
      let tenant = try Self.tenant(filters, targets.joined(separator: ","))
      #expect(Self.targeting(tenant, .managed).considered.first?.reason == reason, "\(members)")
    }
  }

  @Test("An assignment in tenant.json replaces the filters of the export")
  func assigned() throws {
    var tenant = try Self.tenant([:], Self.target(Self.named(#""include""#)))
    tenant.assignments = [TenantAssignment(file: "policies/p.json", groups: ["*"], apps: ["*"])]
    #expect(Self.targeting(tenant).considered.first?.reason == .applies)
    #expect(!tenant.targetingWarnings.contains { $0.source == "policies/p.json" })
  }

  @Test("A check lists a user's policies for managed and unmanaged devices if a filter compares them")
  func shares() throws {
    let tenant = try Self.tenant(["f.json": Self.filter()], Self.target(Self.named(#""include""#)))
    let shares = tenant.shares(of: tenant.users[0]).filter { $0.platform == .ios }
    #expect(shares.map(\.managementType) == [.unmanaged, .managed])
    #expect(shares.map { $0.policies.map(\.id) } == [["P"], []])
  }

  @Test("A policy written back to its JSON object is read as the same policy")
  func written() throws {
    let tenant = try Self.tenant([:], Self.target(Self.named(#""include""#)))
    let policy = try #require(Self.targeting(tenant).policies.first)
    let object = policy.written(over: tenant.policyObjects[0], of: tenant.policies[0])
    var warnings: [PolicyWarning] = []
    let read = try PolicyDocument(
      graph: object, kind: .ios, source: policy.source, fallbackID: "x", warnings: &warnings)
    #expect(read == policy)
    #expect(warnings == [])
  }

  @Test("A policy for core Microsoft apps without a list is a finding unless tenant.json assigns it")
  func coreApps() throws {
    let texts = [
      "tenant.json": "{}",
      "policies/p.json": ##"""
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "P", "pinRequired": true,
       "appGroupType": "allCoreMicrosoftApps"}
      """##,
    ]
    let warnings = try TenantFileSet(texts: texts).read().warnings
    #expect(warnings.map(\.member) == ["appGroupType"])
    #expect(warnings[0].text.contains(CoreMicrosoftApps.date))
    var assigned = texts
    assigned["tenant.json"] = #"{"assignments": [{"policy": "policies/p.json"}]}"#
    #expect(try TenantFileSet(texts: assigned).read().warnings == [])
  }
}
