import Glibc
import Model
import TestSupport
import Testing

@testable import MAM

/// Kills processes that wipe, and looks at what the next one makes of it.
@Suite(.enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"))
struct WipeKillTests {
  @Test(
    "If a wipe is killed after any step, the data is unreadable and the next process completes the wipe",
    arguments: 0...6)
  func steps(_ step: Int) async throws {
    let world = try WipeFixture()
    let child = try #require(ChildProcess(.wipeToStep, world.fixture, detail: "\(step)"))
    #expect(child.waitForReport())
    #expect(!child.waitForEnd())
    #expect(!world.isReadable(in: try world.newCore()))
    let core = try world.newCore()
    try await core.wipes.finish(of: nil)
    try world.expectTold()
    try world.expectGone(in: core)
  }

  @Test("A process that starts completes a wipe that another process left unfinished")
  func resumed() async throws {
    let world = try WipeFixture()
    let child = try #require(ChildProcess(.wipeToStep, world.fixture, detail: "1"))
    _ = child.waitForEnd()
    let core = try world.newCore()
    try core.refresh()
    #expect(await eventually { core.currentState.map { $0.account(.user("alice")) == nil } ?? false })
    try world.expectTold()
    try world.expectGone(in: core)
  }

  @Test("If a wipe is killed at a random moment, the data is complete, or the next process removes it")
  func moments() async throws {
    for round in 0..<8 {
      let world = try WipeFixture()
      let child = try #require(ChildProcess(.wipe, world.fixture))
      #expect(child.waitForReport())
      spin(microseconds: .random(in: 0..<4000) * round)
      child.kill()
      let core = try world.newCore()
      if try core.account("alice").map({ !$0.isWiping }) ?? false {
        #expect(world.isReadable(in: core))
        #expect(try world.files(of: "alice").count == 3)
        try world.expectTold(wipes: 0)
      } else {
        try await core.wipes.finish(of: nil)
        try world.expectTold()
        try world.expectGone(in: core)
      }
    }
  }

  @Test("Several processes that wipe one account at the same time wipe it once")
  func together() async throws {
    let world = try WipeFixture()
    let children = try (0..<3).map { _ in try #require(ChildProcess(.wipe, world.fixture)) }
    for child in children { #expect(child.waitForEnd()) }
    try world.expectTold()
    try world.expectGone(in: try world.newCore())
  }

  private func spin(microseconds: Int) {
    let end = ContinuousClock.now + .microseconds(microseconds)
    while ContinuousClock.now < end {}
  }
}

/// What the children of `WipeKillTests` run.
@Suite(.enabled(if: ChildProcess.role != nil, "run by other tests, in a process of its own"))
struct ChildWipeTests {
  private let core = Core(
    CoreConfiguration(
      stateFolder: StateFolder(root: ChildProcess.state, appId: "com.example.host"),
      tenant: .folder(ChildProcess.tenant)))

  @Test("A child process wipes an account up to a step", .enabled(if: ChildProcess.role == .wipeToStep))
  func steps() async throws {
    core.alarm.turnOff(waitingAtMost: .zero)
    let last = try #require(Int(ChildProcess.detail))
    let account = try #require(try core.wipes.mark(.user("alice"), .host).first)
    var run = try #require(try WipeRun(core.wipes, position: account.position))
    reached(0, last)
    run.destroyKeys()
    reached(1, last)
    try await run.askHost()
    reached(2, last)
    try run.removeFiles()
    reached(3, last)
    run.leaveApps()
    reached(4, last)
    try run.verify()
    reached(5, last)
    #expect(try run.end().didSucceed)
    reached(6, last)
  }

  private func reached(_ step: Int, _ last: Int) {
    guard step == last else { return }
    ChildProcess.report()
    kill(getpid(), SIGKILL)
  }

  @Test("A child process wipes an account", .enabled(if: ChildProcess.role == .wipe))
  func wipe() async throws {
    try core.refresh()
    ChildProcess.report()
    #expect([104, 213, 214].contains(try await core.wipe("alice")))
  }
}
