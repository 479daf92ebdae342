import Glibc
import JSON
import Model
import Support
import Tenancy

/// The files of a tenant folder that pull writes.
package struct PulledFolder: Sendable {
  package static let tenantFile = "tenant.json"
  package static let filterFile = "filters/all.json"
  package static let folders = ["policies", "configurations", "filters"]
  /// All files that pull may write. A folder with other files is never replaced.
  package static let names = [tenantFile, filterFile] + PolicyList.allCases.map(\.file)

  /// What administrators write into tenant.json that Graph does not know.
  private static let kept = [
    "assignments", "operations", "allowedAccounts", "certificatePins", "mdm", "authentication", "unknownRestrictions",
  ]

  package private(set) var tenant: JSONObject
  package let policies: [PolicyList: [JSONObject]]
  package let filters: [JSONObject]
  package private(set) var findings: [String]

  /// `old` is the folder that is replaced; `nil` if there is none.
  package init(_ pulled: PulledTenant, replacing old: PulledFolder?) {
    policies = pulled.policies
    filters = pulled.filters
    findings = pulled.findings
    tenant = ["tenantId": .string(pulled.tenantId.lowercasedASCII), "displayName": .string(pulled.displayName)]
    if pulled.displayName.isEmpty, let name = old?.tenant["displayName"] { tenant["displayName"] = name }
    let users = Self.users(pulled.users, keepingOwnMembersOf: old) + Self.deletedUsers(of: pulled, in: old)
    tenant["users"] = .array(users.sorted { $0.text("id") < $1.text("id") }.map(JSONValue.object))
    for name in Self.kept { tenant[name] = old?.tenant[name] }
    dropAssignmentsWithoutFile()
    noteGroupsWithName()
  }

  private init(tenant: JSONObject, policies: [PolicyList: [JSONObject]], filters: [JSONObject]) {
    (self.tenant, self.policies, self.filters, findings) = (tenant, policies, filters, [])
  }

  /// The users with what only tenant.json knows about them: when they work, and in which groups with a name they are.
  private static func users(_ users: [JSONObject], keepingOwnMembersOf old: PulledFolder?) -> [JSONObject] {
    let known = Dictionary((old?.users ?? []).map { ($0.text("id").lowercasedASCII, $0) }) { first, _ in first }
    return users.map { user in
      guard let before = known[user.text("id")] else { return user }
      var user = user
      user["clock"] = before["clock"]
      if user["accountEnabled"] == nil { user["accountEnabled"] = before["accountEnabled"] }
      let names = (before["groups"]?.arrayValue ?? []).filter { $0.stringValue?.isGUID == false }
      if !names.isEmpty { user["groups"] = .array((user["groups"]?.arrayValue ?? []) + names) }
      return user
    }
  }

  /// Those of whom Graph says so now, and those of whom it said so before, unless they are back.
  private static func deletedUsers(of pulled: PulledTenant, in old: PulledFolder?) -> [JSONObject] {
    let listed = Set(pulled.users.map { $0.text("id") })
    return (old?.users ?? []).compactMap { user in
      let id = user.text("id").lowercasedASCII
      guard !listed.contains(id), user.isDeleted || pulled.deleted.contains(id) else { return nil }
      var user = user
      user["deleted"] = true
      return user
    }
  }

  private mutating func noteGroupsWithName() {
    for name in assignedGroups where !name.isGUID {
      findings.append(
        "tenant.json assigns a policy to the group \(name.shown(atMost: 80)), which is not the object id of a group. "
          + "Its users stay in it, but Graph cannot add users to it. Use the object id.")
    }
  }

  /// An assignment in tenant.json whose file is not there would make the whole folder unreadable.
  private mutating func dropAssignmentsWithoutFile() {
    guard let assignments = tenant["assignments"]?.arrayValue else { return }
    let kept = assignments.filter { assignment in
      let file = assignment["policy"]?.stringValue
      return policies.contains { $0.key.file == file && !$0.value.isEmpty }
    }
    guard kept.count < assignments.count else { return }
    findings.append(
      "\(assignments.count - kept.count) assignments in tenant.json are for files that are gone, and are removed.")
    tenant["assignments"] = .array(kept)
  }

  /// The tenant as hosts and services read it. Throws if they could not.
  func read() throws(TenantError) -> TenantSnapshot {
    try TenantFileSet(texts: Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }).read()
  }

  /// The users that are not deleted and that a pull does not have, by id in lower case.
  func users(absentFrom pulled: PulledTenant) -> [String] {
    let listed = Set(pulled.users.map { $0.text("id") })
    return users.filter { !$0.isDeleted }.map { $0.text("id").lowercasedASCII }
      .filter { !$0.isEmpty && !listed.contains($0) }.sorted()
  }

  package var users: [JSONObject] { tenant["users"]?.arrayValue?.compactMap(\.objectValue) ?? [] }
  package var tenantId: String { tenant.text("tenantId") }

  /// The groups in the assignments of tenant.json, by id or name, sorted. Ids are in lower case.
  package var assignedGroups: [String] {
    let groups = (tenant["assignments"]?.arrayValue ?? []).flatMap { $0["groups"]?.arrayValue ?? [] }
    let texts = groups.compactMap(\.stringValue).filter { $0 != "*" }
    return Set(texts.map { $0.isGUID ? $0.lowercasedASCII : $0 }).sorted()
  }

  /// The contents of the files, by name. A list without elements has no file.
  package var files: [(name: String, text: String)] {
    let lists = (PolicyList.allCases.map { ($0.file, policies[$0] ?? []) } + [(Self.filterFile, filters)])
      .filter { !$1.isEmpty }
      .map { file, found in (name: file, text: JSONValue.array(found.map(JSONValue.object)).indentedText + "\n") }
    return [(Self.tenantFile, JSONValue.object(tenant).indentedText + "\n")] + lists
  }
}

extension PulledFolder {
  private static let largestFile = 64 << 20

  /// Reads the folder that is to be replaced; `nil` if tenant.json is missing. Throws if a file cannot be read or parsed,
  /// because what it says would be lost.
  package init?(readingAt path: String) throws(PullFailure) {
    guard let tenant = try Self.parse(path, Self.tenantFile) else { return nil }
    guard let object = tenant.objectValue else {
      throw Self.damaged(path, Self.tenantFile, "must contain a JSON object")
    }
    var policies: [PolicyList: [JSONObject]] = [:]
    for list in PolicyList.allCases { policies[list] = try Self.objects(path, list.file) }
    self.init(tenant: object, policies: policies, filters: try Self.objects(path, Self.filterFile) ?? [])
  }

  private static func objects(_ path: String, _ name: String) throws(PullFailure) -> [JSONObject]? {
    guard let value = try parse(path, name) else { return nil }
    let elements = value.arrayValue ?? value["value"]?.arrayValue ?? [value]
    return elements.compactMap(\.objectValue)
  }

  private static func parse(_ path: String, _ name: String) throws(PullFailure) -> JSONValue? {
    let bytes: [UInt8]
    do throws(SystemError) {
      guard let found = try read(path + "/" + name) else { return nil }
      bytes = found
    } catch {
      throw damaged(path, name, "cannot be read: \(error.text)")
    }
    do { return try JSONValue(parsing: bytes) } catch { throw damaged(path, name, error.description) }
  }

  private static func read(_ path: String) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try FileContents.read(path, upTo: largestFile)
    } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  private static func damaged(_ path: String, _ name: String, _ reason: String) -> PullFailure {
    PullFailure("\(path)/\(name) \(reason). Repair the file or remove it; then pull again.")
  }
}

extension JSONObject {
  fileprivate var isDeleted: Bool { self["deleted"]?.boolValue == true }
}

/// Why a pull did not write its folder, or cannot say that the disk has it.
package struct PullFailure: Error, Hashable, Sendable {
  /// What Graph has to do with it; `nil` if the folder is the cause.
  package let kind: GraphFailure.Kind?
  /// How much the pull would have removed, if that was too much; otherwise 0.
  package let removals: Int
  /// A sentence that names the cause and the way out.
  package let text: String

  package init(_ text: String, removals: Int = 0) {
    (kind, self.removals, self.text) = (nil, removals, text)
  }

  package init(_ failure: GraphFailure) {
    (kind, removals, text) = (failure.kind, 0, failure.text)
  }
}
