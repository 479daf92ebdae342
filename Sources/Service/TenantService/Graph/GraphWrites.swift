import HTTP
import JSON
import Model
import Support
import Tenancy

extension GraphRoute {
  private static let configurations = "deviceAppManagement/\(PolicyList.configurations.rawValue)"

  /// What changes policies. The actions below `targetedManagedAppConfigurations` are for any policy, as in Graph.
  static let policyWrites: [GraphRoute] =
    PolicyList.allCases.flatMap(writes)
    + [
      GraphRoute("deviceAppManagement/managedAppPolicies", method: "POST") { call, _ in try await call.create(nil) },
      GraphRoute("deviceAppManagement/managedAppPolicies/*", method: "DELETE") { call, keys in
        try await call.remove(nil, keys[0])
      },
      GraphRoute("deviceAppManagement/managedAppPolicies/*/targetApps", method: "POST") { call, keys in
        try await call.targetApps(nil, keys[0])
      },
      GraphRoute("\(configurations)/*/assign", method: "POST") { call, keys in try await call.assign(nil, keys[0]) },
      GraphRoute("\(configurations)/*/targetApps", method: "POST") { call, keys in
        try await call.targetApps(nil, keys[0])
      },
      GraphRoute("\(configurations)/*/changeSettings", method: "POST") { call, keys in
        try await call.changeSettings(keys[0])
      },
    ]

  private static func writes(of list: PolicyList) -> [GraphRoute] {
    let path = "deviceAppManagement/\(list.rawValue)"
    var routes = [
      GraphRoute(path, method: "POST") { call, _ in try await call.create(list) },
      GraphRoute("\(path)/*", method: "PATCH") { call, keys in try await call.update(list, keys[0]) },
      GraphRoute("\(path)/*", method: "DELETE") { call, keys in try await call.remove(list, keys[0]) },
    ]
    guard list != .configurations else { return routes }
    routes.append(
      GraphRoute("\(path)/*/targetApps", method: "POST") { call, keys in try await call.targetApps(list, keys[0]) })
    guard list.isAssigned else { return routes }
    routes.append(GraphRoute("\(path)/*/assign", method: "POST") { call, keys in try await call.assign(list, keys[0]) })
    return routes
  }
}

/// A list that is `nil` is that of all policies.
extension GraphCall {
  func create(_ list: PolicyList?) async throws -> GraphAnswer {
    try checkVersion(list)
    let body = try self.body()
    let list = try list ?? Self.list(of: body)
    try checkVersion(list)
    let stamp = GraphStamp(list, at: try await service.timeOfStore())
    let object = try GraphPolicyBody(list, isBeta: isBeta).created(body, stamp)
    let preview = try await edit { (tenant) throws(GraphError) in
      try tenant.checkFilters(of: object)
      return [.set(list, object)]
    }
    if let preview { return .value(.object(preview)) }
    return .created(entity(shownNew(object, list), "deviceAppManagement/\(list.rawValue)"))
  }

  private static func list(of body: JSONObject) throws(GraphError) -> PolicyList {
    guard let type = body["@odata.type"], !type.isNull else {
      throw .abstractType("the policy", example: PolicyList.ios.typeName)
    }
    return try PolicyList.named(byType: type)
  }

  /// As Graph answers: without its type, its apps and its assignments, of which it says that there are none yet.
  private func shownNew(_ object: JSONObject, _ list: PolicyList) -> JSONObject {
    var shown: JSONObject = [:]
    let hidden = ["@odata.type", "apps", "assignments", "settings"]
    for member in object.members where !hidden.contains(member.name) { shown[member.name] = member.value }
    if list.isAssigned { shown["isAssigned"] = false }
    shown["deployedAppCount"] = .integer(Int64(object["apps"]?.arrayValue?.count ?? 0))
    return visible(shown)
  }

  func update(_ list: PolicyList, _ id: String) async throws -> GraphAnswer {
    try checkVersion(list)
    let patch = try GraphPolicyBody(list, isBeta: isBeta).patch(try self.body())
    return try await change(list, id) { (policy) throws(GraphError) in
      var patch = patch
      if policy.override != nil, let group = patch["appGroupType"] {
        // A client that sends all that it has read changes nothing with it.
        guard group == policy.object["appGroupType"] else { throw policy.targetingConflict }
        patch = JSONObject(patch.members.filter { $0.name != "appGroupType" }.map { ($0.name, $0.value) })
      }
      return patch
    }
  }

  func assign(_ list: PolicyList?, _ id: String) async throws -> GraphAnswer {
    let body = try self.body()
    return try await change(list, id) { (policy) throws(GraphError) in
      guard policy.list.isAssigned else { throw noRoute("~/singleton/navigation/key/action") }
      try policy.checkTargeting()
      return try GraphTargetsBody(policy.list).assign(body)
    }
  }

  func targetApps(_ list: PolicyList?, _ id: String) async throws -> GraphAnswer {
    let body = try self.body()
    return try await change(list, id) { (policy) throws(GraphError) in
      try policy.checkTargeting()
      return try GraphTargetsBody(policy.list).targetApps(body)
    }
  }

  func changeSettings(_ id: String) async throws -> GraphAnswer {
    guard isBeta else { throw noRoute("~/singleton/navigation/key/action") }
    let settings = try GraphTargetsBody.changeSettings(try self.body())
    return try await change(.configurations, id) { (_) throws(GraphError) in settings }
  }

  func remove(_ list: PolicyList?, _ id: String) async throws -> GraphAnswer {
    try checkVersion(list)
    let preview = try await edit { (tenant) throws(GraphError) in
      let policy = try tenant.found(list, id, isBeta: isBeta)
      try checkMatch(policy)
      return [.remove(policy.list, id: policy.id)]
    }
    return preview.map { .value(.object($0)) } ?? .done
  }

  /// Sets members of a policy, which `members` chooses for the policy as it is at the source.
  private func change(
    _ list: PolicyList?, _ id: String,
    _ members: @escaping @Sendable (GraphTenant.Policy) throws(GraphError) -> JSONObject
  ) async throws -> GraphAnswer {
    try checkVersion(list)
    let stamp = GraphStamp(list, at: try await service.timeOfStore())
    let preview = try await edit { (tenant) throws(GraphError) in
      let policy = try tenant.found(list, id, isBeta: isBeta)
      try checkMatch(policy)
      let members = try members(policy)
      guard var object = policy.stored else {
        throw GraphError(
          409, "Conflict",
          "\(policy.file) has the policy in the form of a device, which Graph cannot change. Replace it with an export of "
            + "Graph."
        )
      }
      for member in members.members { object[member.name] = member.value }
      try GraphRules.check(object, touching: members.names)
      try tenant.checkFilters(of: members)
      object["version"] = .string(stamp.version)
      object["lastModifiedDateTime"] = .string(stamp.change)
      return [.set(policy.list, object)]
    }
    return preview.map { .value(.object($0)) } ?? .done
  }
}

// MARK: - Edits

extension GraphCall {
  private static let previewParameter = "$preview"

  /// Carries out a change, or says what it would do if the request asks for a preview.
  func edit(
    _ change: @escaping @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> JSONObject? {
    guard let editor = service.editor else { throw .notAllowed("GET, HEAD") }
    guard let actor = caller.name else {
      throw GraphError(403, "Forbidden", "The token names nobody who could have changed the tenant.")
    }
    let query = try GraphQuery(target, parameters: [Self.previewParameter])
    let administrators = service.settings.administrators
    let order = TenantEditOrder(
      actor: actor, mayWipe: administrators.permits(.wipe, caller),
      wipeRight: administrators.names(of: .wipe) ?? "a role that may wipe")
    switch query.parameters[Self.previewParameter] {
    case "true": return try await editor.preview(order, change)
    case nil, "false":
      try await editor.edit(order, change)
      return nil
    default: throw .badRequest("\(Self.previewParameter) must be true or false.")
    }
  }

  /// The body of a request that needs one.
  func body() throws(GraphError) -> JSONObject {
    let type = request.headers["Content-Type"]?.split(separator: ";").first?.lowercased().trimmedASCII
    guard type == "application/json" else {
      throw .unreadable("The header Content-Type is \(type ?? "missing"); send application/json.")
    }
    let value: JSONValue
    do throws(JSONParseError) {
      value = try JSONValue(parsing: request.body)
    } catch {
      throw .unreadable("The body is not JSON: \(error.description)")
    }
    guard let object = value.objectValue else { throw .unreadable("The body must be an object, not \(value.brief).") }
    return object
  }

  /// Throws 412 unless the header `If-Match` is missing, or names the policy as it is: by its version, or by the entity tag of
  /// the answer that showed it.
  private func checkMatch(_ policy: GraphTenant.Policy) throws(GraphError) {
    guard let match = request.headers["If-Match"], match.trimmedASCII != "*" else { return }
    let version = policy.object["version"]?.stringValue ?? ""
    let shown = entity(visible(policy.object), "deviceAppManagement/\(policy.list.rawValue)")
    let tag = GraphService.tag(of: Array(shown.jsonText.utf8))
    let known = (version.isEmpty ? [] : [version, "\"\(version)\""]) + [tag].compactMap { $0 }
    guard !match.split(separator: ",").map(\.trimmedASCII).contains(where: known.contains) else { return }
    throw GraphError(
      412, "PreconditionFailed",
      "The policy has changed: its version is \(version.isEmpty ? "not known" : version), not \(match.prefix(100)). Read it "
        + "again.")
  }

  func noRoute(_ template: String) -> GraphError {
    GraphError(
      400, "No method match route template",
      "No OData route exists that match template \(template) with http verb \(request.method) for request "
        + "\(path.text.prefix(200)).")
  }
}

extension GraphTenant {
  /// Throws if there is no policy with the id in the list; in any list for `nil`.
  func found(_ list: PolicyList?, _ id: String, isBeta: Bool) throws(GraphError) -> Policy {
    guard let policy = policy(id), list == nil || policy.list == list, isBeta || !policy.list.isBeta else {
      let name = list?.rawValue ?? GraphCall.allPolicies
      throw .intune(404, "ResourceNotFound", "There is no policy \(id.prefix(100)) among \(name).")
    }
    return policy
  }

  /// Throws if an assignment names a filter that the tenant does not have.
  fileprivate func checkFilters(of object: JSONObject) throws(GraphError) {
    let known = Set(snapshot.assignmentFilters.compactMap { $0["id"]?.stringValue?.lowercasedASCII })
    for assignment in object["assignments"]?.arrayValue ?? [] {
      let id = assignment["target"]?[GraphTargets.filterMember + "Id"] ?? .null
      guard GraphTargets.namesFilter(id), let name = id.stringValue, !known.contains(name.lowercasedASCII) else {
        continue
      }
      throw .intune(
        400, "BadRequest",
        "There is no assignment filter \(name.prefix(100)). /deviceManagement/assignmentFilters lists the filters.")
    }
  }
}

extension GraphTenant.Policy {
  /// Throws if tenant.json says for whom and for which apps the policy is.
  fileprivate func checkTargeting() throws(GraphError) {
    if override != nil { throw targetingConflict }
  }

  fileprivate var targetingConflict: GraphError {
    GraphError(
      409, "Conflict",
      "assignments/\(override ?? 0) in tenant.json overrides the assignments and apps of \(file). Remove that entry, or "
        + "change it.")
  }
}
