import JSON

extension GraphRoute {
  static let policies: [GraphRoute] = GraphCollection.allCases.flatMap { collection -> [GraphRoute] in
    let path = "deviceAppManagement/\(collection.rawValue)"
    let lists = [
      GraphRoute(path) { call, _ in try call.policies(collection) },
      GraphRoute("\(path)/*") { call, keys in try call.policy(collection, keys[0]) },
    ]
    guard collection != .managedAppPolicies else { return lists }
    let apps = GraphRoute("\(path)/*/apps") { call, keys in
      try call.part("apps", of: collection, keys[0]) { $0.apps }
    }
    guard collection.isTargeted else { return lists + [apps] }
    return lists + [
      apps,
      GraphRoute("\(path)/*/assignments") { call, keys in
        try call.part("assignments", of: collection, keys[0]) { $0.assignments ?? [] }
      },
    ]
  }
}

extension GraphCall {
  func policies(_ collection: GraphCollection) throws(GraphError) -> GraphAnswer {
    try checkVersion(collection)
    let query = try query(expanding: Self.expandable(collection))
    let objects = tenant.policies(in: collection).filter { isBeta || !$0.collection.isBeta }.map { policy in
      policy.expanded(query)
    }
    return page(objects, "deviceAppManagement/\(collection.rawValue)", query)
  }

  func policy(_ collection: GraphCollection, _ id: String) throws(GraphError) -> GraphAnswer {
    let policy = try found(collection, id)
    let query = try query(Self.itemOptions, expanding: Self.expandable(collection))
    return item(policy.expanded(query), "deviceAppManagement/\(collection.rawValue)", query)
  }

  func part(
    _ name: String, of collection: GraphCollection, _ id: String, _ values: (GraphTenant.Policy) -> [JSONValue]
  ) throws(GraphError) -> GraphAnswer {
    let policy = try found(collection, id)
    let query = try query()
    let objects = values(policy).compactMap(\.objectValue).sortedByID
    return page(objects, "deviceAppManagement/\(collection.rawValue)('\(policy.id)')/\(name)", query)
  }

  private static func expandable(_ collection: GraphCollection) -> [String] {
    collection == .managedAppPolicies ? [] : collection.isTargeted ? ["apps", "assignments"] : ["apps"]
  }

  private func found(_ collection: GraphCollection, _ id: String) throws(GraphError) -> GraphTenant.Policy {
    try checkVersion(collection)
    guard let policy = tenant.policy(id), collection == .managedAppPolicies || policy.collection == collection,
      isBeta || !policy.collection.isBeta
    else { throw .notFound("There is no policy \(id.prefix(100)) among \(collection.rawValue).") }
    return policy
  }

  private func checkVersion(_ collection: GraphCollection) throws(GraphError) {
    guard isBeta || !collection.isBeta else {
      throw .badRequest("Resource not found for the segment '\(collection.rawValue)'. It is in the beta only.")
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
