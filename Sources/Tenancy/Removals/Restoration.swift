import JSON
import Model
import Policy

/// Gives a version of a tenant back what it lacks of an earlier one.
struct Restoration {
  let removals: TenantRemovals
  private let new: TenantSnapshot
  private let files: TenantFileSet
  private let old: TenantSnapshot
  private let oldFile: JSONObject
  private let kinds: RemovalKinds
  private(set) var held = HeldRemovals()
  /// By the object ids of users.
  private var memberships: [String: Set<String>] = [:]

  /// `kinds` are those of which everything that is missing comes back. `nil` if the earlier version cannot be read.
  init?(to new: TenantSnapshot, of files: TenantFileSet, from earlier: TenantFileSet, kinds: RemovalKinds) {
    guard let old = try? earlier.read() else { return nil }
    (self.new, self.files, self.old, self.kinds) = (new, files, old, kinds)
    oldFile = earlier.tenantFile
    removals = TenantRemovals(from: old, to: new)
    plan()
  }

  private mutating func plan() {
    if kinds.users { held.users = removals.users.ids }
    if kinds.configurations { held.configurations = removals.configurations.ids }
    var policies: Set<String> = []
    if kinds.policies { policies.formUnion(removals.policies.ids) }
    for kind in kinds.unprotected {
      let users = Set(removals.unprotected[kind]?.ids ?? [])
      let lost = old.policies.filter { $0.kind == kind && removals.lost[$0.id]?.isDisjoint(with: users) == false }
      policies.formUnion(lost.map(\.id))
    }
    let reaches = (old: old.reaches, new: new.reaches)
    held.policies = policies.intersection(removals.missingPolicies).sorted()
    held.assignments = policies.subtracting(removals.missingPolicies).filter { id in
      reaches.new[id].map { $0 != reaches.old[id] } ?? false
    }.sorted()
    if kinds.groups { held.groups = removals.groups }
    planMemberships(through: policies, reaches.old)
  }

  /// Users stay in the groups through which one of the policies has reached them.
  private mutating func planMemberships(through policies: Set<String>, _ reaches: [String: PolicyReach]) {
    var groups: [String: Set<String>] = [:]
    for id in policies {
      for user in removals.lost[id] ?? [] { groups[user, default: []].formUnion(reaches[id]?.groups ?? []) }
    }
    let emptied = Set(held.groups)
    let present = Dictionary(new.users.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    for user in old.users {
      let id = user.id.lowercasedASCII
      guard let now = present[id], !now.isDeleted else { continue }
      let before = Set(user.groups.map(\.lowercasedASCII))
      let wanted = before.intersection(emptied.union(groups[id] ?? [])).subtracting(now.groups.map(\.lowercasedASCII))
      guard !wanted.isEmpty else { continue }
      memberships[id] = wanted
      if !wanted.isSubset(of: emptied) { held.members.append(id) }
    }
    held.members.sort()
  }

  /// The files with what comes back.
  func result() throws(TenantError) -> TenantFileSet {
    guard !held.isEmpty else { return files }
    var texts = files.texts
    var tenant = files.tenantFile
    let users = tenant["users"]?.arrayValue ?? []
    tenant["users"] = .array(kept(users) + returningUsers)
    for (file, objects) in returningObjects { texts[file] = JSONValue.array(objects).jsonText }
    for file in Set(new.policies.filter { held.assignments.contains($0.id) }.map(\.source)) {
      texts[file] = JSONValue.array(objects(of: file)).jsonText
    }
    let listed = tenant["assignments"]?.arrayValue ?? []
    let assignments = listed + returningAssignments.filter { !listed.contains($0) }
    if !assignments.isEmpty { tenant["assignments"] = .array(assignments) }
    texts["tenant.json"] = JSONValue.object(tenant).jsonText
    let result = TenantFileSet(texts: texts)
    _ = try result.read()
    return result
  }
}

// MARK: - Users

extension Restoration {
  /// The users of the new version, back in their groups.
  private func kept(_ users: [JSONValue]) -> [JSONValue] {
    zip(users, new.users).map { value, user in
      guard let groups = memberships[user.id.lowercasedASCII], var object = value.objectValue else { return value }
      let back = groups.sorted().map(JSONValue.string)
      object["groups"] = .array((object["groups"]?.arrayValue ?? []) + back)
      return .object(object)
    }
  }

  private var returningUsers: [JSONValue] {
    let wanted = Set(held.users)
    return zip(oldFile["users"]?.arrayValue ?? [], old.users)
      .filter { wanted.contains($0.1.id.lowercasedASCII) }.map(\.0)
  }
}

// MARK: - Policies and configurations

extension Restoration {
  /// The file for what comes back of a file. No folder can have it.
  private static func file(of source: String) -> String {
    let folder = source.hasPrefix("configurations/") ? "configurations/" : "policies/"
    let place = folder + ".held/"
    return source.hasPrefix(place) ? source : place + String(source.map { $0 == "/" ? "~" : $0 })
  }

  /// By their files.
  private var returningObjects: [String: [JSONValue]] {
    var objects: [String: [JSONValue]] = [:]
    let policies = Set(held.policies)
    for (policy, object) in zip(old.policies, old.policyObjects) where policies.contains(policy.id) {
      objects[Self.file(of: policy.source), default: []].append(.object(object))
    }
    let configurations = Set(held.configurations)
    for (configuration, object) in zip(old.configurations, old.configurationObjects)
    where configurations.contains(configuration.id) {
      objects[Self.file(of: configuration.source), default: []].append(.object(object))
    }
    return objects
  }

  /// Assignments of tenant.json, for the files of what comes back, and for policies that keep theirs.
  private var returningAssignments: [JSONValue] {
    let values = zip(oldFile["assignments"]?.arrayValue ?? [], old.assignments).map { ($0, $1.file) }
    let back = Set(
      old.policies.filter { held.policies.contains($0.id) }.map(\.source)
        + old.configurations.filter { held.configurations.contains($0.id) }.map(\.source))
    var assignments = values.filter { back.contains($0.1) }.map { $0.0.assigning(Self.file(of: $0.1)) }
    let reaches = (old: old.reaches, new: new.reaches)
    var seen: Set<String> = []
    for policy in new.policies where held.assignments.contains(policy.id) {
      guard let before = reaches.old[policy.id], let after = reaches.new[policy.id] else { continue }
      guard before.isAssignedByTenant || after.isAssignedByTenant, seen.insert(policy.source).inserted else { continue }
      assignments += overrides(policy, before, values)
    }
    return assignments
  }

  private func overrides(
    _ policy: PolicyDocument, _ before: PolicyReach, _ values: [(JSONValue, file: String)]
  ) -> [JSONValue] {
    guard before.isAssignedByTenant, let source = old.policies.first(where: { $0.id == policy.id })?.source else {
      let groups = before.isForEverybody ? ["*"] : before.included.sorted()
      return [
        [
          "policy": .string(policy.source), "groups": .array(groups.map(JSONValue.string)), "apps": ["*"],
        ]
      ]
    }
    return values.filter { $0.file == source }.map { $0.0.assigning(policy.source) }
  }

  /// The policies and configurations of a file of the new version, with the assignments and apps that they keep.
  private func objects(of file: String) -> [JSONValue] {
    let before = Dictionary(zip(old.policies.map(\.id), old.policyObjects)) { first, _ in first }
    let reaches = (old: old.reaches, new: new.reaches)
    let policies = zip(new.policies, new.policyObjects).filter { $0.0.source == file }.map { policy, object in
      guard held.assignments.contains(policy.id), let earlier = before[policy.id], let old = reaches.old[policy.id],
        let new = reaches.new[policy.id]
      else { return JSONValue.object(object) }
      return .object(object.reaching(old, new, appsOf: earlier))
    }
    let configurations = zip(new.configurations, new.configurationObjects).filter { $0.0.source == file }
    return policies + configurations.map { .object($0.1) }
  }
}

extension JSONValue {
  /// An assignment of tenant.json for another file.
  fileprivate func assigning(_ file: String) -> JSONValue {
    var object = objectValue ?? [:]
    object["policy"] = .string(file)
    return .object(object)
  }
}

extension JSONObject {
  /// The policy with the targets and apps that it had.
  fileprivate func reaching(_ old: PolicyReach, _ new: PolicyReach, appsOf earlier: JSONObject) -> JSONObject {
    var object = self
    if !old.isAssignedByTenant, !new.isAssignedByTenant, !new.isForEverybody {
      var targets = self["assignments"]?.arrayValue ?? []
      if old.isForEverybody {
        targets.append(["target": ["@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"]])
      }
      targets += old.included.subtracting(new.included).sorted().map { group in
        ["target": ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": .string(group)]]
      }
      object["assignments"] = .array(targets)
    }
    if old.hasApps, !new.hasApps {
      for name in ["apps", "appGroupType"] { object[name] = earlier[name] }
    }
    return object
  }
}
