import JSON
import Model
import Support

/// What an administrator changes in tenant.json: users, allowed accounts and wipes.
extension TenantWriter {
  /// Sets members of the user with this user principal name, and adds the user if there is none. A group that stands for
  /// the user alone stays.
  package func setUser(_ name: String, _ members: [(String, JSONValue)]) throws(TenantWriteError) {
    guard !name.isEmpty else { throw TenantWriteError("the name of the user is empty", in: "name") }
    try changeTenant { (tenant) throws(TenantWriteError) in
      var users = try Self.users(in: tenant)
      let index = users.firstIndex { $0.isNamed(name.lowercasedASCII) }
      var user = index.map { users[$0] } ?? ["userPrincipalName": .string(name)]
      let isAlone = user.groups.contains(user.ownGroup)
      for (name, value) in members { user[name] = value }
      if isAlone { user.join(user.ownGroup) }
      if let index { users[index] = user } else { users.append(user) }
      tenant["users"] = .array(users.map(JSONValue.object))
    }
  }

  /// Removes a user by user principal name or object id from the list, which leaves open what became of the user.
  package func removeUser(_ name: String) throws(TenantWriteError) {
    try changeTenant { (tenant) throws(TenantWriteError) in
      var users = try Self.users(in: tenant)
      users.remove(at: try Self.place(of: name, in: users, as: "name"))
      tenant["users"] = .array(users.map(JSONValue.object))
    }
  }

  /// Lets only these accounts enroll; `nil` lets every account enroll.
  package func setAllowedAccounts(_ accounts: [String]?) throws(TenantWriteError) {
    try changeTenant { (tenant) throws(TenantWriteError) in
      tenant["allowedAccounts"] = accounts.map { .array($0.map(JSONValue.string)) }
    }
  }

  /// Orders a wipe of a user's data in an app, or in every app. A second order for the same data is another wipe, even at
  /// the same time.
  package func orderWipe(of user: String, app: String?, at time: Timestamp) throws(TenantWriteError) {
    try changeTenant { (tenant) throws(TenantWriteError) in
      let users = try Self.users(in: tenant)
      let found = users[try Self.place(of: user, in: users, as: "account")]
      var operations = tenant["operations"]?.arrayValue ?? []
      let known = Set(operations.compactMap { $0["requestedDateTime"]?.stringValue })
      var time = time
      while known.contains(time.description) { time = time.advanced(by: 1) }
      operations.append([
        "type": "wipe", "user": found["userPrincipalName"] ?? .string(user), "app": .string(app ?? "*"),
        "requestedDateTime": .string(time.description),
      ])
      tenant["operations"] = .array(operations)
    }
  }

  static func users(in tenant: JSONObject) throws(TenantWriteError) -> [JSONObject] {
    let elements = tenant["users"]?.arrayValue ?? []
    let users = elements.compactMap(\.objectValue)
    guard users.count == elements.count else {
      throw TenantWriteError("users in tenant.json is not a list of objects")
    }
    return users
  }

  /// Throws if there is no such user, and names the nearest one.
  static func place(of name: String, in users: [JSONObject], as member: String) throws(TenantWriteError) -> Int {
    if let place = users.firstIndex(where: { $0.isNamed(name.lowercasedASCII) }) { return place }
    let nearest = users.compactMap { $0["userPrincipalName"]?.stringValue }.nearestUser(to: name)
    let hint = nearest.map { "Did you mean \($0)?" } ?? "Add the user with sandbox.setUser"
    throw TenantWriteError("\"\(name)\" is not a user of the tenant. \(hint)", in: member)
  }
}

extension JSONObject {
  /// Whether this is the name or object id of a user of tenant.json, in lower case.
  func isNamed(_ key: String) -> Bool {
    ["userPrincipalName", "id"].contains { self[$0]?.stringValue?.lowercasedASCII == key }
  }

  /// The groups of a user of tenant.json.
  var groups: [String] { self["groups"]?.strings ?? [] }

  /// The group that stands for a user of tenant.json alone.
  var ownGroup: String { self["userPrincipalName"]?.stringValue ?? "" }

  mutating func join(_ group: String) {
    guard !groups.contains(group) else { return }
    self["groups"] = .array((groups + [group]).map(JSONValue.string))
  }
}
