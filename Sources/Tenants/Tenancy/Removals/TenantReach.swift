import Model
import Policy

/// The groups and apps that a policy is assigned to. Groups are in lower case.
struct PolicyReach: Hashable, Sendable {
  var isForEverybody = false
  var included: Set<String> = []
  var excluded: Set<String> = []
  /// The identifiers of apps, in lower case, and the names of groups of apps; "*" is every app.
  var apps: Set<String> = ["*"]

  /// Whether the policy is for any app at all.
  var hasApps: Bool { !apps.isEmpty }

  var groups: Set<String> { included.union(excluded) }
}

extension TenantSnapshot {
  /// The reach of each protection policy, by id.
  var reaches: [String: PolicyReach] {
    let overrides = Dictionary(grouping: assignments, by: \.file)
    let targeted = policies.map { policy in
      (policy.id, overrides[policy.source].map(PolicyReach.init(assigned:)) ?? PolicyReach(own: policy.targeting))
    }
    return Dictionary(targeted) { first, _ in first }
  }
}

extension PolicyReach {
  init(assigned assignments: [TenantAssignment]) {
    let effective = assignments.filter { !$0.apps.isEmpty }
    apps = Set(effective.flatMap(\.apps).map(\.lowercasedASCII))
    let groups = effective.flatMap(\.groups).map(\.lowercasedASCII)
    isForEverybody = groups.contains("*")
    included = Set(groups.filter { $0 != "*" })
  }

  init(own targeting: PolicyTargeting) {
    isForEverybody = targeting.assignments == nil && !targeting.needsAssignment
    // A filter selects among the devices of users, which nobody lists.
    for assignment in targeting.assignments ?? [] {
      switch assignment.target {
      case .everybody: isForEverybody = true
      case .group(let name): included.insert(name.lowercasedASCII)
      case .exclusionGroup(let name): excluded.insert(name.lowercasedASCII)
      }
    }
    let listed = targeting.apps.map { Set($0.map(\.lowercasedASCII)) }
    switch targeting.appGroupType {
    case .allApps: apps = ["*"]
    case .allMicrosoftApps: apps = (listed ?? []).union([Self.microsoft])
    case .allCoreMicrosoftApps: apps = listed.flatMap { $0.isEmpty ? nil : $0 } ?? [Self.core]
    case .selectedPublicApps: apps = listed ?? []
    case nil: apps = listed ?? ["*"]
    }
  }

  private static let microsoft = "allMicrosoftApps"
  private static let core = "allCoreMicrosoftApps"

  /// The apps that this policy is for, and that another version of it is not for.
  func apps(missingFrom other: PolicyReach) -> Set<String> {
    guard !other.apps.contains("*") else { return [] }
    let missing = apps.subtracting(other.apps)
    guard other.apps.contains(Self.microsoft) else { return missing }
    return missing.filter { $0 != Self.core && !$0.hasPrefix("com.microsoft.") }
  }
}

/// Who is in the groups that policies name. Users are the numbers of an index.
struct GroupMembers {
  private let members: [String: Set<Int>]
  private let everybody: Set<Int>

  /// Knows only groups that `reaches` name, and only users who are wanted. Deleted users are in no group.
  init(
    of tenant: TenantSnapshot, in index: UserIndex, for reaches: some Sequence<PolicyReach>,
    where isWanted: (TenantUser) -> Bool = { _ in true }
  ) {
    let named = reaches.reduce(into: Set<String>()) { $0.formUnion($1.groups) }
    var members: [String: Set<Int>] = [:]
    var everybody: Set<Int> = []
    for user in tenant.users where !user.isDeleted && isWanted(user) {
      guard let number = index[user.id] else { continue }
      everybody.insert(number)
      for group in user.groups.map(\.lowercasedASCII) where named.contains(group) {
        members[group, default: []].insert(number)
      }
    }
    (self.members, self.everybody) = (members, everybody)
  }

  subscript(group: String) -> Set<Int> { members[group] ?? [] }

  func excluded(by reach: PolicyReach) -> Set<Int> {
    reach.excluded.reduce(into: []) { $0.formUnion(self[$1]) }
  }

  /// The users to whom a policy applies in some app.
  func audience(of reach: PolicyReach) -> Set<Int> {
    guard reach.hasApps else { return [] }
    let included = reach.isForEverybody ? everybody : reach.included.reduce(into: []) { $0.formUnion(self[$1]) }
    return reach.excluded.isEmpty ? included : included.subtracting(excluded(by: reach))
  }
}

/// Numbers for the users of some tenants.
struct UserIndex {
  private var numbers: [String: Int] = [:]
  private(set) var ids: [String] = []
  private let former: [String: String]

  /// `former` has the ids that users had before, in lower case.
  init(_ tenants: TenantSnapshot..., former: [String: String] = [:]) {
    self.former = former
    for user in tenants.lazy.flatMap(\.users) {
      let id = former[user.id.lowercasedASCII] ?? user.id.lowercasedASCII
      guard numbers[id] == nil else { continue }
      numbers[id] = ids.count
      ids.append(id)
    }
  }

  subscript(id: String) -> Int? { numbers[former[id.lowercasedASCII] ?? id.lowercasedASCII] }
}
