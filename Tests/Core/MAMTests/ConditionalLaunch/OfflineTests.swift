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

  @Test("After the grace period nothing is shown until there is a network again")
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

  @Test("With a network a check-in is tried; a source that is gone keeps the block")
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

  @Test("After the wipe period the user must sign in: that resets it, also across restarts")
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

  @Test("Who cancels that sign-in loses the data at once")
  func canceled() async throws {
    let launch = try await afterNinetyDays()
    try await launch.answer(.canceled)
    #expect(try launch.core.account("alice") == nil)
    #expect(try launch.fixture.events().contains { $0.type == "wipeDidComplete" })
    #expect(try await launch.evaluate().rules.isEmpty)
  }

  @Test("So does who cancels it when the host asks, and the evaluation that asked says wipe")
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

  @Test("A cancel of that sign-in after the user has signed in elsewhere, or of another sign-in, removes nothing")
  func canceledTooLate() async throws {
    let launch = try await afterNinetyDays()
    let open = try #require(try await launch.evaluate().challenges.first)
    let other = try launch.core.challenges.openSignIn("alice")
    _ = try await launch.core.challenges.answer(other.id, with: .canceled)
    #expect(try launch.core.account("alice") != nil)
    try launch.core.commit { transaction throws(SQLiteError) in
      try transaction.noteSignIn(of: Account(accountId: nil, identity: TenantFolder.upn("alice")))
    }
    _ = try await launch.core.challenges.answer(open.id, with: .canceled)
    #expect(try launch.core.account("alice") != nil)
  }

  @Test("So does who cannot sign in any more")
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
