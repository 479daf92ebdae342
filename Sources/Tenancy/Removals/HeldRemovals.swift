import JSON
import Model
import Policy

/// What is kept of a tenant although its source no longer has it, until an administrator accepts that it goes.
package struct HeldRemovals: Hashable, Sendable {
  /// Object ids.
  package var users: [String] = []
  /// The ids of policies that are gone.
  package var policies: [String] = []
  package var configurations: [String] = []
  /// The ids of policies whose assignments and apps stay.
  package var assignments: [String] = []
  /// Groups whose users stay in them.
  package var groups: [String] = []
  /// The object ids of users who stay in groups, besides those of `groups`.
  package var members: [String] = []

  package init() {}

  package var count: Int {
    users.count + policies.count + configurations.count + assignments.count + groups.count + members.count
  }

  package var isEmpty: Bool { count == 0 }

  private static var lists: [(name: String, path: WritableKeyPath<HeldRemovals, [String]>, one: String)] {
    [
      ("users", \.users, "user"), ("policies", \.policies, "policy"),
      ("configurations", \.configurations, "configuration"), ("assignments", \.assignments, "assigned policy"),
      ("groups", \.groups, "group"), ("members", \.members, "group member"),
    ]
  }

  /// From `jsonValue`. What is not there counts as empty.
  package init(_ value: JSONValue) {
    for list in Self.lists { self[keyPath: list.path] = value[list.name]?.strings ?? [] }
  }

  package var jsonValue: JSONValue {
    .object(JSONObject(Self.lists.map { ($0.name, .array(self[keyPath: $0.path].map(JSONValue.string))) }))
  }

  /// Such as `2 users, 1 policy ("T_1")`. Names nobody by name.
  package var summary: String {
    Self.lists.compactMap { list in
      let ids = self[keyPath: list.path]
      guard !ids.isEmpty else { return nil }
      let plural =
        list.name == "assignments" ? "assigned policies" : list.name == "members" ? "group members" : list.name
      return "\(ids.count) \(ids.count == 1 ? list.one : plural) \(ids.shown)"
    }.joined(separator: ", ")
  }
}

/// A version of a tenant, after what is missing was looked at.
package struct GuardedTenant: Sendable {
  /// What is served.
  package let files: TenantFileSet
  /// What a later version is compared with: the last accepted version with all that was added since.
  package let accepted: TenantFileSet
  package let held: HeldRemovals

  /// `accepted` and `served` are the versions before; `nil` if there is none. Throws for files that are no tenant.
  package init(
    _ new: TenantFileSet, accepted: TenantFileSet?, served: TenantFileSet?, limit: RemovalLimit
  ) throws(TenantError) {
    guard let accepted, accepted != new else {
      (files, self.accepted, held) = (new, new, HeldRemovals())
      return
    }
    let read = try new.read()
    guard read.tenantId.lowercasedASCII == accepted.tenantFile["tenantId"]?.stringValue?.lowercasedASCII else {
      // Another tenant: nothing of the one before belongs to it.
      (files, self.accepted, held) = (new, new, HeldRemovals())
      return
    }
    let base =
      Restoration(to: read, of: new, from: accepted, kinds: .all)
      ?? served.flatMap { Restoration(to: read, of: new, from: $0, kinds: .all) }
    guard let base else {
      // What is stored cannot be read, so nobody can say what is missing.
      (files, self.accepted, held) = (new, new, HeldRemovals())
      return
    }
    self.accepted = try base.result()
    let excess = base.removals.excess(over: limit)
    guard !excess.isEmpty, let served, let kept = Restoration(to: read, of: new, from: served, kinds: excess) else {
      (files, held) = (new, HeldRemovals())
      return
    }
    files = try kept.result()
    held = kept.held
  }
}
