import Cryptography
import JSON
import Model
import Support
import Tenancy

/// How one version of a tenant differs from the version before it, for the administrator who publishes it.
package struct TenantChanges: Sendable {
  /// Each line names an object and what happened to it; empty for equal versions. Names are written as JSON strings, so
  /// that a line has no control characters.
  package let lines: [String]

  /// `old` is `nil` for the first version. `hidesCustomSettings` shows digests of customSettings, which may be secrets.
  package init(from old: TenantSnapshot?, to new: TenantSnapshot, hidesCustomSettings: Bool = false) {
    let hides = hidesCustomSettings
    var lines = Self.changes("policy", old.map(Self.policies) ?? [], Self.policies(new), hides)
    lines += Self.changes("configuration", old.map(Self.configurations) ?? [], Self.configurations(new), hides)
    lines += Self.userChanges(old?.users ?? [], new.users)
    lines += old.map { Self.groupChanges($0.users, new.users) } ?? []
    lines += Self.operationChanges(old?.operations ?? [], new)
    self.lines = lines + (old.map { Self.otherChanges($0, new) } ?? [])
  }

  /// An object as Graph writes it, and where its file assigns it.
  private struct Listed {
    let id: String
    let title: String
    let members: JSONObject
  }

  private static func policies(_ tenant: TenantSnapshot) -> [Listed] {
    zip(tenant.policies, tenant.policyObjects).map { policy, object in
      Listed(id: policy.id, title: policy.displayName, members: object.assigned(policy.source, in: tenant))
    }
  }

  private static func configurations(_ tenant: TenantSnapshot) -> [Listed] {
    zip(tenant.configurations, tenant.configurationObjects).map { configuration, object in
      Listed(
        id: configuration.id, title: configuration.displayName,
        members: object.assigned(configuration.source, in: tenant))
    }
  }

  private static func changes(_ kind: String, _ old: [Listed], _ new: [Listed], _ hides: Bool) -> [String] {
    let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
    let after = Set(new.map(\.id))
    var lines: [String] = []
    for object in new {
      let title = "\(kind) \(object.title.quoted)"
      guard let earlier = before[object.id] else {
        lines.append("\(title): added")
        continue
      }
      lines += memberChanges(earlier.members, object.members, hides).map { "\(title): \($0)" }
    }
    return lines + old.filter { !after.contains($0.id) }.map { "\(kind) \($0.title.quoted): removed" }
  }

  private static func memberChanges(_ old: JSONObject, _ new: JSONObject, _ hides: Bool) -> [String] {
    let names = new.names + old.names.filter { new[$0] == nil }
    return names.flatMap { name -> [String] in
      let (before, after) = (old[name] ?? .null, new[name] ?? .null)
      if before == after { return [] }
      if hides, name == "customSettings" { return customChanges(before, after) }
      return ["\(name): \(before.short) -> \(after.short)"]
    }
  }

  private static func customChanges(_ old: JSONValue, _ new: JSONValue) -> [String] {
    func values(_ list: JSONValue) -> [String: JSONValue] {
      let pairs = (list.arrayValue ?? []).map { ($0["name"]?.stringValue ?? "", $0["value"] ?? .null) }
      return Dictionary(pairs) { first, _ in first }
    }
    let (before, after) = (values(old), values(new))
    return Set(before.keys).union(after.keys).sorted().filter { before[$0] != after[$0] }.map { name in
      "customSettings \(name.quoted): \(before[name]?.digest ?? "not set") -> \(after[name]?.digest ?? "not set")"
    }
  }

  private static func userChanges(_ old: TenantUsers, _ new: TenantUsers) -> [String] {
    let before = Dictionary(old.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    let after = Dictionary(new.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    let counts = [
      ("added", after.keys.count { before[$0] == nil }), ("removed", before.keys.count { after[$0] == nil }),
      ("changed", after.values.count { user in before[user.id.lowercasedASCII].map { $0 != user } ?? false }),
    ]
    return counts.filter { $0.1 > 0 }.map { "\($0.1) user\($0.1 == 1 ? "" : "s") \($0.0)" }
  }

  /// How many users have joined and left each group. Names no user.
  private static func groupChanges(_ old: TenantUsers, _ new: TenantUsers) -> [String] {
    let before = Dictionary(old.map { ($0.id.lowercasedASCII, $0) }) { first, _ in first }
    var (joined, left): ([String: Int], [String: Int]) = ([:], [:])
    for user in new {
      guard let earlier = before[user.id.lowercasedASCII], earlier.groups != user.groups else { continue }
      let (was, now) = (Set(earlier.groups.map(\.lowercasedASCII)), Set(user.groups.map(\.lowercasedASCII)))
      for group in now.subtracting(was) { joined[group, default: 0] += 1 }
      for group in was.subtracting(now) { left[group, default: 0] += 1 }
    }
    return Set(joined.keys).union(left.keys).sorted().map { group in
      let counts = [("joined", joined[group] ?? 0), ("left", left[group] ?? 0)].filter { $0.1 > 0 }
      return "group \(group.quoted): "
        + counts.map { "\($0.1) user\($0.1 == 1 ? "" : "s") \($0.0)" }.joined(separator: ", ")
    }
  }

  private static func operationChanges(_ old: [TenantOperation], _ new: TenantSnapshot) -> [String] {
    let gone = new.listsOperations ? old.filter { !new.operations.contains($0) } : []
    return new.operations.filter { !old.contains($0) }.map { "\($0.line): ordered" }
      + gone.map { "\($0.line): taken back" }
  }

  private static func otherChanges(_ old: TenantSnapshot, _ new: TenantSnapshot) -> [String] {
    let parts = [
      ("tenantId", old.tenantId == new.tenantId), ("displayName", old.displayName == new.displayName),
      ("allowedAccounts", old.allowedAccounts == new.allowedAccounts),
      ("certificatePins", old.certificatePins == new.certificatePins), ("mdm", old.mdm == new.mdm),
      ("authentication", old.authentication == new.authentication),
      ("unknownRestrictions", old.blocksUnknownRestrictions == new.blocksUnknownRestrictions),
    ]
    return parts.filter { !$0.1 }.map { "tenant.json: \($0.0): changed" }
  }
}

extension TenantOperation {
  fileprivate var line: String { "\(kind.rawValue) of \(user.key.quoted) in \(app?.quoted ?? "every app")" }
}

extension JSONObject {
  /// With the groups and apps that tenant.json assigns to the object's file.
  fileprivate func assigned(_ file: String, in tenant: TenantSnapshot) -> JSONObject {
    var object = self
    let assignments = tenant.assignments.filter { $0.file == file }
    guard !assignments.isEmpty else { return object }
    object["assignments in tenant.json"] = .array(
      assignments.map { assignment in
        [
          "groups": .array(assignment.groups.map(JSONValue.string)),
          "apps": .array(assignment.apps.map(JSONValue.string)),
        ]
      })
    return object
  }
}

extension JSONValue {
  private static let longest = 100
  private static let digestBytes = 8

  /// The first bytes of the SHA-256 of the JSON text.
  fileprivate var digest: String {
    let digest = (try? SHA256.digest(Array(jsonText.utf8))) ?? []
    return "sha256:" + Hex.encode(Array(digest.prefix(Self.digestBytes)))
  }

  /// At most 100 characters of the JSON text.
  fileprivate var short: String {
    let text = jsonText
    return text.count > Self.longest ? text.prefix(Self.longest) + "…" : text
  }
}

extension String {
  fileprivate var quoted: String { JSONValue.string(self).jsonText }
}
