import Cryptography
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Policy
@testable import Tenancy

/// Whatever requires a wipe blocks instead while the policy source says that wipes are on hold.
@Suite("Held wipes", .ownThreads, .timeLimit(.minutes(5))) struct HeldWipeTests {
  /// What would wipe alice's data.
  enum Cause: String, CaseIterable {
    case appVersion, osVersion, jailbreak, threat, disabled, deleted, wrongPINs, offline, ordered, orderedBlock,
      announced

    /// Whether a check-in decides, and not a launch.
    var isOfCheckIn: Bool { [.disabled, .deleted, .ordered, .orderedBlock, .announced].contains(self) }
    var isOrder: Bool { [.ordered, .orderedBlock, .announced].contains(self) }
  }

  private static let policy = #"""
    "minimumWipeAppVersion": "2.0", "minimumWipeOsVersion": "17.0", "deviceComplianceRequired": true,
    "appActionIfDeviceComplianceRequired": "wipe", "maximumAllowedDeviceThreatLevel": "low",
    "mobileThreatDefenseRemediationAction": "wipe", "appActionIfUnableToAuthenticateUser": "wipe",
    "periodOfflineBeforeWipeIsEnforced": "P90D"
    """#
  private static let pinPolicy = PINFixture.fiveTries + #", "appActionIfMaximumPinRetriesExceeded": "wipe""#
  private static let why = "Ticket 4711"
  private static let hold = WipeHold(why: why, since: Timestamp(milliseconds: 1_700_000_000_000))
  private static let alice = AccountReference.user("alice")

  private final class World {
    let cause: Cause
    let world = SourceWorld { configuration in configuration.pinStretching = .quick }
    var core: Core
    private(set) var data: [UInt8] = []
    var source: FakeSource { world.source }
    var events: [String] { get throws { try world.fixture.events().map(\.summary) } }

    init(_ cause: Cause) async throws {
      self.cause = cause
      core = world.core
      source.delivers(cause == .wrongPINs ? pinPolicy : policy)
      #expect(try await world.enroll() == 100)
      try await tell { ($0.appVersion, $0.osVersion, $0.threatLevel) = ("2.0", "17.0", .secured) }
      if cause == .wrongPINs { try core.pins.set("2580") }
      data = try core.protection.protect([1, 2, 3], for: alice)
    }

    func tell(_ change: @escaping @Sendable (inout Model.Device) -> Void) async throws {
      _ = try await core.hostDevice.change(change)
    }

    func restart() { core = Core(world.core.configuration) }

    func checkIn() async throws { _ = try await core.enrollment.checkInAndFollowUp(nil) }

    func evaluate() async throws -> ConditionalLaunch {
      try await core.conditionalLaunch.evaluate(of: alice, window: nil, in: LaunchSession())
    }

    /// Lets the cause happen, and what notices it.
    func happen(_ hold: WipeHold?) async throws {
      switch cause {
      case .appVersion: try await tell { $0.appVersion = "1.9" }
      case .osVersion: try await tell { $0.osVersion = "16.9" }
      case .jailbreak: try await tell { $0.jailbroken = true }
      case .threat: try await tell { $0.threatLevel = .high }
      case .disabled: source.says("disabled")
      case .deleted: source.says("deleted")
      case .wrongPINs: for _ in 0..<5 { _ = try? core.tryPIN("0000") }
      case .offline: try await beOffline(hold)
      case .ordered: source.orders(.wipe)
      case .orderedBlock: source.orders(.wipeAndBlock)
      // A service does not deliver what waits.
      case .announced: if hold == nil { source.orders(.wipe) }
      }
      source.holds(hold, isOrdered: cause == .announced)
      if cause.isOfCheckIn { try await checkIn() }
      _ = try await evaluate()
    }

    /// Long enough that the user must sign in, which the user cancels.
    private func beOffline(_ hold: WipeHold?) async throws {
      world.fixture.clock.advance(byMilliseconds: 91 * 86_400_000)
      try await checkIn()
      let challenge = try #require(try await evaluate().challenges.first)
      _ = try await core.conditionalLaunch.answer(challenge.id, with: .canceled)
    }

    /// Lets the cause happen while wipes are on hold, and end before the next check-in.
    func endCause() async throws {
      source.holds(hold)
      try await checkIn()
      try await happen(hold)
      try await expectHeld()
      try await tell { $0.jailbroken = false }
      source.delivers(policy)
    }

    func expectHeld() async throws {
      let account = try #require(try core.account("alice"))
      #expect(!account.isWiping)
      #expect(account.heldWipe != nil)
      #expect(account.hold == hold)
      #expect(try !events.contains("wipeDidComplete"))
      let launch = try await evaluate()
      #expect(launch.verdict == .block)
      // Who is asked to sign in again may still do so.
      let isTold = launch.rules.contains { $0.text.contains(why) && $0.outcome == .block }
      #expect(isTold || cause == .offline, "\(launch.rules)")
      #expect((try? core.protection.unprotect(data)) == nil)
      #expect((try? core.protection.protect([1], for: alice)) == nil)
      #expect(account.access(isEnrolling: false) == .block)
      #expect(core.state.blocks.reason(of: account.account) == .conditionalLaunchBlocked)
      let explanation = try core.source.status(of: alice).accounts.first?.explanation ?? ""
      #expect(explanation.contains(why), "\(explanation)")
      #expect(explanation.contains("blocked instead of being wiped"), "\(explanation)")
    }
  }

  @Test("Without a hold, each cause of a wipe wipes the account", arguments: Cause.allCases)
  func control(cause: Cause) async throws {
    let world = try await World(cause)
    try await world.happen(nil)
    #expect(try world.events.contains("wipeDidComplete"))
    #expect((try? world.core.protection.unprotect(world.data)) == nil)
  }

  @Test(
    "Under a hold, each cause of a wipe blocks the account instead, even offline and after a restart",
    arguments: Cause.allCases)
  func held(cause: Cause) async throws {
    let world = try await World(cause)
    world.source.holds(Self.hold)
    try await world.checkIn()
    try await world.happen(Self.hold)
    try await world.expectHeld()
    world.restart()
    try await world.expectHeld()
    world.source.fails(.unreachable)
    try await world.checkIn()
    try await world.expectHeld()
    world.restart()
    try await world.expectHeld()
  }

  @Test("After the hold is lifted, each cause that still applies wipes the account", arguments: Cause.allCases)
  func lifted(cause: Cause) async throws {
    let world = try await World(cause)
    world.source.holds(Self.hold)
    try await world.checkIn()
    try await world.happen(Self.hold)
    world.restart()
    world.source.holds(nil)
    if cause == .announced { world.source.orders(.wipe) }
    try await world.checkIn()
    if cause == .offline {
      let challenge = try #require(try await world.evaluate().challenges.first)
      _ = try await world.core.conditionalLaunch.answer(challenge.id, with: .canceled)
    } else {
      _ = try await world.evaluate()
    }
    #expect(try world.events.count { $0 == "wipeDidComplete" } == 1)
    #expect((try? world.core.protection.unprotect(world.data)) == nil)
  }

  @Test("An answer that does not mention the hold leaves it in force")
  func unsaid() async throws {
    let world = try await World(.jailbreak)
    world.source.holds(Self.hold)
    try await world.checkIn()
    try await world.happen(Self.hold)
    world.source.holds(nil, isSaid: false)
    world.source.orders(.wipe)
    try await world.checkIn()
    _ = try await world.evaluate()
    let account = try #require(world.core.state.accounts.first)
    #expect(account.hold == Self.hold)
    #expect(!account.isWiping)
    #expect(try world.events.count { $0 == "wipeDidComplete" } == 0)
  }

  @Test(
    "If the cause of a held wipe ends first, the account works as before",
    arguments: [Cause.jailbreak, .ordered, .announced, .disabled])
  func over(cause: Cause) async throws {
    let world = try await World(cause)
    try await world.endCause()
    world.source.holds(Self.hold)
    try await world.checkIn()
    #expect(try await world.evaluate().verdict == .allow)
    let account = try #require(try world.core.account("alice"))
    #expect(account.heldWipe == nil)
    #expect(account.hold == Self.hold)
    #expect(world.core.state.blocks.reason(of: account.account) == .notBlocked)
    #expect(try world.core.protection.unprotect(world.data) == [1, 2, 3])
  }

  @Test("Under a hold, an ordered wipe blocks an account without a policy until the order is gone")
  func unmanaged() async throws {
    let world = try await World(.jailbreak)
    world.source.configures()
    try await world.checkIn()
    #expect(try world.core.account("alice")?.isManaged == false)
    world.source.holds(Self.hold, isOrdered: true)
    try await world.checkIn()
    let held = try await world.evaluate()
    #expect(held.verdict == .block)
    #expect(held.rules.contains { $0.text.contains(Self.why) })
    let account = try #require(try world.core.account("alice")).account
    #expect(world.core.state.blocks.reason(of: account) == .conditionalLaunchBlocked)
    world.source.holds(nil)
    try await world.checkIn()
    #expect(try await world.evaluate().verdict == .allow)
    #expect(world.core.state.blocks.reason(of: account) == .notBlocked)
  }

  @Test(
    "Once nothing waits to be wiped, a launch that asks nobody shows the account again, and hosts hear of it",
    arguments: [Cause.jailbreak, .ordered, .disabled], [true, false])
  func shown(cause: Cause, isLifted: Bool) async throws {
    let world = try await World(cause)
    try await world.endCause()
    world.source.holds(isLifted ? nil : Self.hold)
    try await world.checkIn()
    let count = try world.events.count
    #expect(try await world.core.compliance.remediate(Self.alice, silent: true, in: LaunchSession()) == .compliant)
    #expect(try world.events.dropFirst(count).count { $0 == "policyDidChange" } == 1)
    let account = try #require(try world.core.account("alice"))
    #expect(account.heldWipe == nil)
    #expect(world.core.state.blocks.reason(of: account.account) == .notBlocked)
    #expect(try world.core.protection.unprotect(world.data) == [1, 2, 3])
  }

  @Test(
    "A refusal says it, too: a host whose user must sign in hears of a hold and of its end", arguments: Cause.allCases)
  func refused(cause: Cause) async throws {
    let world = try await World(cause)
    world.source.fails(.signInNeeded)
    world.source.holds(Self.hold)
    try await world.checkIn()
    #expect(try world.core.account("alice")?.hold == Self.hold)
    if cause.isOfCheckIn || cause == .offline { world.source.delivers(Self.policy) }
    world.source.holds(Self.hold)
    try await world.happen(Self.hold)
    try await world.expectHeld()
    // What an order has caused ends with the order. Nobody orders what the policy requires.
    world.source.fails(.signInNeeded)
    world.source.holds(Self.hold, isOrdered: cause.isOrder)
    try await world.checkIn()
    try await world.expectHeld()
    world.source.holds(nil, isSaid: false)
    try await world.checkIn()
    try await world.expectHeld()
    world.source.holds(nil)
    try await world.checkIn()
    let account = try #require(try world.core.account("alice"))
    #expect(account.hold == nil)
    #expect(account.heldWipe == nil)
  }

  @Test("A hold does not stop a wipe that the host requests or that has already started") func own() async throws {
    let world = try await World(.appVersion)
    world.source.holds(Self.hold)
    try await world.checkIn()
    #expect(try await world.core.wipe("alice") == 104)
    #expect(try world.events.contains("wipeDidComplete"))
    let begun = try await World(.appVersion)
    _ = try begun.core.wipes.mark(Self.alice, .administrator())
    begun.source.holds(Self.hold)
    try await begun.core.wipes.finish(of: nil)
    #expect(try begun.events.contains("wipeDidComplete"))
  }

  @Test(
    "Under a hold, an account with an ordered wipe cannot enroll and gets 226",
    arguments: [Cause.orderedBlock, .announced])
  func enrollment(cause: Cause) async throws {
    let world = SourceWorld()
    world.source.delivers(Self.policy)
    if cause == .orderedBlock { world.source.orders(.wipeAndBlock) }
    world.source.holds(Self.hold, isOrdered: cause == .announced)
    #expect(try await world.enroll() == 226)
    let account = try #require(try world.core.account("alice"))
    #expect(!account.isEnrolled)
    #expect(account.status?.errorString?.contains(Self.why) == true)
  }

  @Test("The status of a check-in and a PIN error say that wipes are on hold, and why") func texts() async throws {
    let ordered = try await World(.ordered)
    ordered.source.orders(.wipe)
    ordered.source.holds(Self.hold)
    let status = try #require(try await ordered.core.enrollment.checkInAndFollowUp(nil).first)
    #expect(status.statusCode == .deviceBlockedEnrollment)
    #expect(status.access == .block)
    #expect(status.errorString?.contains("op-1") == true)
    #expect(status.errorString?.contains(Self.why) == true)
    #expect(try ordered.events.suffix(2) == ["policyRequestWithStatus 226", "policyDidChange"])
    let disabled = try await World(.disabled)
    disabled.source.says("disabled")
    disabled.source.holds(Self.hold)
    let refusal = try #require(try await disabled.core.enrollment.checkInAndFollowUp(nil).first)
    #expect(refusal.statusCode == .authRequired)
    #expect(refusal.access == .block)
    #expect(refusal.errorString?.contains(Self.why) == true)
    let pin = try await World(.wrongPINs)
    pin.source.holds(Self.hold)
    try await pin.checkIn()
    for _ in 0..<4 { _ = try? pin.core.tryPIN("0000") }
    let error = await #expect(throws: MAMError.self) { try await pin.core.pins.change("0000", "8520") }
    #expect(error?.code == .pinRetriesExceeded)
    #expect(error?.message.contains(Self.why) == true)
  }

  @Test("Under a hold, the launch of the app is blocked and reports the hold") func appStart() async throws {
    let world = try await World(.jailbreak)
    world.source.holds(Self.hold)
    try await world.checkIn()
    try await world.happen(Self.hold)
    world.restart()
    let outcome = try await world.core.appStart.run(in: LaunchSession())
    #expect(outcome.report.verdict == .block)
    #expect(outcome.report.reasons.contains { $0.text.contains(Self.why) })
    await world.core.appStart.followUp(outcome)
    #expect(try world.core.account("alice")?.isWiping == false)
  }
}
