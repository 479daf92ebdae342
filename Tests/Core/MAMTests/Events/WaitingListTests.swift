import Support
import TestSupport
import Testing

@testable import MAM

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct WaitingListTests {
  let fixture = CoreFixture()

  private func waiting(
    _ core: Core, _ query: EventQuery = EventQuery(after: 0), for time: Duration = .seconds(600)
  ) -> Task<EventPage, any Error> {
    Task { try await core.events.list(query, waitingUntil: .now + time) }
  }

  @Test("Listing events with a wait returns existing events or a gap at once")
  func atOnce() async throws {
    let core = try fixture.core()
    _ = try core.enroll("alice")
    #expect(try await waiting(core).value.next == 3)
    #expect(try await waiting(core, EventQuery(after: 9)).value.gap == 1...3)
  }

  @Test("Listing events with a wait ends at the first event of a requested type")
  func fits() async throws {
    let core = try fixture.core()
    let waiter = waiting(core, EventQuery(after: 0, types: ["appConfig.didChange"]))
    await expectEventually(1) { core.changes.waiterCount }
    _ = try core.checkIn()
    _ = try (core.enroll("carol"), core.unenroll("carol"))
    await expectEventually(1) { core.changes.waiterCount }
    _ = try core.enroll("bob")
    let page = try await waiter.value
    #expect(page.events.map(\.type) == ["appConfig.didChange"])
    #expect(page.events.first?.seq == page.next)
    #expect(page.gap == nil)
  }

  @Test("Listing events with a wait returns nothing at the timeout, and next skips events of other types")
  func timeOut() async throws {
    let core = try fixture.core()
    let waiter = waiting(core, EventQuery(after: 0, types: ["appConfig.didChange"]), for: .milliseconds(500))
    _ = try core.enroll("carol")
    let page = try await waiter.value
    #expect(page.isEmpty)
    #expect(page.next == 1)
  }

  @Test("Canceling a listing of events that waits returns an empty page", arguments: [false, true])
  func cancelled(_ isWaiting: Bool) async throws {
    let core = try fixture.core()
    let waiter = waiting(core)
    if isWaiting { await expectEventually(1) { core.changes.waiterCount } }
    waiter.cancel()
    #expect(try await waiter.value.isEmpty)
  }

  @Test(
    "Listing events with a wait soon returns events of another process",
    .enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"))
  func otherProcess() async throws {
    let core = try fixture.core()
    let waiter = waiting(core)
    await expectEventually(1) { core.changes.waiterCount }
    let child = try #require(ChildProcess(.enroll, fixture))
    #expect(child.waitForReport())
    let start = ContinuousClock.now
    #expect(try await waiter.value.events.map(\.seq) == [1, 2, 3])
    #expect(ContinuousClock.now - start < .soon)
    #expect(child.waitForEnd())
  }
}
