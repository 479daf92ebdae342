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
    try core.commit { transaction throws(SQLiteError) in
      for var account in try transaction.accounts() {
        account.dueAt = nil
        try transaction.saveWithoutDocuments(account)
      }
    }
  }

  private func checkIns() throws -> Int { try fixture.events().count { $0.type == "policyRequestWithStatus" } }

  @Test("What is due when a state is opened is done beside the answers")
  func start() async throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.scheduler.end()
    try makeDue(core)
    #expect(try checkIns() == 0)
    let restarted = self.core()
    try restarted.refresh()
    #expect(await eventually { (try? self.checkIns()) == 1 })
    restarted.scheduler.end()
    #expect(try checkIns() == 1)
    #expect(try restarted.account("alice")?.plan.checkIn ?? .atOnce > restarted.now)
  }

  @Test("A process that ends lets a check-in come to its end, and begins none")
  func end() throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.scheduler.end()
    try makeDue(core)
    let script = self.core()
    try script.refresh()
    script.scheduler.end()
    #expect(try checkIns() == 1)
    try makeDue(script)
    #expect(try checkIns() == 1)
  }

  @Test("While another process checks in, this one does not, and looks again when that is gone")
  func handOver() async throws {
    let core = core()
    #expect(try core.enroll("alice") == 100)
    core.scheduler.end()
    try makeDue(core)
    let waiting = self.core()
    try CheckInLock.withLock(fixture.state.checkInLock, isWaiting: true) { () throws(MAMError) in
      try waiting.refresh()
      #expect(try waiting.scheduler.runDue() == nil)
    }
    #expect(try checkIns() == 0)
    #expect(await eventually { (try? self.checkIns()) == 1 })
    waiting.scheduler.end()
  }

  @Test("A change that is read under an assumption sets the alarm for what is stored, not for what is assumed")
  func assumption() async throws {
    let (asking, changing) = (core(), core())
    try asking.refresh()
    #expect(!asking.alarm.isSet)
    try await asking.answeringOnly(asking: NoHost()) { () async throws(MAMError) in
      _ = try await changing.enrollment.enrollAndFollowUp(.user("alice"))
      try asking.refresh()
      #expect(asking.state.nextDue == nil)
    }
    #expect(asking.alarm.isSet)
    asking.scheduler.end()
    changing.scheduler.end()
  }

  @Test("A core without a registered account sets no alarm, and one that nobody asked opens nothing")
  func nothingToDo() throws {
    let core = core()
    #expect(!Folder.exists(fixture.state.root))
    try core.refresh()
    #expect(core.state.nextDue == nil)
    #expect(!core.alarm.isSet)
  }
}
