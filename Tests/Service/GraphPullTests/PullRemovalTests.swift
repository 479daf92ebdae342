import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import GraphPull

@Suite("pull: removals") struct PullRemovalTests {
  static let ios = "\(PullTests.management)/iosManagedAppProtections"
  static let members = "/v1.0/groups/\(PullTests.staff)/transitiveMembers/microsoft.graph.user"
  private static let next = "@odata.nextLink"

  static func id(_ number: Int) -> String { "77777777-0000-4000-8000-0000000000\(number + 10)" }

  /// Twenty users, of whom all are in the group that the one policy is assigned to. `absent` are not in the list, and
  /// Graph says that they do not exist.
  static func graph(
    absent: Set<Int> = [], _ changes: [String: [FakeGraph.Answer]] = [:]
  ) -> FakeGraph {
    let listed = (0..<20).filter { !absent.contains($0) }
    let whole: [String: [FakeGraph.Answer]] = [
      "/v1.0/users": [.page(listed.map { PullTests.user(id($0), "user\($0)") })],
      members: [.page(listed.map { ["id": .string(id($0))] })],
      ios: [.page([PullTests.policy([PullTests.assignment(PullTests.staff)])])],
    ].merging((0..<20).map { (user($0), [.missing(id($0))]) }) { $1 }
    return PullTests.graph(whole.merging(changes) { $1 })
  }

  static func user(_ number: Int) -> String { "/v1.0/users/\(id(number))" }

  /// What Graph answers about a user who exists.
  private static func present(_ number: Int) -> [String: [FakeGraph.Answer]] {
    [user(number): [.json(PullTests.user(id(number), "user\(number)"))]]
  }

  /// Pages that are no end of a list.
  static let shapes: [JSONValue] = [
    ["value": [], "@odata.nextLink": 5], ["value": [], "@odata.nextLink": nil], ["value": [], "@odata.nextLink": ""],
    ["value": [], "@odata.nextLink": false], ["value": [], "@odata.nextLink": ["https://graph.example/x"]],
    ["value": [], "@odata.nextlink": "https://graph.example/x"],
    ["value": [], "odata.nextLink": "https://graph.example/x"],
    ["value": [], "nextLink": nil], ["value": nil], ["value": [:]], ["value": ""], ["value": [nil]], [:], [], nil, "",
    ["value": [], "error": ["code": "Timeout", "message": "incomplete"]], ["Value": []],
  ]

  @Test(
    "pull changes nothing if a list from Graph is malformed or its end is unclear", arguments: shapes.indices,
    [ios, members, "/v1.0/users"])
  func shape(index: Int, path: String) async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.graph(), into: folder)
    let before = FileStatus(path: folder)
    let failing = Self.graph([path: [.json(Self.shapes[index])]])
    let failure = await #expect(throws: PullFailure.self) {
      try await PullTests.pull(failing, into: folder, limit: nil)
    }
    #expect(failure?.kind == .unusable, "\(failure?.text ?? "")")
    #expect(before?.isSameFile(as: FileStatus(path: folder)) == true)
  }

  /// What an element of a list may not say.
  static let elements: [(name: String, value: JSONValue)] = [
    ("assignments", [:]), ("assignments", "x"), ("assignments", [1]), ("apps", 5), ("apps@odata.nextLink", 5),
    ("assignments@odata.nextLink", nil), ("assignments@odata.nextlink", "https://graph.example/x"), ("id", nil),
    ("id", 5), ("id", ""),
  ]

  @Test("pull changes nothing if a policy from Graph has malformed lists or no id", arguments: elements.indices)
  func element(index: Int) async throws {
    let parent = TemporaryFolder()
    var policy = PullTests.policy([PullTests.assignment(PullTests.staff)]).objectValue ?? [:]
    policy[Self.elements[index].name] = Self.elements[index].value
    let failure = await #expect(throws: PullFailure.self) {
      try await PullTests.pull(Self.graph([Self.ios: [.page([.object(policy)])]]), into: parent.file("tenant"))
    }
    #expect(failure?.kind == .unusable, "\(failure?.text ?? "")")
  }

  /// What Graph answers that takes away too much.
  static let losses: [(String, [String: [FakeGraph.Answer]], Set<Int>)] = [
    ("20 of 20 users", ["/v1.0/users": [.page([])]].merging(present(0)) { $1 }, []),
    ("3 of 20 users", present(1), [1, 2, 3]), ("assigned groups", [members: [.page([])]], []),
    ("assigned groups", [members: [.missing(PullTests.staff)]], []),
    ("licenses for 20 of 20 users", ["/v1.0/users": [users(plan: nil)]], []),
    ("licenses for 3 of 20 users", ["/v1.0/users": [users(plan: nil, ofFirst: 3)]], []),
    ("1 of 1 policies", [ios: [.page([PullTests.policy([])])]], []),
    (
      "a policy of the kind ios for 18 of 20", [members: [.page([["id": .string(id(0))], ["id": .string(id(1))]])]], []
    ),
  ]

  /// All users, of whom the first have only this plan, and the others a license.
  private static func users(plan: JSONValue?, ofFirst count: Int = 20) -> FakeGraph.Answer {
    .page(
      (0..<20).map { number in
        var user = PullTests.user(id(number), "user\(number)").objectValue ?? [:]
        if number < count { user["assignedPlans"] = .array(plan.map { [$0] } ?? []) }
        return .object(user)
      })
  }

  @Test(
    "pull changes nothing if it would remove too much, unless an administrator allows it", arguments: losses.indices)
  func loss(index: Int) async throws {
    let (text, answers, absent) = Self.losses[index]
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.graph(), into: folder)
    let before = FileStatus(path: folder)
    let graph = Self.graph(absent: absent, answers)
    let failure = await #expect(throws: PullFailure.self) { try await PullTests.pull(graph, into: folder) }
    #expect(failure?.text.contains(text) == true, "\(failure?.text ?? "")")
    #expect((failure?.removals ?? 0) > 0)
    #expect(failure?.kind == nil)
    #expect(before?.isSameFile(as: FileStatus(path: folder)) == true)
    // The first user who exists shows that the list is not whole.
    #expect(graph.requests.count { $0.url.contains("/v1.0/users/") } <= 1)
    _ = try await PullTests.pull(Self.graph(absent: absent, answers), into: folder, limit: nil)
    #expect(before?.isSameFile(as: FileStatus(path: folder)) == false)
  }

  @Test("The first pull accepts a tenant without users and a group that does not exist") func first() async throws {
    let parent = TemporaryFolder()
    let graph = Self.graph(["/v1.0/users": [.page([])], Self.members: [.missing(PullTests.staff)]])
    let outcome = try await PullTests.pull(graph, into: parent.file("tenant"))
    #expect(outcome.users == 0)
    #expect(outcome.findings.contains { $0.contains("does not exist") })
  }

  @Test("pull marks an unlisted user as deleted only if Graph says that the user does not exist") func deleted()
    async throws
  {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.graph(), into: folder)
    let listed = PullTests.user(Self.id(1), "user1")
    let outcome = try await PullTests.pull(Self.graph(absent: [0, 1], [Self.user(1): [.json(listed)]]), into: folder)
    #expect(outcome.findings.contains { $0.contains("left out \(Self.id(1))") })
    #expect(outcome.findings.contains { $0.contains("user0@contoso.example") && $0.contains("marked as deleted") })
    func deleted() throws -> [String] {
      try FolderTenant(path: folder).read().users.filter(\.isDeleted).map(\.id)
    }
    #expect(try deleted() == [Self.id(0)])
    #expect(try FolderTenant(path: folder).read().users.count == 20)
    // A user who is deleted stays so, without a question, until Graph lists the user again.
    let again = Self.graph(absent: [0])
    _ = try await PullTests.pull(again, into: folder)
    #expect(try deleted() == [Self.id(0)])
    #expect(!again.requests.contains { $0.url.contains(Self.user(0)) })
    _ = try await PullTests.pull(Self.graph(), into: folder)
    #expect(try deleted() == [])
  }

  @Test(
    "pull changes nothing if Graph does not say clearly whether an unlisted user exists",
    arguments: [
      .status(403), .status(500), .status(404, [:], "<html>no such page</html>"), .json(["id": "another"]), .json([]),
      .failure(.cannotConnect), .status(404), .status(404, [:], #"{"message": "Not Found"}"#),
      .status(404, [:], #"{"error": "Request_ResourceNotFound"}"#),
      .refusal(404, "BadRequest", "Resource not found for the segment 'users'."), .missing(id(7)),
      .missing(id(0), code: "ResourceNotFound"), .missing(id(0), code: ""),
    ] as [FakeGraph.Answer])
  func undecided(_ answer: FakeGraph.Answer) async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.graph(), into: folder)
    let before = FileStatus(path: folder)
    let graph = Self.graph(absent: [0], [Self.user(0): [answer]])
    await #expect(throws: PullFailure.self) { try await PullTests.pull(graph, into: folder) }
    #expect(before?.isSameFile(as: FileStatus(path: folder)) == true)
  }

  @Test("pull keeps a user enabled or disabled if Graph does not say which") func accountEnabled() async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    func users(_ isEnabled: JSONValue?) -> [String: [FakeGraph.Answer]] {
      let all = (0..<20).map { number in
        var user = PullTests.user(Self.id(number), "user\(number)").objectValue ?? [:]
        if number == 0 { user["accountEnabled"] = isEnabled }
        return JSONValue.object(user)
      }
      return ["/v1.0/users": [.page(all)]]
    }
    _ = try await PullTests.pull(Self.graph(users(false)), into: folder)
    for isEnabled in [nil, .null] as [JSONValue?] {
      let outcome = try await PullTests.pull(Self.graph(users(isEnabled)), into: folder)
      #expect(try FolderTenant(path: folder).read().users.first?.isEnabled == false)
      #expect(outcome.findings.contains { $0.contains("What the folder says stays") })
    }
    await #expect(throws: PullFailure.self) { try await PullTests.pull(Self.graph(users("true")), into: folder) }
    _ = try await PullTests.pull(Self.graph(users(true)), into: folder)
    #expect(try FolderTenant(path: folder).read().users.first?.isEnabled == true)
  }

  @Test("pull fails if the folder has Windows policies but Graph no longer has a list of them") func windows()
    async throws
  {
    let windows = "\(PullTests.management)/windowsManagedAppProtections"
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    let policy: JSONValue = [
      "id": "W_1", "displayName": "Windows", "printBlocked": true, "apps": [],
      "assignments": [PullTests.assignment(PullTests.staff)],
    ]
    _ = try await PullTests.pull(Self.graph([windows: [.page([policy])]]), into: folder)
    let failure = await #expect(throws: PullFailure.self) {
      try await PullTests.pull(Self.graph(), into: folder, limit: nil)
    }
    #expect(failure?.text.contains("--without-windows") == true)
  }

  @Test("pull writes no folder that could not be read back") func unreadable() async throws {
    let policy: JSONValue = ["@odata.type": "#microsoft.graph.unheardOf", "id": "T_1", "apps": [], "assignments": []]
    let parent = TemporaryFolder()
    let failure = await #expect(throws: PullFailure.self) {
      try await PullTests.pull(Self.graph([Self.ios: [.page([policy])]]), into: parent.file("tenant"))
    }
    #expect(failure?.text.contains("could not be read") == true)
    #expect(FileStatus(path: parent.file("tenant")) == nil)
  }

  @Test("pull reports how many users each policy applies to") func audiences() async throws {
    let odd: JSONValue = ["id": "x", "target": ["@odata.type": "#microsoft.graph.scopeTagTarget"]]
    var second = PullTests.policy([odd]).objectValue ?? [:]
    (second["id"], second["displayName"]) = ("T_2", "Odd")
    let first = PullTests.policy([PullTests.assignment(PullTests.staff)])
    let parent = TemporaryFolder()
    let outcome = try await PullTests.pull(
      Self.graph([Self.ios: [.page([first, .object(second)])]]), into: parent.file("tenant"))
    #expect(outcome.audiences.map(\.count) == [20, 0])
    #expect(outcome.findings.contains { $0.contains("unknown type") })
  }
}
