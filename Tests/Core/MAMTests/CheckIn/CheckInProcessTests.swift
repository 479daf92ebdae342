import SQLite
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// Several processes on one state folder.
@Suite(
  .enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"),
  .ownThreads)
struct CheckInProcessTests {
  let fixture = CoreFixture()

  /// On the system's clock, as the children are.
  private func core() -> Core {
    Core(CoreConfiguration(stateFolder: fixture.state, tenant: .folder(fixture.tenant.path)))
  }

  private func makeDue(_ core: Core) throws {
    try core.live.commit { transaction throws(SQLiteError) in
      for var account in try transaction.accounts() {
        account.dueAt = nil
        try transaction.saveWithoutDocuments(account)
      }
    }
  }

  private func checkIns() throws -> Int { try fixture.events().count { $0.type == "policyRequestWithStatus" } }

  private func greeting(_ core: Core) -> String? {
    try? core.account("alice")?.appConfig.string("greeting", .any)
  }

  @Test("One of several processes runs each due check-in; all of them see its results and events")
  func oneOfMany() async throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.endBackgroundWork()
    let children = try (0..<3).map { _ in try #require(ChildProcess(.checkIn, fixture)) }
    defer { for child in children { child.kill() } }
    for child in children { #expect(child.waitForReport()) }
    for round in 1...10 {
      fixture.tenant.writeConfiguration("round \(round)")
      try makeDue(core)
      #expect(await eventually { (try? self.checkIns()) == round })
      for child in children { for _ in 0..<3 { #expect(child.waitForReport()) } }
      #expect(try checkIns() == round)
      // The store shows a change a moment before the process that made it has told the others.
      await expectEventually("round \(round)") { self.greeting(core) }
    }
    #expect(try fixture.events().count { $0.type == "didChange" } == 11)
  }

  @Test("Another process takes over check-ins if the process that holds the check-in lock is killed")
  func handOver() async throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.endBackgroundWork()
    let holder = try #require(ChildProcess(.holdTurn, fixture))
    #expect(holder.waitForReport())
    try makeDue(core)
    #expect(try core.scheduler.runDue() == nil)
    let other = self.core()
    try other.refresh()
    #expect(try checkIns() == 0)
    holder.kill()
    #expect(await eventually { (try? self.checkIns()) == 1 })
    other.endBackgroundWork()
  }

  @Test("Several processes that register the same account at the same time enroll it once")
  func enrollAtOnce() throws {
    let core = core()
    try core.refresh()
    let children = try (0..<3).map { _ in try #require(ChildProcess(.enroll, fixture)) }
    for child in children { _ = child.waitForEnd() }
    let events = try fixture.events()
    #expect(events.map(\.summary) == ["enrollmentRequestWithStatus 100", "policyDidChange", "didChange"])
    #expect(try core.account("alice")?.isManaged == true)
  }
}
