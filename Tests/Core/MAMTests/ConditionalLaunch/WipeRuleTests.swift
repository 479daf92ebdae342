import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct WipeRuleTests {
  @Test("A rule with the action wipe wipes the account, and switching to the account fails")
  func version() async throws {
    let launch = try LaunchRunFixture(#""minimumWipeAppVersion": "2.0""#)
    try await launch.tell { $0.appVersion = "1.9" }
    let host = AlertHost(nil)
    launch.core.host = host
    #expect(try await launch.switchIdentity() == .failed)
    #expect(try launch.core.account("alice") == nil)
    let events = try launch.fixture.events().map(\.summary)
    #expect(events.contains("wipeDidComplete"))
    #expect(events.contains("unenrollRequestWithStatus 104"))
    while host.alerts.isEmpty { await Task.yield() }
    #expect(host.alerts.first?.title == "Data removed")
  }

  @Test("The log names the setting whose rule wiped an account, but not the user")
  func log() async throws {
    let launch = try LaunchRunFixture(
      #""deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "wipe""#)
    try await launch.tell { $0.jailbroken = true }
    #expect(try await launch.verdict() == .wipe)
    let warnings = try launch.fixture.warnings("deviceComplianceRequired", in: launch.core)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("alice") == false)
  }

  @Test("A disabled user stays blocked, online or offline, until a check-in finds the user enabled")
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

  @Test(
    "If the policy says so, the check-in that finds a user disabled or deleted wipes the account",
    arguments: ["disabled", "deleted"])
  func disabled(how: String) async throws {
    let launch = try LaunchRunFixture(#""appActionIfUnableToAuthenticateUser": "wipe""#)
    if how == "deleted" { launch.delete("alice") } else { launch.disable("alice") }
    let status = try await launch.core.enrollment.attemptAndFollowUp(LaunchRunFixture.alice)
    #expect(status.statusCode == .authRequired)
    #expect(try launch.core.account("alice") == nil)
    let events = try launch.fixture.events().map(\.summary)
    #expect(events.contains("policyRequestWithStatus 203"))
    #expect(events.contains("wipeDidComplete"))
  }

  @Test(
    "An unlisted user keeps the policy and the data; only the offline interval can block the account",
    arguments: ["wipe", "block"])
  func unlisted(action: String) async throws {
    let launch = try LaunchRunFixture(
      #""appActionIfUnableToAuthenticateUser": "\#(action)", "periodOfflineBeforeAccessCheck": "PT720M""#)
    let contactedAt = try launch.core.account("alice")?.contactedAt
    launch.omit("alice")
    launch.pass(minutes: 60)
    for _ in 1...3 { #expect(try launch.core.checkIn("alice") == [203]) }
    let account = try #require(try launch.core.account("alice"))
    #expect(account.isManaged)
    #expect(!account.isWiping)
    #expect(!account.isSignInRefused)
    #expect(try await launch.verdict() == .allow)
    // Absence is no contact, so the offline interval goes on.
    #expect(account.contactedAt == contactedAt)
    launch.pass(minutes: 720)
    #expect(try await launch.verdict() == .block)
    launch.pass(minutes: 200 * 24 * 60)
    #expect(try await launch.verdict() == .block)
    #expect(try launch.core.account("alice")?.isWiping == false)
    launch.fixture.tenant.writeTenant()
    #expect(try await launch.verdict() == .allow)
  }

  @Test("A tenant with an empty list of users wipes no account")
  func nobody() async throws {
    let launch = try LaunchRunFixture(#""appActionIfUnableToAuthenticateUser": "wipe""#)
    launch.fixture.tenant.writeTenant(users: [])
    #expect(try launch.core.checkIn("alice") == [203])
    #expect(try launch.core.account("alice")?.isManaged == true)
    #expect(try !launch.fixture.events().contains { $0.type == "wipeDidComplete" })
  }

  @Test("A disabled user who is no longer listed stays blocked and is not wiped")
  func disabledThenUnlisted() async throws {
    let launch = try LaunchRunFixture(#""appActionIfUnableToAuthenticateUser": "block""#)
    launch.disable("alice")
    #expect(try launch.core.checkIn("alice") == [203])
    launch.omit("alice")
    #expect(try launch.core.checkIn("alice") == [203])
    #expect(try await launch.verdict() == .block)
    #expect(try launch.core.account("alice")?.isWiping == false)
  }

  @Test("Without appActionIfUnableToAuthenticateUser, a disabled user is not blocked")
  func unset() async throws {
    let launch = try LaunchRunFixture(#""pinRequired": false"#)
    launch.disable("alice")
    #expect(try launch.core.checkIn("alice") == [203])
    #expect(try await launch.verdict() == .allow)
  }
}
