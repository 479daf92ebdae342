import Glibc
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import GraphPull

@Suite("pull and missing objects") struct PullAbsenceTests {
  private static let removal = PullRemovalTests.self

  private static func policies(_ numbers: Range<Int>) -> [FakeGraph.Answer] { [.page(numbers.map(element))] }

  private static func element(_ number: Int) -> JSONValue {
    var policy = PullTests.policy([PullTests.assignment(PullTests.staff)]).objectValue ?? [:]
    policy["id"] = .string("T_\(number)")
    return .object(policy)
  }

  private static func policy(_ number: Int) -> String { "\(PullRemovalTests.ios)/T_\(number)" }

  private static func ids(_ folder: String) throws -> Set<String> {
    Set(try FolderTenant(path: folder).read().policies.map(\.id))
  }

  @Test("pull accepts any number of deletions that Graph confirms one by one") func confirmed() async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(
      Self.removal.graph([Self.removal.ios: Self.policies(0..<20)]), into: folder)
    var answers = [Self.removal.ios: Self.policies(0..<2)]
    for number in 2..<20 { answers[Self.policy(number)] = [.refusal(404, "ResourceNotFound", "An error has occurred")] }
    let outcome = try await PullTests.pull(Self.removal.graph(absent: [0, 1, 2, 3], answers), into: folder)
    #expect(outcome.findings.count { $0.contains("marked as deleted") } == 4)
    #expect(outcome.changes.removed.count == 18)
    #expect(try Self.ids(folder) == ["T_0", "T_1"])
    #expect(try FolderTenant(path: folder).read().users.count(where: \.isDeleted) == 4)
  }

  @Test("pull keeps policies that disappear from the list as long as Graph still returns them by id") func smallSteps()
    async throws
  {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.removal.graph([Self.removal.ios: Self.policies(0..<3)]), into: folder)
    for left in [2, 1, 0] {
      var answers = [Self.removal.ios: Self.policies(0..<left)]
      for number in 0..<3 { answers[Self.policy(number)] = [.json(Self.element(number))] }
      let outcome = try await PullTests.pull(Self.removal.graph(answers), into: folder)
      #expect(outcome.findings.count { $0.contains("left out") } == 3 - left)
      #expect(try Self.ids(folder) == ["T_0", "T_1", "T_2"])
    }
  }

  @Test(
    "pull changes nothing if Graph does not say clearly whether an unlisted policy exists",
    arguments: [
      .status(403), .status(404), .status(404, [:], "<html></html>"), .json(["id": "T_9"]), .json([]),
      .refusal(404, "BadRequest", "Resource not found for the segment 'iosManagedAppProtections'."),
    ] as [FakeGraph.Answer])
  func undecided(_ answer: FakeGraph.Answer) async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.removal.graph([Self.removal.ios: Self.policies(0..<20)]), into: folder)
    let before = FileStatus(path: folder)
    let graph = Self.removal.graph([Self.removal.ios: Self.policies(0..<19), Self.policy(19): [answer]])
    await #expect(throws: PullFailure.self) { try await PullTests.pull(graph, into: folder) }
    #expect(before?.isSameFile(as: FileStatus(path: folder)) == true)
  }

  @Test(
    "pull keeps a known user and skips a new one if Graph sends no user name",
    arguments: [nil, .null, "", 5] as [JSONValue?])
  func unnamed(_ name: JSONValue?) async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.removal.graph(), into: folder)
    let before = try FolderTenant(path: folder).read().users
    let users = (0...20).map { number -> JSONValue in
      var user = PullTests.user(Self.removal.id(number), "user\(number)").objectValue ?? [:]
      if number == 0 || number == 20 { user["userPrincipalName"] = name }
      return .object(user)
    }
    let outcome = try await PullTests.pull(Self.removal.graph(["/v1.0/users": [.page(users)]]), into: folder)
    #expect(try FolderTenant(path: folder).read().users == before)
    #expect(outcome.findings.filter { $0.contains("userPrincipalName") }.count == 2)
    #expect(outcome.findings.contains { $0.contains("is left out: user20") })
  }

  /// What does not say whether a user has a license.
  static let plans: [JSONValue?] = [
    nil, .null, "SCO", [:], [["service": "SCO", "capabilityStatus": "SomeNewWord"]],
    [["service": "SCO"]], [["service": "SCO", "capabilityStatus": 1]], [["capabilityStatus": "Enabled"]], ["SCO"],
    [["service": "exchange", "capabilityStatus": "Enabled"], ["service": "SCO", "capabilityStatus": nil]],
  ]

  @Test(
    "pull keeps a user's license if Graph does not clearly say whether there is one", arguments: plans.indices,
    [true, false])
  func undecidedLicenses(index: Int, wasLicensed: Bool) async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    func pull(_ plans: JSONValue?) async throws -> PullRun.Outcome {
      let users = (0..<20).map { number -> JSONValue in
        var user = PullTests.user(Self.removal.id(number), "user\(number)").objectValue ?? [:]
        user["assignedPlans"] = plans
        return .object(user)
      }
      return try await PullTests.pull(Self.removal.graph(["/v1.0/users": [.page(users)]]), into: folder)
    }
    _ = try await pull(wasLicensed ? [PullTests.licensed] : [])
    let outcome = try await pull(Self.plans[index])
    #expect(try FolderTenant(path: folder).read().users.allSatisfy { $0.isLicensed == wasLicensed })
    #expect(outcome.findings.contains { $0.contains("What the folder says stays") })
  }

  @Test("pull refuses a folder that has policies but no tenant.json") func withoutTenantFile() async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    _ = try await PullTests.pull(Self.removal.graph(), into: folder)
    #expect(unlink(folder + "/tenant.json") == 0)
    for limit in [RemovalLimit(), nil] {
      let failure = await #expect(throws: PullFailure.self) {
        try await PullTests.pull(Self.removal.graph(), into: folder, limit: limit)
      }
      #expect(failure?.text.contains("Restore tenant.json, or pull into another folder") == true)
    }
    #expect(FileStatus(path: folder + "/tenant.json") == nil)
    #expect(FileStatus(path: folder + "/policies/ios.json") != nil)
  }
}
