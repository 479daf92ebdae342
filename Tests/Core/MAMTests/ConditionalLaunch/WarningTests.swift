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

  @Test("A warning is one question; accepted it holds for the run of the host, for others 15 minutes")
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

  @Test("Another value is another warning")
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

  @Test("A declined warning blocks once, and is asked again")
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

  @Test("Before a window shows the account the user is asked by an alert, and may go on", arguments: [true, false])
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

  @Test("Without a host to ask it is the error challenge; with MultiIdentityCancelDisabled a cancel is failed")
  func challenge() async throws {
    let launch = try LaunchRunFixture(Self.policy, "MultiIdentityCancelDisabled=true")
    try await launch.tell { $0.appVersion = "1.0" }
    let error = await #expect(throws: MAMError.self) { try await launch.switchIdentity() }
    #expect(error?.code == .challenge)
    #expect(error?.challenge?.kind == .warning)
    try await launch.answer(.canceled)
    #expect(try await launch.switchIdentity() == .failed)
  }

  @Test("What blocks or wipes is decided before anybody is warned, and the user is told")
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
