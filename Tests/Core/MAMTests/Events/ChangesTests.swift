import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
  let fixture = CoreFixture()

  private func waiter(_ core: Core, for time: Duration? = nil) throws -> Task<Bool, Never> {
    let mark = try core.live.changeMark()
    return Task { await core.changes.wait(beyond: mark, until: time.map { .now + $0 }) }
  }

  @Test("A commit of a core wakes all tasks that wait for changes in that core")
  func sameCore() async throws {
    let core = try fixture.core()
    let waiters = try (0..<20).map { _ in try waiter(core) }
    await expectEventually(20) { core.changes.waiterCount }
    _ = try core.enroll("alice")
    for waiter in waiters { #expect(await waiter.value) }
    #expect(core.changes.waiterCount == 0)
  }

  @Test("A commit of another core soon wakes a waiting task")
  func otherCore() async throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    try other.refresh()
    let waiter = try waiter(core)
    await expectEventually(1) { core.changes.waiterCount }
    _ = try other.enroll("alice")
    let start = ContinuousClock.now
    #expect(await waiter.value)
    #expect(ContinuousClock.now - start < .soon)
  }

  @Test("Waiting for a change ends at once if something has changed since the mark")
  func passed() async throws {
    let core = try fixture.core()
    let mark = try core.live.changeMark()
    _ = try core.enroll("alice")
    #expect(await core.changes.wait(beyond: mark))
    #expect(!core.changes.isPolling)
  }

  @Test("Waiting tasks treat a replaced epoch page as a change")
  func replaced() async throws {
    let core = try fixture.core()
    let waiter = try waiter(core)
    await expectEventually(1) { core.changes.waiterCount }
    core.changes.resumePassed(on: try EpochPage(path: fixture.folder.file("epoch")))
    #expect(await waiter.value)
  }

  @Test("Without a change, waiting ends at the deadline and not before", arguments: [0, 1, 30, 300])
  func deadline(_ milliseconds: Int) async throws {
    let core = try fixture.core()
    let mark = try core.live.changeMark()
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    #expect(await core.changes.wait(beyond: mark, until: deadline) == false)
    #expect(deadline <= .now)
    #expect(core.changes.waiterCount == 0)
  }

  @Test("A canceled task stops waiting for changes", arguments: [false, true])
  func cancelled(_ isWaiting: Bool) async throws {
    let core = try fixture.core()
    let waiter = try waiter(core, for: .seconds(600))
    if isWaiting { await expectEventually(1) { core.changes.waiterCount } }
    waiter.cancel()
    #expect(await waiter.value == false)
    #expect(core.changes.waiterCount == 0)
  }

  @Test("The epoch page is polled only while a task waits, and polling keeps no core alive")
  func polling() async throws {
    var core: Core? = try fixture.core()
    weak let weakCore = core
    let changes = try #require(core?.changes)
    #expect(!changes.isPolling)
    let waiter = try waiter(try #require(core), for: .seconds(600))
    #expect(await eventually { changes.isPolling })
    waiter.cancel()
    _ = await waiter.value
    #expect(await eventually { !changes.isPolling })
    core = nil
    #expect(await eventually { weakCore == nil })
  }

  @Test("Each of 200 waits during commits, timeouts and cancellations ends exactly once")
  func storm() async throws {
    let core = try fixture.core()
    try core.refresh()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          guard let mark = try? core.live.changeMark() else { return }
          _ = await core.changes.wait(beyond: mark, until: .now + .milliseconds(index % 20))
        }
      }
      group.addTask {
        for _ in 0..<10 { _ = try? core.checkIn() }
      }
      var ended = 0
      for await _ in group {
        ended += 1
        if ended == 100 { group.cancelAll() }
      }
    }
    #expect(core.changes.waiterCount == 0)
  }
}
