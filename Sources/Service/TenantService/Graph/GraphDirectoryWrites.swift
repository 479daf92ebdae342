import HTTP
import JSON
import Model
import Support
import Tenancy

/// Users and groups of a tenant for development. A group is a name that users have: it is there as long as a user is in it,
/// or a policy is assigned to it.
extension GraphRoute {
  static let directoryWrites: [GraphRoute] = [
    GraphRoute("users", method: "POST") { call, _ in try await call.createUser() },
    GraphRoute("users/*", method: "PATCH") { call, keys in try await call.updateUser(keys[0]) },
    GraphRoute("users/*", method: "DELETE") { call, keys in try await call.deleteUser(keys[0]) },
    GraphRoute("users/*/assignLicense", method: "POST") { call, keys in try await call.assignLicense(keys[0]) },
    GraphRoute("groups", method: "POST") { call, _ in try await call.createGroup() },
    GraphRoute("groups/*/members/$ref", method: "POST") { call, keys in try await call.addMember(to: keys[0]) },
    GraphRoute("groups/*/members/*/$ref", method: "DELETE") { call, keys in
      try await call.removeMember(keys[1], from: keys[0])
    },
  ]
}

extension GraphCall {
  private static let users = "users"

  /// What a client may send of a user, and what only Entra needs, which is accepted and not kept.
  private static let userMembers: [String: GraphMemberType] = [
    "userPrincipalName": .text, "displayName": .text, "mail": .text, "accountEnabled": .flag, "id": .readOnly,
    "mailNickname": .readOnly, "passwordProfile": .readOnly, "usageLocation": .readOnly, "givenName": .readOnly,
    "surname": .readOnly,
  ]

  private func userMembers() throws(GraphError) -> JSONObject {
    var members: JSONObject = [:]
    for member in try body().members where !member.name.isAnnotation {
      guard let type = Self.userMembers[member.name] else {
        throw .unknownMember(member.name, of: "microsoft.graph.user", known: Self.userMembers.keys.sorted())
      }
      if case .readOnly = type { continue }
      let isUnset = member.name == "mail" && member.value.isNull
      members[member.name] = isUnset ? .null : try type.checked(member.value, member.name)
    }
    return members
  }

  func createUser() async throws -> GraphAnswer {
    var user = try userMembers()
    for name in ["userPrincipalName", "displayName"] where user[name]?.stringValue.map(\.isEmpty) ?? true {
      throw GraphError.badRequest("A value is required for property '\(name)' of resource 'User'.")
    }
    let name = user["userPrincipalName"]?.stringValue ?? ""
    user = JSONObject([("id", .string(String.randomUUID))]).adding(user)
    user["groups"] = []
    if user["accountEnabled"] == nil { user["accountEnabled"] = true }
    // As in Entra, a license has to be assigned.
    user["licensed"] = false
    let preview = try await edit { [user] (tenant) throws(GraphError) in
      guard tenant.user(name) == nil else {
        throw .badRequest(
          "Another object with the same value for property userPrincipalName already exists: \(name.prefix(100)).")
      }
      return [.setUser(user)]
    }
    if let preview { return .value(.object(preview)) }
    return .created(entity(TenantUser.graph(ofListed: user), Self.users))
  }

  func updateUser(_ key: String) async throws -> GraphAnswer {
    let members = try userMembers()
    return try await changeUser(key) { (user, tenant) throws(GraphError) in
      if let name = members["userPrincipalName"]?.stringValue {
        guard !name.isEmpty, tenant.user(name).map({ $0.id == user.id }) ?? true else {
          throw .badRequest("userPrincipalName must be a name that no other user has, not \"\(name.prefix(100))\".")
        }
      }
      return user.listed.adding(members)
    }
  }

  /// Says that the account is gone, which is more than to leave it out: hosts end it.
  func deleteUser(_ key: String) async throws -> GraphAnswer {
    try await changeUser(key) { (user, _) throws(GraphError) in user.listed.adding(["deleted": true]) }
  }

  /// Any license counts as that of Intune.
  func assignLicense(_ key: String) async throws -> GraphAnswer {
    let body = try self.body()
    let lists = ["addLicenses", "removeLicenses"]
    if let other = body.names.first(where: { !$0.isAnnotation && !lists.contains($0) }) {
      throw GraphError.unknownParameter(other, of: "assignLicense", known: lists)
    }
    var counts: [Int] = []
    for name in lists {
      guard let list = body[name]?.arrayValue else { throw GraphError.mismatch(name, "a list", body[name] ?? .null) }
      counts.append(list.count)
    }
    guard (counts[0] > 0) != (counts[1] > 0) else {
      throw GraphError.badRequest("Add licenses, or remove them: one of addLicenses and removeLicenses must be empty.")
    }
    let isLicensed = counts[0] > 0
    let licensed: JSONObject = ["licensed": .bool(isLicensed)]
    let answer = try await changeUser(key) { (user, _) throws(GraphError) in user.listed.adding(licensed) }
    guard case .done = answer, let user = tenant.user(key) else { return answer }
    return .value(entity(TenantUser.graph(ofListed: user.listed.adding(licensed)), Self.users))
  }

  private func changeUser(
    _ key: String, _ change: @escaping @Sendable (TenantUser, GraphTenant) throws(GraphError) -> JSONObject
  ) async throws -> GraphAnswer {
    let preview = try await edit { (tenant) throws(GraphError) in
      guard let user = tenant.user(key) else { throw .notFound("There is no user \(key.prefix(100)).") }
      return [.setUser(try change(user, tenant))]
    }
    return preview.map { .value(.object($0)) } ?? .done
  }
}

// MARK: - Groups

extension GraphCall {
  /// Nothing is kept of a group until a user is in it, or a policy is assigned to it.
  func createGroup() async throws -> GraphAnswer {
    let body = try self.body()
    let known = ["displayName", "description", "mailEnabled", "mailNickname", "securityEnabled", "groupTypes"]
    if let other = body.names.first(where: { !$0.isAnnotation && !known.contains($0) }) {
      throw GraphError.unknownMember(other, of: "microsoft.graph.group", known: known)
    }
    guard let name = body["displayName"]?.stringValue, name.isGroupName else {
      throw GraphError.mismatch(
        "displayName", "the name of a group, of 1 to 256 bytes and not \"*\"", body["displayName"] ?? .null)
    }
    return .created(entity(Self.group(name.lowercasedASCII), "groups"))
  }

  func addMember(to group: String) async throws -> GraphAnswer {
    let body = try self.body()
    let link = body["@odata.id"] ?? .null
    guard let url = link.stringValue, let key = HTTPTarget("/" + url)?.path.last, !key.isEmpty else {
      throw GraphError.mismatch("@odata.id", "the address of a user, such as \".../v1.0/directoryObjects/ID\"", link)
    }
    guard group.isGroupName else { throw GraphError.notFound("There is no group \(group.prefix(100)).") }
    return try await changeUser(key) { (user, _) throws(GraphError) in
      guard !user.isMember(of: group) else {
        throw .badRequest(
          "One or more added object references already exist for the following modified properties: 'members'.")
      }
      return user.listed.adding(["groups": .array((user.groups + [group]).map(JSONValue.string))])
    }
  }

  func removeMember(_ key: String, from group: String) async throws -> GraphAnswer {
    try await changeUser(key) { (user, _) throws(GraphError) in
      guard user.isMember(of: group) else {
        throw .notFound("The user \(key.prefix(100)) is not in the group \(group.prefix(100)).")
      }
      let rest = user.groups.filter { $0.lowercasedASCII != group.lowercasedASCII }
      return user.listed.adding(["groups": .array(rest.map(JSONValue.string))])
    }
  }
}

extension String {
  /// `*` stands for everybody.
  fileprivate var isGroupName: Bool { (1...256).contains(utf8.count) && self != "*" && !contains("\0") }
}

extension TenantUser {
  fileprivate func isMember(of group: String) -> Bool {
    groups.contains { $0.lowercasedASCII == group.lowercasedASCII }
  }
}
