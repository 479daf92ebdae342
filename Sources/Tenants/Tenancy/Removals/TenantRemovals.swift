import JSON
import Model
import Policy

/// How much may be missing from a new version of a tenant before it is held back.
package struct RemovalLimit: Hashable, Sendable {
  package static let usual = 10

  /// In percent of the users, or of the policies, that there were.
  package let percent: Int

  package init(percent: Int = usual) {
    self.percent = percent
  }

  /// Whether `missing` of `all` are too many. The last one always is.
  func isExceeded(by missing: Int, of all: Int, leaving left: Int) -> Bool {
    missing > 0 && (left == 0 || missing * 100 > all * percent)
  }
}

/// What a tenant has that a newer version of it lacks. Nobody said that any of it is to go: it is only missing.
package struct TenantRemovals: Sendable {
  /// A set of things that can be missing, and how many there were.
  struct Missing: Sendable {
    /// Sorted.
    var ids: [String] = []
    /// How many there were, and how many there are. Deleted users do not count.
    var counts: (missing: Int, all: Int, left: Int) = (0, 0, 0)

    func exceeds(_ limit: RemovalLimit) -> Bool {
      limit.isExceeded(by: counts.missing, of: counts.all, leaving: counts.left)
    }
  }

  private(set) var users = Missing()
  /// Protection policies that are not there, or that no longer reach anybody.
  private(set) var policies = Missing()
  private(set) var configurations = Missing()
  /// Groups that a policy is assigned to, and in which nobody is any longer.
  private(set) var groups: [String] = []
  /// Users whom no targeted policy of a kind reaches any longer.
  private(set) var unprotected: [PolicyKind: Missing] = [:]
  /// For each policy, how many of its apps it is no longer for.
  let lostApps: [String: (missing: Int, all: Int)]
  /// For each policy, the users whom it does not reach any longer, although nothing excludes them.
  let lost: [String: Set<String>]
  /// Which objects of the versions are the same.
  let match: TenantMatch

  /// `old` and `new` are versions of one tenant.
  package init(from old: TenantSnapshot, to new: TenantSnapshot) {
    var comparison = TenantComparison(old, new)
    comparison.compareReaches()
    (lost, lostApps, match) = (comparison.lost, comparison.lostApps, comparison.match)
    users = comparison.users
    configurations = Self.configurations(old, new, match)
    policies = comparison.policies
    groups = comparison.groups
    unprotected = comparison.unprotected
  }

  private static func configurations(
    _ old: TenantSnapshot, _ new: TenantSnapshot, _ match: TenantMatch
  ) -> Missing {
    let missing = old.configurations.map(\.id).filter { match.configurations[$0] == nil }.sorted()
    return Missing(ids: missing, counts: (missing.count, old.configurations.count, new.configurations.count))
  }

  /// The kinds of things of which too many are missing.
  package func excess(over limit: RemovalLimit) -> RemovalKinds {
    RemovalKinds(
      users: users.exceeds(limit), policies: policies.exceeds(limit), configurations: configurations.exceeds(limit),
      groups: !groups.isEmpty, unprotected: Set(unprotected.filter { $0.value.exceeds(limit) }.keys),
      apps: Set(
        lostApps.filter { limit.isExceeded(by: $1.missing, of: $1.all, leaving: $1.all - $1.missing) }.keys))
  }

  /// All that is missing.
  var everything: RemovalKinds {
    RemovalKinds(
      users: true, policies: true, configurations: true, groups: true, unprotected: Set(PolicyKind.allCases),
      apps: Set(lostApps.keys))
  }
}

extension TenantRemovals {
  /// How many things of these kinds are missing.
  package func count(of kinds: RemovalKinds) -> Int {
    (kinds.users ? users.counts.missing : 0) + (kinds.policies ? policies.counts.missing : 0)
      + (kinds.configurations ? configurations.counts.missing : 0) + (kinds.groups ? groups.count : 0)
      + kinds.unprotected.reduce(0) { $0 + (unprotected[$1]?.counts.missing ?? 0) } + kinds.apps.count
  }

  /// Such as `3 of 10 users and 1 of 2 policies ("T_1")`. Names nobody.
  package func text(of kinds: RemovalKinds) -> String {
    var parts: [String] = []
    if kinds.users { parts.append("\(users.counts.missing) of \(users.counts.all) users") }
    if kinds.policies {
      parts.append("\(policies.counts.missing) of \(policies.counts.all) policies \(policies.ids.shown)")
    }
    if kinds.configurations {
      let counts = configurations.counts
      parts.append("\(counts.missing) of \(counts.all) app configurations \(configurations.ids.shown)")
    }
    if kinds.groups { parts.append("anybody in \(groups.count) assigned groups \(groups.shown)") }
    for kind in PolicyKind.allCases where kinds.unprotected.contains(kind) {
      let counts = unprotected[kind]?.counts ?? (missing: 0, all: 0, left: 0)
      parts.append("a policy of the kind \(kind.rawValue) for \(counts.missing) of \(counts.all) users who had one")
    }
    if !kinds.apps.isEmpty { parts.append("apps of \(kinds.apps.count) policies \(kinds.apps.sorted().shown)") }
    return parts.joined(separator: ", and ")
  }
}

extension [String] {
  private static let most = 3

  /// The first ones, as JSON strings in parentheses.
  var shown: String {
    let texts = prefix(Self.most).map { JSONValue.string(String($0.prefix(80))).jsonText }
    return "(\(texts.joined(separator: ", "))\(count > Self.most ? ", …" : ""))"
  }
}

/// Kinds of things that can be missing.
package struct RemovalKinds: Hashable, Sendable {
  var users = false
  var policies = false
  var configurations = false
  var groups = false
  var unprotected: Set<PolicyKind> = []
  /// The ids of policies that lose apps.
  var apps: Set<String> = []

  package var isEmpty: Bool { self == RemovalKinds() }
}

/// Compares two versions of a tenant.
private struct TenantComparison {
  let old: TenantSnapshot
  let new: TenantSnapshot
  let index: UserIndex
  /// The users of the new version that are not deleted.
  let present: Set<Int>
  let match: TenantMatch
  private(set) var lost: [String: Set<String>] = [:]
  private(set) var lostApps: [String: (missing: Int, all: Int)] = [:]
  private(set) var groups: [String] = []
  private(set) var unprotected: [PolicyKind: TenantRemovals.Missing] = [:]
  private var unreaching: Set<String> = []

  init(_ old: TenantSnapshot, _ new: TenantSnapshot) {
    (self.old, self.new) = (old, new)
    match = TenantMatch(old, new)
    let former = Dictionary(match.users.map { ($0.value, $0.key) }) { first, _ in first }
    let index = UserIndex(old, new, former: former)
    present = Set(new.users.filter { !$0.isDeleted }.compactMap { index[$0.id] })
    self.index = index
  }

  /// A user with another id and the same name is the same person, or a successor: nobody is missing.
  var users: TenantRemovals.Missing {
    let listed = Set(new.users.map { $0.id.lowercasedASCII })
    let names = Set(new.users.map { $0.userPrincipalName.lowercasedASCII })
    let missing = old.users.filter { user in
      !listed.contains(user.id.lowercasedASCII) && !names.contains(user.userPrincipalName.lowercasedASCII)
    }
    let all = old.users.count { !$0.isDeleted }
    return TenantRemovals.Missing(
      ids: missing.map { $0.id.lowercasedASCII }.sorted(),
      counts: (missing.count { !$0.isDeleted }, all, new.users.count { !$0.isDeleted }))
  }

  var policies: TenantRemovals.Missing {
    let gone = unreaching.union(old.policies.map(\.id).filter { match.policies[$0] == nil })
    let left = new.policies.count - unreaching.count
    return TenantRemovals.Missing(ids: gone.sorted(), counts: (gone.count, old.policies.count, left))
  }

  mutating func compareReaches() {
    let (before, after) = (old.reaches, new.reaches)
    let membersBefore = GroupMembers(of: old, in: index, for: before.values)
    let membersAfter = GroupMembers(of: new, in: index, for: Array(before.values) + Array(after.values))
    compareGroups(before, after, membersBefore, membersAfter)
    var covered: [PolicyKind: (before: Set<Int>, after: Set<Int>, excluded: Set<Int>)] = [:]
    for policy in new.policies {
      guard let reach = after[policy.id] else { continue }
      covered[policy.kind, default: ([], [], [])].after.formUnion(membersAfter.audience(of: reach))
    }
    for policy in old.policies {
      guard let reach = before[policy.id] else { continue }
      let audience = membersBefore.audience(of: reach)
      covered[policy.kind, default: ([], [], [])].before.formUnion(audience)
      let successor = match.policies[policy.id].flatMap { after[$0] }
      let excluded = successor.map(membersAfter.excluded) ?? []
      covered[policy.kind]?.excluded.formUnion(excluded)
      let now = successor.map(membersAfter.audience) ?? []
      if let missing = successor.map(reach.apps(missingFrom:)), !missing.isEmpty {
        lostApps[policy.id] = (missing.count, reach.apps.count)
      }
      let missed = audience.intersection(present).subtracting(now).subtracting(excluded)
      guard !missed.isEmpty else { continue }
      lost[policy.id] = Set(missed.map { index.ids[$0] })
      if now.isEmpty, successor != nil { unreaching.insert(policy.id) }
    }
    for (kind, users) in covered {
      let all = users.before.intersection(present)
      let missed = all.subtracting(users.after).subtracting(users.excluded)
      guard !missed.isEmpty else { continue }
      unprotected[kind] = TenantRemovals.Missing(
        ids: missed.map { index.ids[$0] }.sorted(), counts: (missed.count, all.count, all.count - missed.count))
    }
  }

  private mutating func compareGroups(
    _ before: [String: PolicyReach], _ after: [String: PolicyReach], _ old: GroupMembers, _ new: GroupMembers
  ) {
    let named = after.values.reduce(into: Set<String>()) { $0.formUnion($1.included) }
    let known = before.values.reduce(into: Set<String>()) { $0.formUnion($1.included) }
    groups = named.intersection(known).filter { group in
      new[group].isEmpty && !old[group].intersection(present).isEmpty
    }.sorted()
  }
}
