import JSON
import Model
import Policy

/// What is kept of a tenant although its source no longer has it, until an administrator accepts that it goes.
package struct HeldRemovals: Hashable, Sendable {
  /// Members of tenant.json whose absence opens what they close.
  static let protectiveSettings = ["allowedAccounts", "certificatePins", "unknownRestrictions"]

  /// Object ids.
  package var users: [String] = []
  /// The ids of policies that are gone.
  package var policies: [String] = []
  package var configurations: [String] = []
  /// The ids of policies whose assignments and apps stay.
  package var assignments: [String] = []
  /// Groups whose users stay in them.
  package var groups: [String] = []
  /// Users who stay in groups, besides those of `groups`: an object id and a group.
  package var members: [String] = []
  /// Names of members of tenant.json.
  package var settings: [String] = []
  /// The id of the tenant that is served as it was, because the source has another one.
  package var tenants: [String] = []
  /// The ids of what is missing and cannot be kept, because it cannot be read. The version before is served.
  package var unreadable: [String] = []

  package init() {}

  package var count: Int { Self.lists.reduce(0) { $0 + self[keyPath: $1.path].count } }

  package var isEmpty: Bool { count == 0 }

  private struct List {
    let name: String
    let path: WritableKeyPath<HeldRemovals, [String]>
    let one: String
    let many: String
  }

  private static var lists: [List] {
    [
      List(name: "users", path: \.users, one: "user", many: "users"),
      List(name: "policies", path: \.policies, one: "policy", many: "policies"),
      List(name: "configurations", path: \.configurations, one: "configuration", many: "configurations"),
      List(name: "assignments", path: \.assignments, one: "assigned policy", many: "assigned policies"),
      List(name: "groups", path: \.groups, one: "group", many: "groups"),
      List(name: "members", path: \.members, one: "group member", many: "group members"),
      List(name: "settings", path: \.settings, one: "member of tenant.json", many: "members of tenant.json"),
      List(name: "tenants", path: \.tenants, one: "tenant", many: "tenants"),
      List(name: "unreadable", path: \.unreadable, one: "unreadable object", many: "unreadable objects"),
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
      return ids.isEmpty ? nil : "\(ids.count) \(ids.count == 1 ? list.one : list.many) \(ids.shown)"
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
  /// Why the version is not served before an administrator accepts it; `nil` if it is. Then `files` and `accepted` are
  /// those of the version before.
  package private(set) var refusal: TenantError?

  /// `accepted` and `served` are the versions before, and `held` is what was kept; `nil` if there is none. Throws for
  /// files that are no tenant.
  package init(
    _ new: TenantFileSet, accepted: TenantFileSet?, served: TenantFileSet?, held prior: HeldRemovals = HeldRemovals(),
    limit: RemovalLimit
  ) throws(TenantError) {
    guard let accepted, accepted != new else {
      (files, self.accepted, held) = (new, new, HeldRemovals())
      return
    }
    let last = served ?? accepted
    let read = try new.read()
    let before: TenantSnapshot
    do throws(RemovalRefusal) { before = try last.comparable(with: read) } catch {
      var held = prior
      (held.tenants, held.unreadable) = (error.tenants, error.unreadable)
      (files, self.accepted, self.held, refusal) = (last, accepted, held, error.fault)
      return
    }
    let base = (try? accepted.readable()) ?? before
    let all = Restoration(to: read, of: new, from: base, accepted, kinds: nil, keeping: HeldRemovals())
    self.accepted = try all.result()
    let kinds = all.removals.excess(over: limit)
    let kept = Restoration(to: read, of: new, from: before, last, kinds: kinds, keeping: prior)
    files = try kept.result()
    held = kept.held
  }
}
