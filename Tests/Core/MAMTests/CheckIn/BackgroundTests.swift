import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Vault

/// On the system's clock, where time goes on by itself.
@Suite(.timeLimit(.minutes(5))) struct BackgroundTests {
  let fixture = CoreFixture()

  private func core() -> Core {
    Core(CoreConfiguration(stateFolder: fixture.state, tenant: .folder(fixture.tenant.path)))
  }

  /// Makes every account due at once.
  private func makeDue(_ core: Core) throws {
    try core.live.commit { transaction throws(SQLiteError) in
      for var account in try transaction.accounts() {
        account.dueAt = nil
        try transaction.saveWithoutDocuments(account)
      }
    }
  }

  private func checkIns() throws -> Int { try fixture.events().count { $0.type == "policyRequestWithStatus" } }

  @Test("A core that opens a state runs due check-ins in the background")
  func start() async throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.endBackgroundWork()
    try makeDue(core)
    #expect(try checkIns() == 0)
    let restarted = self.core()
    try restarted.refresh()
    #expect(await eventually { (try? self.checkIns()) == 1 })
    restarted.endBackgroundWork()
    #expect(try checkIns() == 1)
    #expect(try restarted.account("alice")?.plan.checkIn ?? .atOnce > restarted.now)
  }

  @Test("Ending a core completes the check-in in progress and starts no other")
  func end() throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.endBackgroundWork()
    try makeDue(core)
    let script = self.core()
    try script.refresh()
    script.endBackgroundWork()
    #expect(try checkIns() == 1)
    try makeDue(script)
    #expect(try checkIns() == 1)
  }

  @Test("A process does not check in while another process does, and tries again afterwards")
  func handOver() async throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.endBackgroundWork()
    try makeDue(core)
    let waiting = self.core()
    try CheckInLock.withLock(fixture.state.checkInLock, isWaiting: true) { () throws(MAMError) in
      try waiting.refresh()
      #expect(try waiting.scheduler.runDue() == nil)
    }
    #expect(try checkIns() == 0)
    #expect(await eventually { (try? self.checkIns()) == 1 })
    waiting.endBackgroundWork()
  }

  @Test("A refresh during a question that assumes another policy sets the alarm from the stored state")
  func assumption() async throws {
    let (asking, changing) = (core(), core())
    try asking.refresh()
    #expect(!asking.alarm.isSet)
    let rooms = asking.roomsForAnswers(asking: NoHost())
    _ = try await changing.enrollment.enrollAndFollowUp(.user("alice"))
    try rooms.parts.live.refresh()
    #expect(rooms.state.nextDue == nil)
    #expect(asking.alarm.isSet)
    asking.endBackgroundWork()
    changing.endBackgroundWork()
  }

  @Test("A core without a registered account sets no alarm; an unused core creates no state folder")
  func nothingToDo() throws {
    let core = core()
    #expect(!Folder.exists(fixture.state.root))
    try core.refresh()
    #expect(core.state.nextDue == nil)
    #expect(!core.alarm.isSet)
  }
}
