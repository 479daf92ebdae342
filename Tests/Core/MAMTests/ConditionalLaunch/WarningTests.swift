import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct WarningTests {
  private static let policy = #""minimumWarningAppVersion": "2.0", "minimumWarningOsVersion": "17""#

  private func launch() async throws -> LaunchRunFixture {
    let launch = try LaunchRunFixture(Self.policy)
    try await launch.tell {
      $0.appVersion = "1.0"
      $0.osVersion = "17.0"
    }
    return launch
  }

  @Test("An accepted warning applies to the host's session, and to other processes for 15 minutes")
  func accepted() async throws {
    let launch = try await launch()
    let open = try await launch.evaluate()
    #expect(open.verdict == .warn)
    #expect(open.rules.map(\.outcome) == [.warn, .passed])
    #expect(open.challenges.map(\.kind) == [.warning])
    try await launch.answer(.acceptance(true))
    let end = try await launch.evaluate()
    #expect(end.verdict == .allow)
    #expect(end.challenges.isEmpty)
    #expect(end.rules.map(\.outcome) == [.accepted, .passed])
    #expect(try await launch.verdict(try launch.fixture.core(), in: LaunchSession()) == .allow)
    launch.pass(minutes: 15)
    #expect(try await launch.verdict(in: LaunchSession()) == .warn)
    #expect(try await launch.verdict() == .allow)
  }

  @Test("A warning about another value must be accepted again")
  func changed() async throws {
    let launch = try await launch()
    try await launch.answer(.acceptance(true))
    #expect(try await launch.verdict() == .allow)
    launch.fixture.tenant.writePolicy(#""minimumWarningAppVersion": "3.0""#)
    #expect(try launch.core.checkIn("alice") == [100])
    let open = try await launch.evaluate()
    #expect(open.verdict == .warn)
    #expect(open.challenges.first?.message.contains("(3.0)") == true)
  }

  @Test("A declined warning blocks one launch, and the next launch asks again")
  func declined() async throws {
    let launch = try await launch()
    for answer in [ChallengeAnswer.acceptance(false), .canceled] {
      try await launch.answer(answer)
      let end = try await launch.evaluate()
      #expect(end.verdict == .block)
      #expect(end.rules.first?.outcome == .block)
      #expect(end.challenges.isEmpty)
      #expect(try await launch.verdict() == .warn)
    }
  }

  @Test(
    "Before a window shows an account, an alert shows the warning with Continue and Cancel", arguments: [true, false])
  func alert(_ goesOn: Bool) async throws {
    let launch = try await launch()
    let host = AlertHost(goesOn ? "Continue" : "Cancel")
    launch.core.host = host
    #expect(try await launch.switchIdentity(window: "w") == (goesOn ? .success : .canceled))
    #expect(host.alerts.map(\.window) == ["w"])
    #expect(host.alerts.first?.actions == ["Continue", "Cancel"])
    #expect(try await launch.switchIdentity(window: "w") == (goesOn ? .success : .canceled))
    #expect(host.alerts.count == (goesOn ? 1 : 2))
  }

  @Test("A warning without a host is error 8001; MultiIdentityCancelDisabled turns canceled into failed")
  func challenge() async throws {
    let launch = try LaunchRunFixture(Self.policy, "MultiIdentityCancelDisabled=true")
    try await launch.tell { $0.appVersion = "1.0" }
    let error = await #expect(throws: MAMError.self) { try await launch.switchIdentity() }
    #expect(error?.code == .challenge)
    #expect(error?.challenge?.kind == .warning)
    try await launch.answer(.canceled)
    #expect(try await launch.switchIdentity() == .failed)
  }

  @Test("A rule that blocks suppresses warnings, and an alert shows why the account is blocked")
  func order() async throws {
    let launch = try LaunchRunFixture(#""minimumWarningOsVersion": "11.1", "minimumRequiredOsVersion": "11.0""#)
    try await launch.tell { $0.osVersion = "10" }
    let end = try await launch.evaluate()
    #expect(end.verdict == .block)
    #expect(end.challenges.isEmpty)
    #expect(end.rules.map(\.outcome) == [.block, .warn])
    let host = AlertHost(nil)
    launch.core.host = host
    #expect(try await launch.switchIdentity() == .failed)
    while host.alerts.isEmpty { await Task.yield() }
    #expect(host.alerts.first?.message == end.rules.first?.message)
  }
}
