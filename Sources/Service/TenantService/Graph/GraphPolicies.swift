import JSON
import Model

extension GraphRoute {
  static let policies: [GraphRoute] = routes(of: nil) + PolicyList.allCases.flatMap(routes)

  /// `nil` for the list of all policies.
  private static func routes(of list: PolicyList?) -> [GraphRoute] {
    let path = "deviceAppManagement/\(GraphCall.name(of: list))"
    let lists = [
      GraphRoute(path) { call, _ in try call.policies(list) },
      GraphRoute("\(path)/*") { call, keys in try call.policy(list, keys[0]) },
    ]
    guard let list else { return lists }
    let apps = GraphRoute("\(path)/*/apps") { call, keys in
      try call.part("apps", .app, of: list, keys[0]) { $0.apps }
    }
    guard list.isAssigned else { return lists + [apps] }
    return lists + [
      apps,
      GraphRoute("\(path)/*/assignments") { call, keys in
        try call.part("assignments", .assignment, of: list, keys[0]) { $0.assignments ?? [] }
      },
    ]
  }
}

/// A list that is `nil` is that of all policies.
extension GraphCall {
  fileprivate static func name(of list: PolicyList?) -> String { list?.rawValue ?? "managedAppPolicies" }

  func policies(_ list: PolicyList?) throws(GraphError) -> GraphAnswer {
    try checkVersion(list)
    let policies = tenant.policies(in: list).filter { isBeta || !$0.list.isBeta }
    let query = try query(
      of: .policy(list).adding(policies.map(\.object)), expanding: Self.expandable(list))
    let objects = policies.map { $0.expanded(query) }
    return page(objects, "deviceAppManagement/\(Self.name(of: list))", query)
  }

  func policy(_ list: PolicyList?, _ id: String) throws(GraphError) -> GraphAnswer {
    let policy = try found(list, id)
    let query = try query(
      of: .policy(list).adding([policy.object]), Self.itemOptions, expanding: Self.expandable(list))
    return item(policy.expanded(query), "deviceAppManagement/\(Self.name(of: list))", query)
  }

  func part(
    _ name: String, _ properties: GraphProperties, of list: PolicyList, _ id: String,
    _ values: (GraphTenant.Policy) -> [JSONValue]
  ) throws(GraphError) -> GraphAnswer {
    let policy = try found(list, id)
    let objects = values(policy).compactMap(\.objectValue).sortedByID
    let query = try query(of: properties.adding(objects))
    return page(objects, "deviceAppManagement/\(Self.name(of: list))('\(policy.id)')/\(name)", query)
  }

  private static func expandable(_ list: PolicyList?) -> [String] {
    list.map { $0.isAssigned ? ["apps", "assignments"] : ["apps"] } ?? []
  }

  private func found(_ list: PolicyList?, _ id: String) throws(GraphError) -> GraphTenant.Policy {
    try checkVersion(list)
    guard let policy = tenant.policy(id), list == nil || policy.list == list,
      isBeta || !policy.list.isBeta
    else { throw .notFound("There is no policy \(id.prefix(100)) among \(Self.name(of: list)).") }
    return policy
  }

  private func checkVersion(_ list: PolicyList?) throws(GraphError) {
    guard isBeta || list?.isBeta != true else {
      throw .badRequest("Resource not found for the segment '\(Self.name(of: list))'. It is in the beta only.")
    }
  }
}

extension GraphTenant.Policy {
  fileprivate func expanded(_ query: GraphQuery) -> JSONObject {
    var object = object
    if query.expand.contains("apps") { object["apps"] = .array(apps) }
    if query.expand.contains("assignments") { object["assignments"] = .array(assignments ?? []) }
    return object
  }
}
