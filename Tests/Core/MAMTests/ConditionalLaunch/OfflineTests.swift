import SQLite
import Support
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct OfflineTests {
  private static let day: Int64 = 24 * 60
  private static let limits = """
    "periodOfflineBeforeAccessCheck": "PT720M", "periodOfflineBeforeWipeIsEnforced": "P90D"
    """

  @Test("After periodOfflineBeforeAccessCheck offline, a launch is blocked until the network returns")
  func grace() async throws {
    let launch = try LaunchRunFixture(Self.limits)
    try await launch.tell { $0.networkAvailable = false }
    launch.pass(minutes: 719)
    #expect(try await launch.verdict() == .allow)
    launch.pass(minutes: 1)
    let end = try await launch.evaluate()
    #expect(end.verdict == .block)
    #expect(end.rules.last?.actual == "PT12H")
    #expect(end.challenges.isEmpty)
    #expect(try await launch.verdict(try launch.fixture.core()) == .block)
    try await launch.tell { $0.networkAvailable = true }
    #expect(try await launch.verdict() == .allow)
  }

  @Test("A launch after the offline interval tries a check-in; it is blocked if the source is missing")
  func source() async throws {
    let launch = try LaunchRunFixture(Self.limits)
    launch.fixture.tenant.remove("tenant.json")
    launch.pass(minutes: 720)
    #expect(try await launch.verdict() == .block)
    launch.fixture.tenant.writeTenant()
    #expect(try await launch.verdict() == .allow)
    #expect(try launch.fixture.events().map(\.summary).contains("policyRequestWithStatus 101"))
  }

  /// After 90 days without a network, which is there again.
  private func afterNinetyDays() async throws -> LaunchRunFixture {
    let launch = try LaunchRunFixture(Self.limits)
    try await launch.tell { $0.networkAvailable = false }
    launch.pass(minutes: 90 * Self.day)
    #expect(try await launch.verdict() == .block)
    try await launch.tell { $0.networkAvailable = true }
    return launch
  }

  @Test("After periodOfflineBeforeWipeIsEnforced, a sign-in unblocks the launch, even after a restart")
  func signIn() async throws {
    let launch = try await afterNinetyDays()
    let open = try await launch.evaluate(try launch.fixture.core())
    #expect(open.verdict == .block)
    #expect(open.challenges.map(\.kind) == [.credentials])
    let error = await #expect(throws: MAMError.self) { try await launch.switchIdentity() }
    #expect(error?.challenge == open.challenges.first)
    try await launch.answer(.token("proof"))
    #expect(try await launch.verdict() == .allow)
    #expect(try await launch.verdict(try launch.fixture.core()) == .allow)
    launch.pass(minutes: 89 * Self.day)
    #expect(try launch.core.checkIn("alice") == [101])
    #expect(try await launch.verdict() == .allow)
  }

  @Test("Canceling the sign-in that is due after the wipe period removes the account's data")
  func canceled() async throws {
    let launch = try await afterNinetyDays()
    try await launch.answer(.canceled)
    #expect(try launch.core.account("alice") == nil)
    #expect(try launch.fixture.events().contains { $0.type == "wipeDidComplete" })
    #expect(try await launch.evaluate().rules.isEmpty)
  }

  @Test("Canceling the overdue sign-in in the host's prompt makes the verdict wipe and wipes the account")
  func canceledInHost() async throws {
    let launch = try await afterNinetyDays()
    launch.core.host = SignInHost(["prompt": .canceled])
    let end = try await launch.evaluate()
    #expect(end.verdict == .wipe)
    #expect(end.rules.first?.outcome == .wipe)
    #expect(try launch.core.account("alice") == nil)
    let told = try launch.fixture.events().map(\.summary)
    #expect(told.filter { $0.hasPrefix("unenroll") } == ["unenrollRequestWithStatus 104"])
  }

  @Test("Canceling another sign-in, or one that is no longer due, removes no data")
  func canceledTooLate() async throws {
    let launch = try await afterNinetyDays()
    let open = try #require(try await launch.evaluate().challenges.first)
    let other = try launch.core.challenges.openSignIn("alice")
    _ = try await launch.core.challenges.answer(other.id, with: .canceled)
    #expect(try launch.core.account("alice") != nil)
    try launch.core.live.commit { transaction throws(SQLiteError) in
      try transaction.noteSignIn(of: Account(accountId: nil, identity: TenantFolder.upn("alice")))
    }
    _ = try await launch.core.challenges.answer(open.id, with: .canceled)
    #expect(try launch.core.account("alice") != nil)
  }

  @Test("After the wipe period, a user who is found disabled is wiped")
  func refused() async throws {
    let launch = try LaunchRunFixture(Self.limits)
    launch.fixture.tenant.remove("tenant.json")
    launch.pass(minutes: 90 * Self.day)
    #expect(try await launch.verdict() == .block)
    launch.disable("alice")
    #expect(try await launch.verdict() == .wipe)
    #expect(try launch.core.account("alice") == nil)
  }
}
