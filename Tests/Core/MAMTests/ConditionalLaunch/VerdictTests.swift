import Support
import Testing

@testable import MAM
@testable import Model

/// A verdict is about the account as the check-in that was tried has left it.
@Suite("The verdict after a check-in", .timeLimit(.minutes(5))) struct VerdictTests {
  /// A rule that depends on the policy source, and that has failed.
  enum Failure: CaseIterable, Sendable {
    case disabledUser, offline, clockedOut

    var policy: String {
      switch self {
      case .disabledUser: #""appActionIfUnableToAuthenticateUser": "block""#
      case .offline: #""periodOfflineBeforeAccessCheck": "PT12H""#
      case .clockedOut: #""appActionIfAccountIsClockedOut": "block""#
      }
    }
  }

  private func launch(_ failure: Failure) async throws -> LaunchRunFixture {
    let launch = try LaunchRunFixture(failure.policy)
    switch failure {
    case .disabledUser:
      launch.disable("alice")
      #expect(try launch.core.checkIn("alice") == [203])
    case .offline:
      launch.fixture.tenant.remove("tenant.json")
      launch.pass(minutes: 13 * 60)
    case .clockedOut: launch.fixture.tenant.remove("tenant.json")
    }
    #expect(try await launch.verdict() == .block)
    launch.fixture.tenant.remove("policies/ios.json")
    launch.fixture.tenant.writeTenantWithoutPolicy()
    return launch
  }

  @Test(
    "If a check-in leaves no policy, the launch verdict is allow, and no old rule blocks or wipes",
    arguments: Failure.allCases)
  func policyGone(_ failure: Failure) async throws {
    let launch = try await launch(failure)
    let end = try await launch.evaluate()
    #expect(end.verdict == .allow)
    #expect(end.rules.isEmpty)
    #expect(try launch.core.account("alice")?.isEnrolled == true)
    #expect(try !launch.fixture.events().map(\.summary).contains("wipeDidComplete"))
  }

  @Test(
    "Diagnostics, a switch of identity and the start of an app agree on the verdict after a check-in",
    arguments: Failure.allCases)
  func otherWays(_ failure: Failure) async throws {
    let foreseen = try await launch(failure)
    #expect(try foreseen.core.diagnostics.report(version: "1", sdkVersion: "2").launch.verdict == .allow)
    #expect(try await foreseen.switchIdentity() == .success)
    let started = try await launch(failure)
    #expect(try await started.core.appStart.run(in: LaunchSession()).report.verdict == .allow)
    #expect(try started.core.account("alice")?.isEnrolled == true)
  }

  @Test(
    "The launch verdict is wipe if the check-in starts a wipe, ordered or of a disabled user",
    arguments: [true, false])
  func wiped(_ isOrdered: Bool) async throws {
    let launch = try LaunchRunFixture(
      #""periodOfflineBeforeAccessCheck": "PT12H", "appActionIfUnableToAuthenticateUser": "wipe""#)
    launch.fixture.tenant.remove("tenant.json")
    launch.pass(minutes: 13 * 60)
    #expect(try await launch.verdict() == .block)
    if isOrdered {
      let user = TenantFolder.upn("alice")
      launch.fixture.tenant.writeTenant(
        more: #""operations": [{"type": "wipe", "app": "*", "user": "\#(user)", "requestedDateTime": "2026-01-31"}],"#)
    } else {
      launch.disable("alice")
    }
    #expect(try launch.core.diagnostics.report(version: "1", sdkVersion: "2").launch.verdict == .wipe)
    #expect(try await launch.verdict() == .wipe)
    #expect(try launch.core.account("alice") == nil)
  }

  @Test("A user who is enabled again gets the verdict of the new policy, whatever rule blocked before")
  func enabledAgain() async throws {
    let launch = try LaunchRunFixture(#""minimumRequiredAppVersion": "2.0""#)
    launch.disable("alice")
    #expect(try launch.core.checkIn("alice") == [203])
    try await launch.tell { $0.appVersion = "1.0" }
    #expect(try await launch.verdict() == .block)
    launch.fixture.tenant.writePolicy(#""minimumRequiredAppVersion": "1.0""#)
    #expect(try await launch.verdict() == .block, "the user is still refused, and keeps the last policy")
    launch.fixture.tenant.writeTenant()
    #expect(try launch.core.diagnostics.report(version: "1", sdkVersion: "2").launch.verdict == .allow)
    #expect(try await launch.verdict() == .allow)
  }

  @Test("If an account is unenrolled while the user is asked for the PIN, the PIN is no longer required")
  func leftMeanwhile() async throws {
    let world = PINFixture()
    let core = try world.enrolled()
    try core.pins.set("2580")
    let account = try #require(try core.account("alice"))
    #expect(try core.unenroll("alice") == 104)
    let step = try await core.pins.step(for: account, window: nil, isRecheckDue: true, mayAsk: true)
    #expect(step.summary == "notRequired")
  }
}

extension TenantFolder {
  /// Every user, but no assignment of the policy.
  fileprivate func writeTenantWithoutPolicy() {
    let users = Self.users.map { #"{"id": "\#($0.id)", "userPrincipalName": "\#(Self.upn($0.name))"}"# }
    folder.write(
      """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso",
       "users": [\(users.joined(separator: ", "))]}
      """, to: "tenant.json")
  }
}
