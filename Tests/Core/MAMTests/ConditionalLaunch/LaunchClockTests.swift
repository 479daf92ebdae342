import Model
import Support
import TestSupport
import Testing

@testable import MAM

/// An account whose data is removed after 90 days offline, on a machine whose clock is set.
@Suite(.timeLimit(.minutes(5))) struct LaunchClockTests {
  private static let day: Int64 = 86_400_000
  private static let alice = AccountReference.user("alice")

  private let fixture = CoreFixture()
  private let machine = MachineClock(startingAt: CoreFixture.start)

  /// Without background work, so that only the test checks in.
  private func core(appId: String = "com.example.host", clock: (any Clock)? = nil) -> Core {
    let core = Core(
      CoreConfiguration(
        stateFolder: StateFolder(root: fixture.state.root, appId: appId), tenant: .folder(fixture.tenant.path),
        clock: clock ?? machine))
    core.endBackgroundWork()
    return core
  }

  private func enrolled(_ policy: String = #""periodOfflineBeforeWipeIsEnforced": "P90D""#) throws -> Core {
    fixture.tenant.writePolicy(policy)
    let core = core()
    #expect(try core.enroll("alice") == 100)
    return core
  }

  private func setNetwork(_ isAvailable: Bool, _ core: Core) async throws {
    _ = try await core.hostDevice.change { $0.networkAvailable = isAvailable }
  }

  private func evaluate(_ core: Core) async throws -> ConditionalLaunch {
    try await core.conditionalLaunch.evaluate(of: Self.alice, window: nil, in: LaunchSession())
  }

  enum Step: Sendable { case runs(Int64), jumps(Int64), isOff(Int64) }

  private func live(_ steps: [Step], _ core: Core) {
    for step in steps {
      switch step {
      case .runs(let days): machine.run(milliseconds: days * Self.day)
      case .jumps(let days): machine.jump(milliseconds: days * Self.day)
      case .isOff(let days): machine.switchOff(milliseconds: days * Self.day)
      }
    }
  }

  /// What happened while there was no network, whether the user must sign in then, and whether data is removed if the
  /// user declines.
  static let absences: [([Step], asks: Bool, removes: Bool)] = [
    ([.isOff(91)], true, true),
    ([.runs(91)], true, true),
    ([.jumps(91)], true, false),
    ([.jumps(91), .runs(89)], true, false),
    ([.jumps(91), .runs(90)], true, true),
    ([.jumps(91), .isOff(90)], true, true),
    ([.jumps(91), .jumps(-91), .runs(1)], false, false),
    ([.jumps(-91), .jumps(91), .runs(1)], false, false),
    ([.jumps(-91), .runs(91)], true, true),
    ([.runs(89), .jumps(1)], true, false),
  ]

  @Test("A forward clock jump can block and require a sign-in, but only elapsed time removes data", arguments: absences)
  func absence(_ steps: [Step], asks: Bool, removes: Bool) async throws {
    for restarts in [false, true] {
      let world = LaunchClockTests()
      var core = try world.enrolled()
      try await world.setNetwork(false, core)
      world.live(steps, core)
      if restarts { core = world.core() }
      let away = try await world.evaluate(core)
      #expect(away.verdict == (asks ? .block : .allow))
      try await world.setNetwork(true, core)
      let back = try await world.evaluate(core)
      #expect(back.challenges.map(\.kind) == (asks ? [.credentials] : []))
      guard let challenge = back.challenges.first else { continue }
      _ = try await core.conditionalLaunch.answer(challenge.id, with: .canceled)
      #expect(try (core.account("alice") == nil) == removes)
      guard !removes else { continue }
      let again = try await world.evaluate(core)
      #expect(again.verdict == .block)
    }
  }

  @Test("After a clock jump, a declined sign-in blocks the account and a completed one unblocks it")
  func answers() async throws {
    let core = try enrolled()
    machine.jump(milliseconds: 91 * Self.day)
    core.host = SignInHost(["prompt": .canceled])
    #expect(try await evaluate(core).verdict == .block)
    #expect(try core.account("alice") != nil)
    core.host = NoHost()
    let challenge = try #require(try await evaluate(core).challenges.first)
    _ = try await core.conditionalLaunch.answer(challenge.id, with: .token("proof"))
    #expect(try await evaluate(core).verdict == .allow)
  }

  @Test(
    "After a clock jump, a disabled user is wiped if the policy says so, and otherwise blocked",
    arguments: [true, false])
  func refused(wipes: Bool) async throws {
    let action = wipes ? "wipe" : "block"
    let core = try enrolled(
      #""periodOfflineBeforeWipeIsEnforced": "P90D", "appActionIfUnableToAuthenticateUser": "\#(action)""#)
    machine.jump(milliseconds: 91 * Self.day)
    fixture.tenant.writeTenant(
      users: TenantFolder.users.map { user in
        var user = user
        if user.name == "alice" { user.isEnabled = false }
        return user
      })
    #expect(try await evaluate(core).verdict == (wipes ? .wipe : .block))
    #expect(try (core.account("alice") == nil) == wipes)
  }

  @Test("A clock jump deletes no events and is logged once")
  func events() throws {
    let core = try enrolled()
    machine.jump(milliseconds: 91 * Self.day)
    #expect(try core.checkIn("alice") == [101])
    #expect(try core.checkIn("alice") == [101])
    #expect(try fixture.events().first?.seq == 1)
    #expect(try fixture.warnings("jumped forward by 91 days", in: core).count == 1)
    machine.run(milliseconds: 31 * Self.day)
    #expect(try core.checkIn("alice") == [101])
    #expect(try fixture.events().first?.seq != 1)
  }

  @Test("A clock that is set back does not stop check-ins, and diagnostics warn that the state is ahead")
  func setBack() throws {
    let core = try enrolled()
    #expect(core.clockWarning == nil)
    let due = try #require(core.state.nextDue)
    machine.jump(milliseconds: -91 * Self.day)
    machine.run(milliseconds: 1_800_000)
    #expect(core.now >= due)
    #expect(try core.checkIn("alice") == [101])
    #expect(try fixture.warnings("set back by 91 days", in: core).count == 1)
    let next = self.core()
    try next.refresh()
    #expect(next.clockWarning?.contains("91 days earlier") == true)
    #expect(try fixture.warnings("--state", in: next).count == 1)
    let information = try next.diagnostics.information(version: "1", sdkVersion: "2")
    #expect(information.clockWarning == next.clockWarning)
    let report = try next.diagnostics.report(version: "1", sdkVersion: "2")
    let facts = report.document.sections.first?.parts.flatMap(\.facts) ?? []
    #expect(facts.contains { $0.name == "Clock" && $0.value.text == next.clockWarning })
  }

  @Test("All apps of a state share a manual clock, and log lines have its time")
  func manual() throws {
    fixture.tenant.writePolicy(#""pinRequired": true"#)
    let (first, second) = (core(clock: fixture.clock), core(appId: "com.other.app", clock: fixture.clock))
    #expect(try first.enroll("alice") == 100)
    try second.refresh()
    let mine = ManualClock(startingAt: CoreFixture.start.advanced(by: 60 * Self.day))
    let moved = core(clock: mine)
    _ = try moved.enroll("bob")
    try second.refresh()
    #expect(second.now == mine.now)
    let third = core(appId: "com.third.app", clock: fixture.clock)
    try third.refresh()
    #expect(third.now == mine.now)
    try third.refresh().log.write(.warning, .server, "a line")
    #expect(try third.refresh().log.query(LogQuery(limit: 1)).map(\.time) == [mine.now])
    // On the machine's clock, apps do not share what a manual clock has seen.
    let system = core(appId: "com.fourth.app")
    try system.refresh()
    #expect(system.now == machine.now)
  }
}
