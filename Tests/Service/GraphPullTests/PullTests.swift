import Glibc
import HTTP
import JSON
import Model
import Policy
import Support
import Tenancy
import TestSupport
import Testing

@testable import GraphPull

@Suite("pull") struct PullTests {
  static let tenantID = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
  static let staff = "11111111-0000-4000-8000-000000000001"
  static let guests = "11111111-0000-4000-8000-000000000002"
  static let alice = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
  static let bob = "5bde3e51-d13b-4db1-9948-fe4b109d11a7"
  static let management = "/beta/deviceAppManagement"
  static let filterPath = "/beta/deviceManagement/assignmentFilters"
  static let unmanaged = "33333333-0000-4000-8000-000000000003"

  static func assignment(_ group: String, exclusion: Bool = false, filter: String? = nil) -> JSONValue {
    var target: JSONObject = [
      "@odata.type": .string("#microsoft.graph.\(exclusion ? "exclusionGroup" : "group")AssignmentTarget"),
      "groupId": .string(group),
    ]
    target["deviceAndAppManagementAssignmentFilterId"] = filter.map(JSONValue.string)
    target["deviceAndAppManagementAssignmentFilterType"] = filter == nil ? "none" : "include"
    return ["id": .string(group), "target": .object(target)]
  }

  static func policy(_ assignments: [JSONValue], pinLength: Int64 = 4) -> JSONValue {
    [
      "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Contoso", "version": "1",
      "pinRequired": true, "minimumPinLength": .integer(pinLength), "appGroupType": "allApps", "apps": [],
      "assignments": .array(assignments),
    ]
  }

  static func user(_ id: String, _ name: String, plan: JSONValue? = licensed) -> JSONValue {
    var user: JSONObject = [
      "id": .string(id), "userPrincipalName": .string("\(name)@contoso.example"), "displayName": .string(name),
      "mail": .null, "accountEnabled": true,
    ]
    user["assignedPlans"] = plan.map { .array([$0]) }
    return .object(user)
  }

  static let licensed: JSONValue = ["service": "SCO", "capabilityStatus": "Enabled", "servicePlanId": "c1ec4a95"]

  static func graph(_ changes: [String: [FakeGraph.Answer]] = [:]) -> FakeGraph {
    let whole: [String: [FakeGraph.Answer]] = [
      "/v1.0/organization": [.page([["id": .string(tenantID), "displayName": "Contoso"]])],
      "\(management)/iosManagedAppProtections": [
        .page([policy([assignment(staff), assignment(guests, exclusion: true)])])
      ],
      "\(management)/androidManagedAppProtections": [.page([])],
      "\(management)/windowsManagedAppProtections": [.status(404)],
      "\(management)/defaultManagedAppProtections": [.page([])],
      "\(management)/targetedManagedAppConfigurations": [.page([])],
      filterPath: [.page([])],
      "/v1.0/groups/\(staff)/transitiveMembers/microsoft.graph.user": [
        .page([["id": .string(alice)], ["id": .string(bob)]])
      ],
      "/v1.0/groups/\(guests)/transitiveMembers/microsoft.graph.user": [.page([["id": .string(bob)]])],
      "/v1.0/users": [.page([user(alice, "alice"), user(bob, "bob")])],
    ]
    return FakeGraph(whole.merging(changes) { $1 })
  }

  static func pull(
    _ graph: FakeGraph, into folder: String, directory: String? = nil, limit: RemovalLimit? = RemovalLimit()
  ) async throws -> PullRun.Outcome {
    try await PullRun(TenantPull(client: try graph.client(), directory: directory), into: folder, limit: limit).run()
  }

  @Test("pull writes a folder with transitive group members in which an exclusion wins") func folder()
    async throws
  {
    let parent = TemporaryFolder()
    let path = parent.file("tenant")
    let outcome = try await Self.pull(Self.graph(), into: path)
    #expect(outcome.findings.isEmpty)
    #expect(outcome.changes.added == ["Contoso"])
    #expect(outcome.changes.usersAdded == 2)
    let check = try TenantCheck(folder: path)
    #expect(check.findings.map(\.line).filter { !$0.contains("bob@contoso.example gets no policy") } == [])
    let tenant = check.tenant
    #expect(tenant.tenantId == Self.tenantID)
    #expect(tenant.users.count == 2)
    let reasons = tenant.users.map { user in
      tenant.targeting(of: user, app: "com.contoso.app", platform: .ios).considered.map(\.reason)
    }
    #expect(reasons == [[.excludedGroup], [.applies]])
  }

  @Test("pull reads further pages of expanded lists and fetches lists that are not expanded") func nested() async throws
  {
    let link = "\(FakeGraph.root)/next"
    let graph = Self.graph([
      "\(Self.management)/iosManagedAppProtections": [
        .page([
          [
            "id": "T_1", "displayName": "A", "pinRequired": true, "apps": [], "assignments": [],
            "assignments@odata.nextLink": .string(link),
          ]
        ])
      ],
      "/next": [.page([Self.assignment(Self.staff)])],
      "\(Self.management)/androidManagedAppProtections": [
        .page([["id": "T/2", "displayName": "B", "pinRequired": true]])
      ],
      "\(Self.management)/androidManagedAppProtections/T%2F2/apps": [
        .page([["mobileAppIdentifier": ["packageId": "com.contoso"]]])
      ],
      "\(Self.management)/androidManagedAppProtections/T%2F2/assignments": [.page([Self.assignment(Self.guests)])],
    ])
    let parent = TemporaryFolder()
    _ = try await Self.pull(graph, into: parent.file("tenant"))
    let tenant = try FolderTenant(path: parent.file("tenant")).read()
    #expect(tenant.policies.map(\.kind) == [.android, .ios].sorted { "\($0)" > "\($1)" } || tenant.policies.count == 2)
    #expect(tenant.policies.first { $0.id == "T_1" }?.targeting.assignments == [PolicyAssignment(.group(Self.staff))])
    #expect(tenant.policies.first { $0.id == "T/2" }?.targeting.apps == ["com.contoso"])
  }

  private static func filteredGraph(_ filters: [FakeGraph.Answer]) -> FakeGraph {
    graph([
      "\(management)/iosManagedAppProtections": [.page([policy([assignment(staff, filter: unmanaged)])])],
      filterPath: filters,
    ])
  }

  @Test("pull writes assignment filters into the folder, and targeting uses them") func filters() async throws {
    let filter: JSONValue = [
      "id": .string(Self.unmanaged.uppercased()), "displayName": "Unmanaged",
      "platform": "iOSMobileApplicationManagement",
      "rule": "(app.deviceManagementType -eq \"Unmanaged\")", "assignmentFilterManagementType": "apps",
    ]
    let parent = TemporaryFolder()
    let path = parent.file("tenant")
    let outcome = try await Self.pull(Self.filteredGraph([.page([filter])]), into: path)
    #expect(outcome.findings.isEmpty)
    #expect(outcome.changes.added == ["Unmanaged", "Contoso"])
    let tenant = try FolderTenant(path: path).read()
    let reasons = [ManagementType.unmanaged, .managed].map { type in
      tenant.targeting(
        of: tenant.users[0], app: "com.contoso.app", platform: .ios, on: FilterDevice(managementType: type)
      ).considered.map(\.reason)
    }
    #expect(reasons == [[.applies], [.filteredOut]])
    #expect(try await Self.pull(Self.filteredGraph([.page([filter])]), into: path).changes.isEmpty)
    #expect(try await Self.pull(Self.graph(), into: path).changes.removed == ["Unmanaged"])
  }

  @Test("pull reports a policy whose assignment filter Graph does not list") func missingFilter() async throws {
    let parent = TemporaryFolder()
    let outcome = try await Self.pull(Self.filteredGraph([.page([])]), into: parent.file("tenant"))
    #expect(outcome.findings.contains { $0.contains("a filter that Graph does not list") }, "\(outcome.findings)")
  }

  @Test("pull changes nothing if the assignment filters cannot be read", arguments: [403, 404]) func unreadFilters(
    status: Int
  )
    async throws
  {
    let parent = TemporaryFolder()
    await #expect(throws: PullFailure.self) {
      try await Self.pull(Self.filteredGraph([.status(status)]), into: parent.file("tenant"))
    }
    #expect(FileStatus(path: parent.file("tenant")) == nil)
  }

  @Test(
    "pull decides whether a user is licensed by the user's Intune plan",
    arguments: [
      (licensed, true), (["service": "SCO", "capabilityStatus": "Warning"], true),
      (["service": "SCO", "capabilityStatus": "Suspended"], false),
      (["service": "exchange", "capabilityStatus": "Enabled"], false),
      (
        [
          "service": "SCO", "capabilityStatus": "Enabled", "servicePlanId": "882E1D05-ACD1-4CCB-8708-6EE03664B117",
        ], false
      ),
    ] as [(JSONValue, Bool)]) func license(_ plan: JSONValue, _ isLicensed: Bool) async throws
  {
    let graph = Self.graph(["/v1.0/users": [.page([Self.user(Self.alice, "alice", plan: plan)])]])
    let parent = TemporaryFolder()
    _ = try await Self.pull(graph, into: parent.file("tenant"))
    #expect(try FolderTenant(path: parent.file("tenant")).read().users.map(\.isLicensed) == [isLicensed])
  }

  @Test("pull keeps operations and file modes of the folder and lists what has changed") func again() async throws {
    let parent = TemporaryFolder()
    let path = parent.file("tenant")
    _ = try await Self.pull(Self.graph(), into: path)
    var file = try #require(JSONValue(parsing: FileContents.read(path + "/tenant.json")).objectValue)
    file["operations"] = [["type": "wipe", "app": "*", "user": .string(Self.bob), "requestedDateTime": "2026-01-01"]]
    parent.write(JSONValue.object(file).indentedText, to: "tenant/tenant.json")
    chmod(path + "/tenant.json", 0o640)
    chmod(path, 0o750)
    let longer = Self.policy([Self.assignment(Self.staff)], pinLength: 6)
    let graph = Self.graph([
      "\(Self.management)/iosManagedAppProtections": [.page([longer])],
      "/v1.0/users": [.page([Self.user(Self.alice, "alice")])], "/v1.0/users/\(Self.bob)": [.missing(Self.bob)],
    ])
    let outcome = try await Self.pull(graph, into: path, limit: nil)
    #expect(
      outcome.changes.lines == [
        "Contoso: minimumPinLength: 4 -> 6",
        "Contoso: assignments: [\"\(Self.staff)\",\"not \(Self.guests)\"] -> [\"\(Self.staff)\"]",
        "users: 1 changed",
      ])
    let tenant = try FolderTenant(path: path).read()
    #expect(tenant.operations.count == 1)
    #expect(tenant.users.map(\.isDeleted) == [true, false])
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o750)
    #expect(stat(path + "/tenant.json", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(allNames(in: parent.path) == ["tenant"])
  }

  @Test("pull reads the members of groups that only tenant.json names, and keeps groups unknown to Graph")
  func ownAssignments() async throws {
    let parent = TemporaryFolder()
    let path = parent.file("tenant")
    _ = try await Self.pull(Self.graph(), into: path)
    let sales = "22222222-0000-4000-8000-00000000000A"
    var file = try #require(JSONValue(parsing: FileContents.read(path + "/tenant.json")).objectValue)
    file["assignments"] = [
      ["policy": "policies/ios.json", "groups": [.string(sales), "Pilots", "*"], "apps": ["*"]]
    ]
    file["users"] = [["id": .string(Self.alice), "userPrincipalName": "a@contoso.example", "groups": ["Pilots"]]]
    parent.write(JSONValue.object(file).indentedText, to: "tenant/tenant.json")
    let members = "/v1.0/groups/\(sales.lowercased())/transitiveMembers/microsoft.graph.user"
    let outcome = try await Self.pull(Self.graph([members: [.page([["id": .string(Self.bob)]])]]), into: path)
    let users = try FolderTenant(path: path).read().users
    #expect(
      users.sorted { $0.userPrincipalName < $1.userPrincipalName }.map(\.groups) == [
        [Self.staff, "Pilots"], [Self.staff, Self.guests, sales.lowercased()],
      ])
    #expect(outcome.findings.count == 1)
    #expect(outcome.findings.first?.contains("the group Pilots") == true)
  }

  @Test("The byte limit of pull applies to each pull, not to all pulls of a watch together") func bytes() async throws {
    let parent = TemporaryFolder()
    let once = Self.graph()
    _ = try await Self.pull(once, into: parent.file("once"))
    let client = try Self.graph().client { $0.allBytes = once.bytes }
    let run = PullRun(TenantPull(client: client, directory: nil), into: parent.file("tenant"))
    for _ in 0..<3 { _ = try await run.run() }
  }

  @Test("pull removes control characters from the names it shows") func names() async throws {
    let evil = "Eve\u{1B}[2J\u{202E}"
    let policy: JSONValue = [
      "id": "T_1", "displayName": .string(evil), "apps": [], "printBlocked": true,
      "assignments": [Self.assignment(Self.staff, filter: Self.unmanaged)],
    ]
    let graph = Self.graph([
      "\(Self.management)/iosManagedAppProtections": [.page([policy])],
      "/v1.0/users": [.page([["id": .string(Self.alice), "displayName": .string(evil)]])],
    ])
    let parent = TemporaryFolder()
    let findings = try await Self.pull(graph, into: parent.file("tenant")).findings
    #expect(findings.count { $0.contains("Eve [2J") } == 2)
    #expect(!findings.joined().unicodeScalars.contains { "\u{1B}\u{202E}".unicodeScalars.contains($0) })
  }

  @Test("pull leaves the folder untouched if nothing has changed") func unchanged() async throws {
    let parent = TemporaryFolder()
    let path = parent.file("tenant")
    _ = try await Self.pull(Self.graph(), into: path)
    let before = FileStatus(path: path)
    let outcome = try await Self.pull(Self.graph(), into: path)
    #expect(outcome.changes.isEmpty)
    #expect(before?.isSameFile(as: FileStatus(path: path)) == true)
  }

  @Test(
    "pull changes nothing if Graph refuses any part, and names the permission to grant",
    arguments: [
      "/v1.0/organization", "\(management)/iosManagedAppProtections", "\(management)/windowsManagedAppProtections",
      "\(management)/targetedManagedAppConfigurations",
      "/v1.0/groups/\(staff)/transitiveMembers/microsoft.graph.user", "/v1.0/users",
    ]) func failure(_ path: String) async throws
  {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await Self.pull(Self.graph(), into: folder)
    let before = FileStatus(path: folder)
    let failing = Self.graph([path: [.status(403, [:], #"{"error":{"code":"Forbidden","message":"no"}}"#)]])
    let error = await #expect(throws: PullFailure.self) { try await Self.pull(failing, into: folder) }
    #expect(error?.text.contains("Grant ") == true)
    #expect(before?.isSameFile(as: FileStatus(path: folder)) == true)
    #expect(allNames(in: parent.path) == ["tenant"])
  }

  @Test("pull refuses folders with files of others, of another tenant, or with a broken tenant.json") func foreign()
    async throws
  {
    let parent = TemporaryFolder()
    parent.write("precious", to: "tenant/policies/notes.txt")
    let error = await #expect(throws: PullFailure.self) {
      try await Self.pull(Self.graph(), into: parent.file("tenant"))
    }
    #expect(error?.text.contains("policies/notes.txt") == true)
    parent.write(#"{"tenantId": "00000000-0000-4000-8000-000000000009"}"#, to: "other/tenant.json")
    let other = await #expect(throws: PullFailure.self) {
      try await Self.pull(Self.graph(), into: parent.file("other"))
    }
    #expect(other?.text.contains("Pull into another folder") == true)
    parent.write("{", to: "broken/tenant.json")
    let broken = await #expect(throws: PullFailure.self) {
      try await Self.pull(Self.graph(), into: parent.file("broken"))
    }
    #expect(broken?.text.contains("Repair the file") == true)
  }

  @Test("pull takes the tenant id from --directory-id if Graph does not return it") func directory() async throws {
    let graph = Self.graph(["/v1.0/organization": [.status(403)]])
    let parent = TemporaryFolder()
    _ = try await Self.pull(graph, into: parent.file("tenant"), directory: Self.tenantID.uppercased())
    #expect(try FolderTenant(path: parent.file("tenant")).read().tenantId == Self.tenantID)
    let error = await #expect(throws: PullFailure.self) {
      try await Self.pull(Self.graph(), into: parent.file("tenant"), directory: Self.alice)
    }
    #expect(error?.text.contains("not for the directory") == true)
  }

  @Test("pull removes leftovers of a killed pull and follows a symbolic link to the folder") func leftovers()
    async throws
  {
    let parent = TemporaryFolder()
    parent.write("{}", to: ".real.pull/tenant.json")
    mkdir(parent.file(".real.pull/policies"), 0o700)
    symlink("real", parent.file("link"))
    mkdir(parent.file("real"), 0o755)
    _ = try await Self.pull(Self.graph(), into: parent.file("link"))
    #expect(allNames(in: parent.path) == ["link", "real"])
    #expect(try FolderTenant(path: parent.file("real")).read().users.count == 2)
  }
}

/// The names in a folder, hidden ones included, sorted.
private func allNames(in folder: String) -> [String] {
  guard let handle = opendir(folder) else { return [] }
  defer { closedir(handle) }
  var names: [String] = []
  while let entry = readdir(handle) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}
