import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// A policy that sets what mambridge does not know, of a tenant that blocks this or only reports it.
@Suite(.timeLimit(.minutes(5))) struct UnknownRestrictionTests {
  private static let known = #""pinRequired": false, "printBlocked": true"#
  private static let unknown = #""pinRequired": false, "saveAsBlocked": true, "futureRestriction": "block""#

  private func status(_ fixture: LaunchRunFixture) throws -> AccountStatus {
    try #require(fixture.core.source.status(of: LaunchRunFixture.alice).accounts.first)
  }

  @Test(
    "With unknownRestrictions unset or report, the policy applies, and status lists unknown settings",
    arguments: [#""#, #""unknownRestrictions": "report","#])
  func reported(more: String) async throws {
    let fixture = try LaunchRunFixture(Self.known)
    fixture.fixture.tenant.writeTenant(more: more)
    fixture.fixture.tenant.writePolicy(Self.unknown)
    fixture.pass(minutes: 60)
    #expect(try fixture.core.checkIn("alice") == [100])
    let policy = try #require(fixture.core.account("alice")?.policy?.effective)
    #expect(policy.value(of: .saveAsBlocked) == .bool(true))
    #expect(policy.value(of: .printBlocked) == nil)
    #expect(try await fixture.verdict() == .allow)
    #expect(try status(fixture).unknownRestrictions.map(\.setting) == ["futureRestriction"])
  }

  @Test(
    "With unknownRestrictions block, an unknown setting blocks the launch until either is removed",
    arguments: [true, false])
  func blocked(mendsPolicy: Bool) async throws {
    let fixture = try LaunchRunFixture(Self.known)
    fixture.fixture.tenant.writeTenant(more: #""unknownRestrictions": "block","#)
    fixture.fixture.tenant.writePolicy(Self.unknown)
    fixture.pass(minutes: 60)
    #expect(try fixture.core.checkIn("alice") == [100])
    #expect(try fixture.core.account("alice")?.policy?.effective.value(of: .saveAsBlocked) == .bool(true))
    let launch = try await fixture.evaluate()
    #expect(launch.verdict == .block)
    #expect(launch.rules.filter { $0.outcome == .block }.map(\.setting) == ["unknownRestrictions"])
    #expect(try status(fixture).unknownRestrictions.map(\.blocks) == [true])
    if mendsPolicy {
      fixture.fixture.tenant.writePolicy(Self.known)
    } else {
      fixture.fixture.tenant.writeTenant()
    }
    #expect(try await fixture.verdict() == .allow)
  }

  @Test("An invalid value of unknownRestrictions ends a check-in with 206 and keeps the last policy")
  func otherWord() throws {
    let fixture = try LaunchRunFixture(Self.known)
    fixture.fixture.tenant.writeTenant(more: #""unknownRestrictions": "Blocked","#)
    fixture.fixture.tenant.writePolicy(Self.unknown)
    fixture.pass(minutes: 60)
    #expect(try fixture.core.checkIn("alice") == [206])
    #expect(try fixture.core.account("alice")?.policy?.effective.value(of: .printBlocked) == .bool(true))
  }
}
