import JSON
import Model
import Tenancy

extension GraphRoute {
  static let directory: [GraphRoute] =
    [
      GraphRoute("organization") { call, _ in try call.organization() },
      GraphRoute("users") { call, _ in try call.users(call.tenant.users, "users") },
      GraphRoute("users/*") { call, keys in try call.user(keys[0]) },
      GraphRoute("me") { call, _ in try call.user(call.me()) },
      GraphRoute("groups") { call, _ in try call.groups(call.tenant.groups, "groups") },
      GraphRoute("groups/*") { call, keys in try call.group(keys[0]) },
    ]
    + ["memberOf", "transitiveMemberOf"].flatMap { name in
      [
        GraphRoute("users/*/\(name)") { call, keys in try call.groups(ofUser: keys[0]) },
        GraphRoute("users/*/\(name)/group") { call, keys in try call.groups(ofUser: keys[0]) },
        GraphRoute("me/\(name)") { call, _ in try call.groups(ofUser: call.me()) },
        GraphRoute("me/\(name)/group") { call, _ in try call.groups(ofUser: call.me()) },
      ]
    }
    + ["members", "transitiveMembers"].flatMap { name in
      [
        GraphRoute("groups/*/\(name)") { call, keys in try call.members(keys[0]) },
        GraphRoute("groups/*/\(name)/user") { call, keys in try call.members(keys[0]) },
      ]
    }
}

extension GraphCall {
  func organization() throws(GraphError) -> GraphAnswer {
    let organization: JSONObject = [
      "@odata.type": "#microsoft.graph.organization", "id": .string(tenant.snapshot.tenantId),
      "displayName": .string(tenant.snapshot.displayName),
    ]
    return try page([organization], "organization", try query(of: .organization))
  }

  func users(_ users: [TenantUser], _ context: String) throws(GraphError) -> GraphAnswer {
    try page(users.map(\.graph), context, try query(of: .user))
  }

  func user(_ key: String) throws(GraphError) -> GraphAnswer {
    item(try found(user: key).graph, "users", try query(of: .user, Self.itemOptions))
  }

  /// The object id of the caller. A program has none.
  func me() throws(GraphError) -> String {
    guard let id = caller.objectId, tenant.user(id) != nil else {
      throw .badRequest("/me is only for a token of a user whom the tenant lists.")
    }
    return id
  }

  func groups(ofUser key: String) throws(GraphError) -> GraphAnswer {
    let user = try found(user: key)
    let ids = Set(user.groups.map(\.lowercasedASCII)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return try groups(ids, "directoryObjects")
  }

  func groups(_ ids: [String], _ context: String) throws(GraphError) -> GraphAnswer {
    try page(ids.map(Self.group), context, try query(of: .group))
  }

  func group(_ key: String) throws(GraphError) -> GraphAnswer {
    item(Self.group(try found(group: key)), "groups", try query(of: .group, Self.itemOptions))
  }

  /// All members, because the folder lists the groups of a user with those that they are in.
  func members(_ key: String) throws(GraphError) -> GraphAnswer {
    try users(tenant.members(of: try found(group: key)), "directoryObjects")
  }

  private func found(group key: String) throws(GraphError) -> String {
    let id = key.lowercasedASCII
    guard tenant.groups.contains(id) else { throw .notFound("There is no group \(key.prefix(100)).") }
    return id
  }

  func found(user key: String) throws(GraphError) -> TenantUser {
    guard let user = tenant.user(key) else { throw .notFound("There is no user \(key.prefix(100)).") }
    return user
  }

  /// A folder knows a group by its id, or by its name.
  static func group(_ id: String) -> JSONObject {
    [
      "@odata.type": "#microsoft.graph.group", "id": .string(id), "displayName": .string(id), "description": .null,
      "groupTypes": [], "mailEnabled": false, "mailNickname": .string(id), "membershipRule": .null,
      "securityEnabled": true,
    ]
  }
}

extension TenantUser {
  /// As Graph shows a user.
  var graph: JSONObject { Self.graph(ofListed: listed) }

  /// As tenant.json has the user.
  var listed: JSONObject {
    var user: JSONObject = [
      "id": .string(id), "userPrincipalName": .string(userPrincipalName),
      "displayName": .string(displayName), "mail": mail.map(JSONValue.string) ?? .null, "licensed": .bool(isLicensed),
      "accountEnabled": .bool(isEnabled), "groups": .array(groups.map(JSONValue.string)),
    ]
    if let clock {
      user["clock"] = [
        "status": .string(clock.status.rawValue), "updated": clock.updated.map(JSONValue.string) ?? .null,
      ]
    }
    return user
  }

  /// A user of tenant.json with all members, as Graph shows it. A license is shown as Intune's plan.
  static func graph(ofListed user: JSONObject) -> JSONObject {
    let plan: JSONValue = [
      "capabilityStatus": "Enabled", "service": "SCO", "servicePlanId": "c1ec4a95-1f05-45b3-a911-aa3fa01094f5",
    ]
    var graph: JSONObject = ["@odata.type": "#microsoft.graph.user"]
    for name in ["id", "userPrincipalName", "displayName", "mail", "accountEnabled"] {
      graph[name] = user[name] ?? .null
    }
    graph["id"] = user["id"]?.stringValue.map { .string($0.lowercasedASCII) } ?? .null
    graph["assignedPlans"] = .array(user["licensed"] == true ? [plan] : [])
    return graph
  }
}
