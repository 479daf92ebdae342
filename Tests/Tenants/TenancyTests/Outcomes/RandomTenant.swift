import TestSupport

@testable import Model
@testable import Policy
@testable import Tenancy

/// Tenants of a few users, groups, apps and policies, in which all that targeting looks at occurs.
struct RandomTenant {
  private static let groups = ["staff", "Guests", "sales", "ops", "*"]
  private static let apps = ["com.example.mail", "com.example.Files", "com.microsoft.teams", "com.microsoft.other"]
  private static let filterIDs = ["F_managed", "F_model", "F_broken", "F_missing"]

  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(state: seed)
  }

  mutating func make() -> TenantSnapshot {
    var tenant = TenantSnapshot()
    for filter in Self.filters { tenant.filters.add(filter) }
    tenant.users = TenantUsers((0..<number(30)).map { user($0) })
    tenant.policies = (0..<number(7)).map { policy($0) }
    tenant.configurations = (0..<number(3)).map { index in
      ConfigurationDocument(
        id: "A_\(index)", displayName: "A \(index)", source: "configurations/\(number(3)).json",
        targeting: targeting(), customSettings: [])
    }
    for _ in 0..<number(4) {
      let folder = isChosen(3) ? "configurations" : "policies"
      tenant.assignments.append(
        TenantAssignment(file: "\(folder)/\(number(4)).json", groups: some(Self.groups), apps: some(Self.apps + ["*"])))
    }
    if isChosen(3) {
      tenant.mdm = MDMEnrollment(user: AccountReference("user\(number(5))@contoso.example"), appConfig: ["key": "x"])
    }
    if isChosen(3) {
      tenant.allowedAccounts = (0..<number(3)).map { _ in AccountReference("USER\(number(9))@contoso.example") }
    }
    return tenant
  }

  private static var filters: [AssignmentFilter] {
    let rules = [
      "(app.deviceManagementType -eq \"Unmanaged\")", "(app.deviceModel -startsWith \"Pixel\")", "(app.model -eq 1)",
    ]
    return zip(filterIDs, rules).compactMap { id, rule in
      AssignmentFilter(
        ["id": .string(id), "displayName": .string(id), "rule": .string(rule)], source: "filters/f.json")
    }
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func isChosen(_ times: Int) -> Bool { number(times) == 0 }

  private mutating func some(_ texts: [String]) -> [String] {
    (0..<number(3)).map { _ in texts[number(texts.count)] }
  }

  private mutating func user(_ index: Int) -> TenantUser {
    TenantUser(
      id: "id-\(index)", userPrincipalName: "user\(index)@contoso.example", displayName: "User", mail: nil,
      isLicensed: !isChosen(8), isEnabled: !isChosen(8),
      groups: some(Self.groups + ["STAFF", "unnamed"]), clock: nil)
  }

  private mutating func policy(_ index: Int) -> PolicyDocument {
    let kinds: [PolicyKind] = [.ios, .android, .default, .windows, .ios]
    let kind = kinds[number(kinds.count)]
    let custom = kind == .default && isChosen(2) ? [KeyValuePair(name: "key", value: "\(index)")] : []
    return PolicyDocument(
      id: "T_\(index)", kind: kind, source: "policies/\(number(5)).json", targeting: targeting(),
      customSettings: custom)
  }

  private mutating func targeting() -> PolicyTargeting {
    let types: [AppGroupType?] = [nil, nil, .selectedPublicApps, .allApps, .allMicrosoftApps, .allCoreMicrosoftApps]
    let levels: [[AppManagementLevel]] = [[], [], [.unmanaged], [.mdm], [.androidEnterprise]]
    var assignments: [PolicyAssignment] = []
    for _ in 0..<number(5) { assignments.append(assignment()) }
    return PolicyTargeting(
      assignments: isChosen(4) ? nil : assignments, apps: isChosen(2) ? nil : some(Self.apps + ["*"]),
      appGroupType: types[number(types.count)], managementLevels: levels[number(levels.count)],
      needsAssignment: isChosen(12))
  }

  private mutating func assignment() -> PolicyAssignment {
    let group = Self.groups[number(Self.groups.count)]
    let targets: [GroupTarget] = [.everybody, .group(group), .group(group), .exclusionGroup(group)]
    let modes: [FilterReference.Mode] = [.include, .exclude, .unknown]
    let filter = FilterReference(id: Self.filterIDs[number(Self.filterIDs.count)], mode: modes[number(modes.count)])
    return PolicyAssignment(targets[number(targets.count)], filter: isChosen(2) ? filter : nil)
  }
}
