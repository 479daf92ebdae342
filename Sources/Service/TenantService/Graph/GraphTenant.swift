import JSON
import Model
import Policy
import Tenancy

/// The served tenant as Graph shows it.
package struct GraphTenant: Sendable {
  /// A policy or an app configuration.
  package struct Policy: Sendable {
    package let list: PolicyList
    /// Without apps and assignments.
    package let object: JSONObject
    package let apps: [JSONValue]
    /// `nil` for a type that has none.
    package let assignments: [JSONValue]?
    /// As its file has it, with its id and its type; `nil` for the dictionary of a device.
    let stored: JSONObject?
    /// Relative to the tenant's folder.
    let file: String
    /// The place of the first entry of tenant.json that replaces the targeting of the file; `nil` if none does.
    let override: Int?

    package var id: String { object["id"]?.stringValue ?? "" }
  }

  package let snapshot: TenantSnapshot
  /// Sorted by id, like all lists, so that the id of the last element says where the next page begins.
  package let policies: [Policy]
  /// Without deleted users, as in Graph.
  package let users: [TenantUser]
  /// The ids or names of all groups, in lower case.
  package let groups: [String]
  private let usersByKey: [String: Int]

  /// Shows the objects of the snapshot. The dictionary of a device, which Graph does not know, is shown with its settings.
  package init(_ snapshot: TenantSnapshot) {
    self.snapshot = snapshot
    let assignments = Dictionary(grouping: snapshot.assignments.enumerated(), by: \.element.file)
    let protections = snapshot.policies.enumerated().map { index, document in
      let object = snapshot.policyObjects.element(index).flatMap { $0.deviceDictionary == nil ? $0 : nil }
      return Policy(document, object, assignments[document.source])
    }
    let configurations = snapshot.configurations.enumerated().map { index, document in
      Policy(document, snapshot.configurationObjects.element(index), assignments[document.source])
    }
    policies = (protections + configurations).sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    users = snapshot.users.filter { !$0.isDeleted }.sorted {
      $0.id.lowercasedASCII.utf8.lexicographicallyPrecedes($1.id.lowercasedASCII.utf8)
    }
    let named = policies.flatMap { $0.assignments ?? [] }.compactMap { $0["target"]?["groupId"]?.stringValue }
    groups = Set((users.flatMap(\.groups) + named).map(\.lowercasedASCII)).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    let keys = users.enumerated().flatMap { index, user in
      [(user.userPrincipalName.lowercasedASCII, index), (user.id.lowercasedASCII, index)]
    }
    usersByKey = Dictionary(keys) { first, _ in first }
  }

  /// The user with an object id or a user principal name.
  package func user(_ key: String) -> TenantUser? { usersByKey[key.lowercasedASCII].map { users[$0] } }

  /// The policies of a list; all of them for `nil`.
  package func policies(in list: PolicyList?) -> [Policy] {
    list == nil ? policies : policies.filter { $0.list == list }
  }

  package func policy(_ id: String) -> Policy? {
    policies.first { $0.id.lowercasedASCII == id.lowercasedASCII }
  }

  /// The users in a group.
  package func members(of group: String) -> [TenantUser] {
    users.filter { user in user.groups.contains { $0.lowercasedASCII == group } }
  }
}

extension PolicyList {
  /// Whether the list is in the beta alone.
  var isBeta: Bool { self == .windows }

  fileprivate init(_ kind: PolicyKind) {
    self =
      switch kind {
      case .ios: .ios
      case .android: .android
      case .windows: .windows
      case .default: .default
      }
  }
}

extension GraphTenant.Policy {
  /// What tenant.json says instead of the policy, with the places of the entries.
  fileprivate typealias Assigned = [(offset: Int, element: TenantAssignment)]

  fileprivate init(_ document: PolicyDocument, _ raw: JSONObject?, _ assigned: Assigned?) {
    let stored = raw == nil ? try? JSONValue(parsing: document.encoded) : nil
    self.init(
      PolicyList(document.kind), id: document.id, displayName: document.displayName, version: document.version,
      raw ?? (stored?["settings"]?.objectValue ?? [:]), document.targeting, assigned, stored: raw, document.source)
  }

  fileprivate init(_ document: ConfigurationDocument, _ raw: JSONObject?, _ assigned: Assigned?) {
    let pairs = document.customSettings.map {
      JSONValue.object(["name": .string($0.name), "value": .string($0.value)])
    }
    self.init(
      .configurations, id: document.id, displayName: document.displayName, version: document.version,
      raw ?? ["customSettings": .array(pairs)], document.targeting, assigned, stored: raw, document.source)
  }

  private init(
    _ list: PolicyList, id: String, displayName: String, version: String?, _ members: JSONObject,
    _ targeting: PolicyTargeting, _ assigned: Assigned?, stored: JSONObject?, _ file: String
  ) {
    var object: JSONObject = ["@odata.type": .string(list.type), "id": .string(id)]
    object["displayName"] = .string(displayName)
    object["version"] = version.map(JSONValue.string) ?? .null
    for member in members.members where !Self.isTargeting(member.name) && object[member.name] == nil {
      object[member.name] = member.value
    }
    let targets = GraphTargets(list, targeting, members, assigned?.map(\.element))
    if list.isAssigned {
      object["isAssigned"] = .bool(targets.assignments?.isEmpty == false)
      if let type = targets.appGroupType { object["appGroupType"] = .string(type) }
    }
    object["deployedAppCount"] = .integer(Int64(targets.apps.count))
    self.init(
      list: list, object: object, apps: targets.apps,
      assignments: list.isAssigned ? targets.assignments ?? [] : nil, stored: stored, file: file,
      override: assigned?.first?.offset)
  }

  /// Members that are lists of their own, and what Graph says about the export that they came from.
  private static func isTargeting(_ name: String) -> Bool {
    name == "apps" || name == "assignments" || name == "settings" || name.contains("@odata.")
  }
}

extension [JSONObject] {
  /// `nil` beyond the end: the objects are kept only where they are needed.
  fileprivate func element(_ index: Int) -> JSONObject? { indices.contains(index) ? self[index] : nil }
}
