import Database
import JSON
import Model

extension GraphRoute {
  static let policies: [GraphRoute] = routes(of: nil) + PolicyList.allCases.flatMap(routes)

  /// `nil` for the list of all policies.
  private static func routes(of list: PolicyList?) -> [GraphRoute] {
    let path = "deviceAppManagement/\(GraphCall.name(of: list))"
    let lists = [
      GraphRoute(path) { call, _ in try await call.policies(list) },
      GraphRoute("\(path)/*") { call, keys in try await call.policy(list, keys[0]) },
    ]
    guard let list else { return lists }
    let apps = GraphRoute("\(path)/*/apps") { call, keys in
      try call.part("apps", .app, of: list, keys[0]) { $0.apps }
    }
    guard list.isAssigned else { return lists + [apps] }
    let settings = GraphRoute("\(path)/*/settings") { call, keys in try call.settings(keys[0]) }
    return lists + (list == .configurations ? [settings] : []) + [
      apps,
      GraphRoute("\(path)/*/assignments") { call, keys in
        try call.part("assignments", .assignment, of: list, keys[0]) { $0.assignments ?? [] }
      },
    ]
  }
}

/// A list that is `nil` is that of all policies.
extension GraphCall {
  static let allPolicies = "managedAppPolicies"
  private static let summary = "deploymentSummary"

  fileprivate static func name(of list: PolicyList?) -> String { list?.rawValue ?? allPolicies }

  func policies(_ list: PolicyList?) async throws -> GraphAnswer {
    try checkVersion(list)
    let policies = tenant.policies(in: list).filter { isBeta || !$0.list.isBeta }
    let shown = policies.map { visible($0.object) }
    let query = try query(of: .policy(list, isBeta: isBeta).adding(shown), expanding: expandable(list))
    let summaries = try await summaries(policies, query)
    let objects = zip(policies, shown).map { policy, object in
      expanded(object, policy, query, summaries?[policy.id])
    }
    let name = "deviceAppManagement/\(Self.name(of: list))"
    return try page(objects, name + Self.expansion(query), query)
  }

  func policy(_ list: PolicyList?, _ id: String) async throws -> GraphAnswer {
    let policy = try found(list, id)
    let shown = visible(policy.object)
    let query = try query(
      of: .policy(list, isBeta: isBeta).adding([shown]), Self.itemOptions, expanding: expandable(list))
    let object = expanded(shown, policy, query, try await summaries([policy], query)?[policy.id])
    // In the list of all, the type of the policy comes after it.
    let name = list?.rawValue ?? "\(Self.allPolicies)/microsoft.graph.\(policy.list.typeName)"
    return item(object, "deviceAppManagement/\(name)" + Self.expansion(query), query)
  }

  func part(
    _ name: String, _ properties: GraphProperties, of list: PolicyList, _ id: String,
    _ values: (GraphTenant.Policy) -> [JSONValue]
  ) throws(GraphError) -> GraphAnswer {
    let policy = try found(list, id)
    let objects = values(policy).compactMap(\.objectValue).sortedByID
    let query = try query(of: properties.adding(objects))
    return try page(objects, "deviceAppManagement/\(list.rawValue)('\(policy.id)')/\(name)", query)
  }

  /// Those that `changeSettings` has set.
  func settings(_ id: String) throws(GraphError) -> GraphAnswer {
    guard isBeta else { throw .badRequest("Resource not found for the segment 'settings'. It is in the beta only.") }
    return try part("settings", .setting, of: .configurations, id) { $0.settings }
  }

  func found(_ list: PolicyList?, _ id: String) throws(GraphError) -> GraphTenant.Policy {
    try checkVersion(list)
    return try tenant.found(list, id, isBeta: isBeta)
  }

  func checkVersion(_ list: PolicyList?) throws(GraphError) {
    guard isBeta || list?.isBeta != true else {
      throw .badRequest("Resource not found for the segment '\(Self.name(of: list))'. It is in the beta only.")
    }
  }
}

// MARK: - Expansion

extension GraphCall {
  private func expandable(_ list: PolicyList?) -> [String] {
    guard let list else { return [] }
    let lists = list.isAssigned ? ["apps", "assignments"] : ["apps"]
    return lists + [Self.summary] + (list == .configurations && isBeta ? ["settings"] : [])
  }

  /// `(apps(),assignments())` in the context of an answer.
  private static func expansion(_ query: GraphQuery) -> String {
    query.expand.isEmpty ? "" : "(" + query.expand.map { $0 + "()" }.joined(separator: ",") + ")"
  }

  private func expanded(
    _ object: JSONObject, _ policy: GraphTenant.Policy, _ query: GraphQuery, _ summary: JSONObject?
  ) -> JSONObject {
    var object = object
    for name in query.expand {
      let place = "deviceAppManagement/\(policy.list.rawValue)('\(policy.id)')/\(name)"
      object["\(name)@odata.context"] = context(name == Self.summary ? place + "/$entity" : place)
      object[name] =
        switch name {
        case "apps": .array(policy.apps)
        case "assignments": .array(policy.assignments ?? [])
        case "settings": .array(policy.settings)
        default: summary.map(JSONValue.object) ?? .null
        }
    }
    return object
  }

  /// How many users have each policy, by its id; `nil` unless the query asks. Looks at every registration, once for all
  /// policies.
  private func summaries(
    _ policies: [GraphTenant.Policy], _ query: GraphQuery
  ) async throws -> [String: JSONObject]? {
    guard query.expand.contains(Self.summary) else { return nil }
    var users: [String: [String: Set<String>]] = [:]
    for policy in policies { users[policy.id] = [:] }
    try await forEachRegistration { registration in
      for applied in registration.applied {
        users[applied.id]?[registration.appId + "\u{0}" + registration.platform.rawValue, default: []]
          .insert(registration.userId)
      }
    }
    let now = service.clock.now.description
    return Dictionary(uniqueKeysWithValues: policies.map { ($0.id, $0.summary(users[$0.id] ?? [:], at: now)) })
  }
}

extension GraphTenant.Policy {
  /// `users` are those of each app and platform.
  fileprivate func summary(_ users: [String: Set<String>], at time: String) -> JSONObject {
    let apps = users.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { key, users -> JSONValue in
      let parts = key.split(separator: "\u{0}").map(String.init)
      let platform = GraphTargets.Platform(DevicePlatform(rawValue: parts.last ?? "") ?? .ios)
      return [
        "mobileAppIdentifier": platform.identifier(parts.first ?? ""),
        "configurationAppliedUserCount": .integer(Int64(users.count)),
      ]
    }
    return [
      "id": .string(id), "displayName": object["displayName"] ?? .null,
      "configurationDeployedUserCount": .integer(Int64(users.values.reduce(into: Set()) { $0.formUnion($1) }.count)),
      "lastRefreshTime": .string(time), "configurationDeploymentSummaryPerApp": .array(apps),
      "version": object["version"] ?? .null,
    ]
  }
}

extension GraphTenant.Policy {
  /// Those of the settings catalog, which have no effect here.
  fileprivate var settings: [JSONValue] { stored?["settings"]?.arrayValue ?? [] }
}
