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
    let users = Self.users(pulled.users, keepingOwnMembersOf: old) + keptUsers(of: pulled, in: old)
    tenant["users"] = .array(users.sorted { $0.text("id") < $1.text("id") }.map(JSONValue.object))
    noteUnnamed(pulled.unnamed, keptIn: users)
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
      for name in ["accountEnabled", "licensed"] where user[name] == nil { user[name] = before[name] }
      let names = (before["groups"]?.arrayValue ?? []).filter { $0.stringValue?.isGUID == false }
      if !names.isEmpty { user["groups"] = .array((user["groups"]?.arrayValue ?? []) + names) }
      return user
    }
  }

  /// The deleted users, unless they are back, and as they are those of whom Graph does not say the name.
  private mutating func keptUsers(of pulled: PulledTenant, in old: PulledFolder?) -> [JSONObject] {
    let listed = Set(pulled.users.map { $0.text("id") })
    var kept: [JSONObject] = []
    for var user in old?.users ?? [] {
      let id = user.text("id").lowercasedASCII
      guard !listed.contains(id) else { continue }
      if !user.isDeleted, pulled.deleted.contains(id) {
        let name = user.text("userPrincipalName").shown(atMost: 100)
        findings.append("Graph no longer has the user \(name) (\(id.shown(atMost: 80))), who is marked as deleted.")
        user["deleted"] = true
      }
      if user.isDeleted || pulled.unnamed[id] != nil { kept.append(user) }
    }
    return kept
  }

  private mutating func noteUnnamed(_ unnamed: [String: String], keptIn users: [JSONObject]) {
    let kept = Set(users.map { $0.text("id").lowercasedASCII })
    for (id, title) in unnamed.sorted(by: { $0.key < $1.key }) {
      findings.append(
        kept.contains(id)
          ? "Graph does not say the userPrincipalName of \(title), who stays as the folder says."
          : "A user without a userPrincipalName is left out: \(title).")
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
    let listed = Set(pulled.users.map { $0.text("id") }).union(pulled.unnamed.keys)
    return users.filter { !$0.isDeleted }.map { $0.text("id").lowercasedASCII }
      .filter { !$0.isEmpty && !listed.contains($0) }.sorted()
  }

  package var users: [JSONObject] { tenant["users"]?.arrayValue?.compactMap(\.objectValue) ?? [] }
  /// The ids of the policies of each list that has some.
  var policyIDs: [PolicyList: [String]] {
    policies.mapValues { $0.map { $0.text("id") }.filter { !$0.isEmpty } }.filter { !$0.value.isEmpty }
  }

  /// The folder without policies that an administrator has deleted, whose ids are in lower case.
  func without(_ deleted: Set<String>) -> PulledFolder {
    guard !deleted.isEmpty else { return self }
    let left = policies.mapValues { $0.filter { !deleted.contains($0.text("id").lowercasedASCII) } }
    var folder = PulledFolder(tenant: tenant, policies: left, filters: filters)
    folder.dropAssignmentsWithoutFile()
    return folder
  }

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

  /// Reads the folder that is to be replaced; `nil` if it has no files. Throws if a file cannot be read or parsed,
  /// because what it says would be lost.
  package init?(readingAt path: String) throws(PullFailure) {
    guard let tenant = try Self.parse(path, Self.tenantFile) else {
      guard let file = Self.names.first(where: { FileStatus(path: path + "/" + $0) != nil }) else { return nil }
      throw PullFailure(
        "\(path) has \(file), but no tenant.json, so nobody can say what a pull would remove. Restore tenant.json, or "
          + "pull into another folder.")
    }
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
    PullFailure("\(path)/\(name) \(reason). Repair the file or restore it, or pull into another folder.")
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
