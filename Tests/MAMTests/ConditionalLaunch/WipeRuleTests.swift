import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(2))) struct WipeRuleTests {
  @Test("A rule that wipes wipes, and the window does not get the account")
  func version() async throws {
    let launch = try LaunchRunFixture(#""minimumWipeAppVersion": "2.0""#)
    try await launch.tell { $0.appVersion = "1.9" }
    let host = AlertHost(nil)
    launch.core.host = host
    #expect(try await launch.switchIdentity() == .failed)
    #expect(try launch.core.account("alice") == nil)
    let events = try launch.fixture.events().map(\.summary)
    #expect(events.contains("wipeDidComplete") && events.contains("unenrollRequestWithStatus 104"))
    while host.alerts.isEmpty { await Task.yield() }
    #expect(host.alerts.first?.title == "Data removed")
  }

  @Test("The log tells which rule wiped, without the user's name")
  func log() async throws {
    let launch = try LaunchRunFixture(
      #""deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "wipe""#)
    try await launch.tell { $0.jailbroken = true }
    #expect(try await launch.verdict() == .wipe)
    let warnings = try launch.fixture.warnings("deviceComplianceRequired", in: launch.core)
    #expect(warnings.count == 1 && warnings.first?.contains("alice") == false)
  }

  @Test("A disabled user is blocked until a check-in says otherwise, network or not")
  func blocked() async throws {
    let launch = try LaunchRunFixture(#""appActionIfUnableToAuthenticateUser": "block""#)
    launch.disable("alice")
    #expect(try launch.core.checkIn("alice") == [203])
    try await launch.tell { $0.networkAvailable = false }
    launch.pass(minutes: 60)
    #expect(try launch.core.checkIn("alice") == [212])
    #expect(try await launch.verdict(try launch.fixture.core()) == .block)
    launch.fixture.tenant.writeTenant()
    #expect(try await launch.verdict() == .block)
    try await launch.tell { $0.networkAvailable = true }
    #expect(try await launch.verdict() == .allow)
  }

  @Test("Where the policy wants it, the data of a disabled user goes with the check-in that tells of it")
  func disabled() async throws {
    let launch = try LaunchRunFixture(#""appActionIfUnableToAuthenticateUser": "wipe""#)
    launch.disable("alice")
    let status = try await launch.core.enrollment.attemptAndFollowUp(LaunchRunFixture.alice)
    #expect(status.statusCode == .authRequired)
    #expect(try launch.core.account("alice") == nil)
    let events = try launch.fixture.events().map(\.summary)
    #expect(events.contains("policyRequestWithStatus 203") && events.contains("wipeDidComplete"))
  }

  @Test("Without the setting a disabled user keeps the last good policy")
  func unset() async throws {
    let launch = try LaunchRunFixture(#""pinRequired": false"#)
    launch.disable("alice")
    #expect(try launch.core.checkIn("alice") == [203])
    #expect(try await launch.verdict() == .allow)
  }
}
