import Model
import Policy

/// The groups that a user has left and joined between two versions, among those that documents name.
struct GroupMoves: Hashable, Sendable {
  /// In lower case, sorted.
  let left: [String]
  let joined: [String]
}

/// The distinct moves of users. Number 0 is none.
struct KnownMoves {
  /// The groups that a document of either version includes or excludes, in lower case.
  private let named: Set<String>
  private var numbers: [GroupMoves: Int] = [:]
  /// The moves, each with the first user who made them.
  private var list: [(moves: GroupMoves, user: TenantUser)] = []

  init(_ tenants: TenantSnapshot...) {
    named = tenants.reduce(into: []) { $0.formUnion($1.namedGroups) }
  }

  /// The groups of a user that matter, in lower case.
  func groups(of user: TenantUser) -> Set<String> { Set(user.groups.map(\.lowercasedASCII)).intersection(named) }

  mutating func number(of user: TenantUser, was before: Set<String>, now: Set<String>) -> Int {
    guard before != now else { return 0 }
    let moves = GroupMoves(left: before.subtracting(now).sorted(), joined: now.subtracting(before).sorted())
    if let number = numbers[moves] { return number }
    list.append((moves, user))
    numbers[moves] = list.count
    return list.count
  }

  /// `nil` for number 0.
  subscript(number: Int) -> (moves: GroupMoves, user: TenantUser)? { number == 0 ? nil : list[number - 1] }
}

/// By which groups the policies of a tenant are for users.
struct AssignedGroups {
  /// By policy; `nil` for a policy that is for everybody.
  private let groups: [String: [String]?]

  init(_ tenant: TenantSnapshot) {
    let assigned = Dictionary(grouping: tenant.assignments, by: \.file)
    groups = Dictionary(
      tenant.policies.map { ($0.id, $0.targeting.includedGroups(besides: assigned[$0.source])) }
    ) { first, _ in first }
  }

  /// Those of a user's groups, in lower case, that make policies apply, as the tenant writes them; empty if one of the
  /// policies is for everybody.
  func names(of policies: [PolicyDocument], among own: Set<String>) -> [String] {
    var names: [String: String] = [:]
    for policy in policies {
      guard let groups = groups[policy.id] ?? nil else { return [] }
      for group in groups where own.contains(group.lowercasedASCII) { names[group.lowercasedASCII] = group }
    }
    return names.values.sorted()
  }
}

extension TenantSnapshot {
  /// All groups that documents include or exclude, in lower case.
  fileprivate var namedGroups: Set<String> {
    let targetings = policies.map(\.targeting) + configurations.map(\.targeting)
    let own = targetings.flatMap { ($0.assignments ?? []).compactMap(\.target.groupName) }
    return Set((assignments.flatMap(\.groups) + own).map(\.lowercasedASCII))
  }
}

extension PolicyTargeting {
  /// `nil` for everybody. `assigned` replaces the document's own assignments.
  fileprivate func includedGroups(besides assigned: [TenantAssignment]?) -> [String]? {
    if let assigned {
      let groups = assigned.flatMap(\.groups)
      return groups.contains("*") ? nil : groups
    }
    guard let assignments, !assignments.contains(where: { $0.target == .everybody }) else { return nil }
    return assignments.compactMap { if case .group(let name) = $0.target { name } else { nil } }
  }

  /// Whether the document, by its own assignments or by those in tenant.json, includes or excludes a group in lower case.
  func names(_ group: String, besides assigned: [TenantAssignment]) -> Bool {
    let own = assigned.isEmpty ? (assignments ?? []).compactMap(\.target.groupName) : assigned.flatMap(\.groups)
    return own.contains { $0.lowercasedASCII == group }
  }
}

extension GroupTarget {
  /// `nil` for everybody.
  fileprivate var groupName: String? {
    switch self {
    case .everybody: nil
    case .group(let name), .exclusionGroup(let name): name
    }
  }
}
