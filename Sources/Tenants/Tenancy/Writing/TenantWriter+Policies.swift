import JSON
import Model
import Policy
import Support

/// Whom a policy or a configuration is for.
package struct WrittenTargeting: Sendable {
  /// A user by user principal name or object id, a group that a user is in, or "*" for everybody.
  package var audience: String
  /// Identifiers of apps; `nil` for every app.
  package var apps: [String]?

  package init(audience: String, apps: [String]?) {
    (self.audience, self.apps) = (audience, apps)
  }
}

extension TenantSnapshot {
  /// The groups that a policy or a configuration is for, "*" for everybody, and its apps, `nil` for every app. Assignments
  /// in tenant.json replace the targeting of a file. Excluded groups, filters and groups of apps are left out.
  package func targets(of targeting: PolicyTargeting, in file: String) -> (groups: [String], apps: [String]?) {
    let assigned = assignments.filter { $0.file == file }
    guard assigned.isEmpty else {
      let apps = assigned.flatMap(\.apps)
      return (assigned.flatMap(\.groups), apps.contains("*") ? nil : apps)
    }
    guard !targeting.needsAssignment else { return ([], targeting.apps) }
    let groups = targeting.assignments?.compactMap { assignment -> String? in
      switch assignment.target {
      case .everybody: "*"
      case .group(let name): name
      case .exclusionGroup: nil
      }
    }
    return (groups ?? ["*"], targeting.appGroupType == .allApps ? nil : targeting.apps)
  }
}

/// What an administrator changes of the policies and the app configurations of a tenant.
extension TenantWriter {
  /// Writes a policy, in place of the one that has the same display name. Without a name, the audience names it. Throws
  /// for a setting or a word that policies of the kind do not have. Returns the groups of the policy that was replaced;
  /// `nil` if none was.
  package func setPolicy(
    named name: String?, _ settings: TestSettings, kind: PolicyKind, for targeting: WrittenTargeting
  ) throws(TenantWriteError) -> [String]? {
    guard !settings.settings.isEmpty else {
      throw TenantWriteError("has no setting. Remove a policy with sandbox.removePolicy", in: "settings")
    }
    for setting in settings.settings.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      let kinds = setting.definition.kinds
      guard !kinds.contains(kind) else { continue }
      let others = PolicyKind.allCases.filter { kinds.contains($0) && $0 != .default }.map(\.rawValue)
      throw TenantWriteError(
        "is not a setting of policies for \(kind.rawValue), but of those for \(others.joined(separator: " and "))",
        in: "settings/\(setting.rawValue)")
    }
    let members: JSONObject
    do throws(TestSettings.Fault) {
      members = try settings.graphMembers(in: kind)
    } catch {
      throw TenantWriteError(error.reason, in: "settings/\(error.member)")
    }
    return try set(named: name, in: "policies", TenantObjectKind.protection(kind).type ?? "", members, targeting)
  }

  /// Writes an app configuration, in place of the one that has the same display name. Without a name, the audience names
  /// it. Returns the groups of the configuration that was replaced; `nil` if none was.
  package func setConfiguration(
    named name: String?, _ settings: [String: String], for targeting: WrittenTargeting
  ) throws(TenantWriteError) -> [String]? {
    let pairs = settings.keys.sorted().map { key -> JSONValue in
      ["name": .string(key), "value": .string(settings[key] ?? "")]
    }
    let type = TenantObjectKind.configuration.type ?? ""
    return try set(named: name, in: "configurations", type, ["customSettings": .array(pairs)], targeting)
  }

  /// Removes the policies and configurations with this display name or id, and what assigns them.
  package func removePolicy(named name: String) throws(TenantWriteError) {
    let found = try objects(in: "policies") + objects(in: "configurations")
    let files = Set(found.filter { $0.isNamed(name) }.map(\.file))
    guard !files.isEmpty else {
      let nearest = found.map(\.displayName).nearest(to: name).map { "Did you mean \"\($0)\"?" }
      throw TenantWriteError(
        "no policy or configuration is called \"\(name)\". \(nearest ?? "policyManager.policy lists those in force")",
        in: "name")
    }
    for file in files where found.count(where: { $0.file == file }) > 1 { throw Self.shared(file, name) }
    // First the assignment: one of a file that is missing would make the policies unreadable.
    try changeTenant { (tenant) throws(TenantWriteError) in
      for file in files { tenant.removeAssignments(of: file) }
    }
    for file in files.sorted() { try remove(file) }
  }

  /// The name of a policy or a configuration that was given none. A second one for the same group replaces it.
  private static func usualName(for group: String) -> String {
    "Sandbox for \(group == "*" ? "everybody" : group)"
  }

  private func set(
    named given: String?, in folder: String, _ type: String, _ members: JSONObject, _ targeting: WrittenTargeting
  ) throws(TenantWriteError) -> [String]? {
    var tenant = try read(MemberReader.file)
    let group = try tenant.group(for: targeting.audience)
    let name = given ?? Self.usualName(for: group)
    guard !name.isEmpty else { throw TenantWriteError("the name of the policy is empty", in: "name") }
    let known = try objects(in: folder)
    let former = known.filter { $0.displayName == name }
    guard former.count < 2 else {
      throw TenantWriteError("\(former.count) policies are called \"\(name)\". Choose another name", in: "name")
    }
    let file = former.first?.file ?? Self.file(for: name, in: folder, besides: Set(known.map(\.file)))
    guard known.count(where: { $0.file == file }) < 2 else { throw Self.shared(file, name) }
    var object: JSONObject = [
      "@odata.type": .string("#microsoft.graph." + type), "displayName": .string(name),
    ]
    if let id = former.first?.id { object["id"] = .string(id) }
    for member in members.members { object[member.name] = member.value }
    let replaced = former.first.map { tenant.groups(assigned: $0.file) }
    tenant.removeAssignments(of: file)
    let assignment: JSONValue = [
      "policy": .string(file), "groups": [.string(group)],
      "apps": .array((targeting.apps ?? ["*"]).map(JSONValue.string)),
    ]
    tenant["assignments"] = .array((tenant["assignments"]?.arrayValue ?? []) + [assignment])
    // First the policy: an assignment of a missing file would make the policies unreadable.
    try write(object, to: file)
    try write(tenant, to: MemberReader.file)
    return replaced
  }

  /// A file of a folder may have several objects.
  private struct WrittenObject {
    let file: String
    let displayName: String
    let id: String?

    func isNamed(_ name: String) -> Bool { displayName == name || id == name }
  }

  private func objects(in folder: String) throws(TenantWriteError) -> [WrittenObject] {
    let files: [String]
    do throws(TenantError) {
      files = try FolderFiles(path: path).list(folder)
    } catch {
      throw TenantWriteError(error.description)
    }
    var objects: [WrittenObject] = []
    for file in files {
      let value = try value(of: file)
      for element in value.arrayValue ?? value["value"]?.arrayValue ?? [value] {
        let name = element["displayName"]?.stringValue ?? ""
        objects.append(WrittenObject(file: file, displayName: name, id: element["id"]?.stringValue))
      }
    }
    return objects
  }

  private static func shared(_ file: String, _ name: String) -> TenantWriteError {
    TenantWriteError(
      "\(shown(file)) contains \"\(name)\" beside other policies, so it is not changed. Choose another name, or put "
        + "each policy into a file of its own", in: "name")
  }

  /// A new name for a file: the letters and digits of the name.
  private static func file(for name: String, in folder: String, besides taken: Set<String>) -> String {
    let letters = name.lowercasedASCII.utf8.prefix(60).map { $0.isAlphanumeric ? $0 : UInt8(ascii: "-") }
    let stem = String(decoding: letters, as: UTF8.self)
    var (file, number) = ("\(folder)/\(stem).json", 2)
    while taken.contains(file) {
      (file, number) = ("\(folder)/\(stem)-\(number).json", number + 1)
    }
    return file
  }
}

extension JSONObject {
  /// The groups that tenant.json assigns a file to.
  fileprivate func groups(assigned file: String) -> [String] {
    (self["assignments"]?.arrayValue ?? []).filter { $0["policy"]?.stringValue == file }
      .flatMap { $0["groups"]?.strings ?? [] }
  }

  fileprivate mutating func removeAssignments(of file: String) {
    guard let assignments = self["assignments"]?.arrayValue else { return }
    self["assignments"] = .array(assignments.filter { $0["policy"]?.stringValue != file })
  }

  /// The group of an audience. A user gets a group, if there is none for the user alone yet. Throws if there is neither
  /// a user nor a group of the name.
  fileprivate mutating func group(for audience: String) throws(TenantWriteError) -> String {
    guard audience != "*" else { return audience }
    var users = try TenantWriter.users(in: self)
    if let place = users.firstIndex(where: { $0.isNamed(audience.lowercasedASCII) }) {
      users[place].join(users[place].ownGroup)
      self["users"] = .array(users.map(JSONValue.object))
      return users[place].ownGroup
    }
    let groups = Set(users.flatMap(\.groups))
    if let group = groups.first(where: { $0.lowercasedASCII == audience.lowercasedASCII }) { return group }
    let names = users.compactMap { $0["userPrincipalName"]?.stringValue } + groups.sorted()
    let hint = names.nearestUser(to: audience).map { "Did you mean \"\($0)\"?" } ?? "Add the user with sandbox.setUser"
    throw TenantWriteError(
      "\"\(audience)\" is neither a user of the tenant, nor a group of a user, nor \"*\". \(hint)", in: "audience")
  }
}
