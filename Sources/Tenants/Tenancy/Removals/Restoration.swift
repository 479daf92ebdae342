import JSON
import Model
import Policy

/// Gives a version of a tenant back what it lacks of an earlier one.
struct Restoration {
  let removals: TenantRemovals
  private let new: TenantSnapshot
  private let files: TenantFileSet
  private let old: TenantSnapshot
  private let oldFiles: TenantFileSet
  private let oldFile: JSONObject
  private let kinds: RemovalKinds
  /// What was kept before.
  private let prior: HeldRemovals
  private(set) var held = HeldRemovals()
  /// By the object ids of users.
  private var memberships: [String: Set<String>] = [:]
  private var objects: [HeldObject] = []

  /// `kinds` are those of which everything that is missing comes back; `nil` for all. Of the others, what is missing comes
  /// back if it was kept before. `old` is what can be read of `earlier`.
  init(
    to new: TenantSnapshot, of files: TenantFileSet, from old: TenantSnapshot, _ earlier: TenantFileSet,
    kinds: RemovalKinds?, keeping prior: HeldRemovals
  ) {
    (self.new, self.files, self.old, oldFiles, self.prior) = (new, files, old, earlier, prior)
    oldFile = earlier.tenantFile
    removals = TenantRemovals(from: old, to: new)
    self.kinds = kinds ?? removals.everything
    plan()
  }

  private mutating func plan() {
    held.users = removals.users.ids.filter { kinds.users || prior.users.contains($0) }
    let policies = keptPolicies
    let reaches = (old: old.reaches, new: new.reaches)
    for (policy, object) in zip(old.policies, old.policyObjects) where policies.contains(policy.id) {
      guard let successor = removals.match.policies[policy.id] else {
        let id = freeID(policy.id, besides: new.policies.map(\.id) + held.policies)
        held.policies.append(id)
        objects.append(HeldObject(id, object, in: "policies/", assignments: oldAssignments(of: policy.source)))
        continue
      }
      guard reaches.old[policy.id] != reaches.new[successor] else { continue }
      held.assignments.append(successor)
      if let object = retargeted(successor, policy, object) { objects.append(object) }
    }
    planConfigurations()
    planMemberships(through: policies, reaches.old)
    let tenantFile = files.tenantFile
    held.settings = HeldRemovals.protectiveSettings.filter { name in
      tenantFile[name] == nil && oldFile[name].map { !$0.isNull } ?? false
    }
    held.policies.sort()
    held.assignments.sort()
  }

  /// The ids that the policies had whose objects, assignments, apps or members come back.
  private var keptPolicies: Set<String> {
    let before = Set(prior.policies + prior.assignments)
    var policies = Set(removals.policies.ids.filter { kinds.policies || before.contains($0) })
    for kind in kinds.unprotected {
      let users = Set(removals.unprotected[kind]?.ids ?? [])
      let lost = old.policies.filter { $0.kind == kind && removals.lost[$0.id]?.isDisjoint(with: users) == false }
      policies.formUnion(lost.map(\.id))
    }
    policies.formUnion(removals.lostApps.keys.filter { kinds.apps.contains($0) || before.contains($0) })
    policies.formUnion(removals.lost.keys.filter(before.contains))
    return policies
  }

  private mutating func planConfigurations() {
    let missing = Set(removals.configurations.ids)
    for (configuration, object) in zip(old.configurations, old.configurationObjects)
    where missing.contains(configuration.id) {
      guard kinds.configurations || prior.configurations.contains(configuration.id) else { continue }
      let id = freeID(configuration.id, besides: new.configurations.map(\.id) + held.configurations)
      held.configurations.append(id)
      let assignments = oldAssignments(of: configuration.source)
      objects.append(HeldObject(id, object, in: "configurations/", assignments: assignments))
    }
  }

  /// The id, unless another object has it now, because it only named a place.
  private func freeID(_ id: String, besides others: [String]) -> String {
    let taken = Set(others)
    var (free, count) = (id, 1)
    while taken.contains(free) {
      free = "\(id)#kept" + (count == 1 ? "" : String(count))
      count += 1
    }
    return free
  }

  /// Users stay in the groups through which one of the policies has reached them, in those in which nobody is any longer,
  /// and where they were kept before.
  private mutating func planMemberships(through policies: Set<String>, _ reaches: [String: PolicyReach]) {
    var groups: [String: Set<String>] = [:]
    for id in policies {
      for user in removals.lost[id] ?? [] { groups[user, default: []].formUnion(reaches[id]?.groups ?? []) }
    }
    let emptied = Set(prior.groups + (kinds.groups ? removals.groups : []))
    let keptMembers = Set(prior.members)
    let present = Dictionary(new.users.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    var keptGroups: Set<String> = []
    for user in old.users {
      let id = user.id.lowercasedASCII
      guard let now = present[removals.match.users[id] ?? id], !now.isDeleted else { continue }
      let nowID = now.id.lowercasedASCII
      let missing = Set(user.groups.map(\.lowercasedASCII)).subtracting(now.groups.map(\.lowercasedASCII))
      let wanted = missing.filter { group in
        emptied.contains(group) || groups[id]?.contains(group) == true
          || keptMembers.contains(Self.member(nowID, group))
      }
      guard !wanted.isEmpty else { continue }
      memberships[nowID] = wanted
      keptGroups.formUnion(wanted.intersection(emptied))
      held.members += wanted.subtracting(emptied).map { Self.member(nowID, $0) }
    }
    held.groups = keptGroups.sorted()
    held.members.sort()
  }

  private static func member(_ user: String, _ group: String) -> String { "\(user) in \(group)" }

  /// The files with what comes back.
  func result() throws(TenantError) -> TenantFileSet {
    guard !held.isEmpty else { return files }
    var texts = files.texts
    var tenant = files.tenantFile
    let users = tenant["users"]?.arrayValue ?? []
    tenant["users"] = .array(kept(users) + returningUsers)
    for file in Set(new.policies.filter { held.assignments.contains($0.id) }.map(\.source)) {
      texts[file] = JSONValue.array(otherObjects(of: file)).jsonText
    }
    for object in objects { texts[object.file] = JSONValue.object(object.object).jsonText }
    let filters = returningFilters
    if !filters.isEmpty { texts["filters/.held/filters.json"] = JSONValue.array(filters).jsonText }
    let assignments = (tenant["assignments"]?.arrayValue ?? []) + objects.flatMap(\.assignments)
    if !assignments.isEmpty { tenant["assignments"] = .array(assignments) }
    for name in held.settings { tenant[name] = oldFile[name] }
    texts[MemberReader.file] = JSONValue.object(tenant).jsonText
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
  private func oldAssignments(of file: String) -> [JSONValue] {
    zip(oldFile["assignments"]?.arrayValue ?? [], old.assignments).filter { $0.1.file == file }.map(\.0)
  }

  private func newAssignments(of file: String) -> [JSONValue] {
    zip(files.tenantFile["assignments"]?.arrayValue ?? [], new.assignments).filter { $0.1.file == file }.map(\.0)
  }

  /// The policy as it is now, for those who had it. `nil` if it is not there.
  private func retargeted(_ id: String, _ earlier: PolicyDocument, _ earlierObject: JSONObject) -> HeldObject? {
    guard let (policy, object) = zip(new.policies, new.policyObjects).first(where: { $0.0.id == id }) else {
      return nil
    }
    let (before, now) = (oldAssignments(of: earlier.source), newAssignments(of: policy.source))
    if !before.isEmpty {
      return HeldObject(id, object, in: "policies/", assignments: before + now)
    }
    let reach = PolicyReach(own: policy.targeting)
    let isForNobody = !reach.hasApps || !reach.isForEverybody && reach.included.isEmpty
    let targeted =
      now.isEmpty && !isForNobody
      ? object.alsoTargeted(like: earlierObject) : object.targeted(like: earlierObject)
    return HeldObject(id, targeted, in: "policies/", assignments: [])
  }

  /// The policies and configurations of a file of the new version, without the policies that are kept elsewhere.
  private func otherObjects(of file: String) -> [JSONValue] {
    let kept = Set(held.assignments)
    let policies = zip(new.policies, new.policyObjects).filter { $0.0.source == file && !kept.contains($0.0.id) }
    let configurations = zip(new.configurations, new.configurationObjects).filter { $0.0.source == file }
    return policies.map { .object($0.1) } + configurations.map { .object($0.1) }
  }

  /// The filters that kept objects name and that are not there.
  private var returningFilters: [JSONValue] {
    oldFiles.filterObjects(Set(objects.flatMap(\.filters).filter { new.filters[$0] == nil }))
  }
}
