import Support
import TestSupport
import Testing

@testable import MAM

@Suite struct EventStartTests {
  let fixture = CoreFixture()

  @Test("events.start() returns the position after the newest event, which later events do not change")
  func newest() throws {
    let core = try fixture.core()
    _ = try core.enroll("alice")
    let start = core.events.start()
    #expect(start.seq == 3)
    _ = try core.unenroll("alice")
    #expect(start.seq == 3)
    #expect(try core.events.settle(start) == 3)
  }

  @Test("A commit settles pending event starts of its core before it adds events")
  func unsettled() throws {
    _ = try fixture.core().enroll("alice")
    let core = try fixture.core()
    let start = core.events.start()
    #expect(start.seq == nil)
    #expect(!core.live.unsettledStarts.isEmpty)
    _ = try core.unenroll("alice")
    #expect(start.seq == 3)
    #expect(try core.events.settle(start) == 3)
    #expect(core.live.unsettledStarts.isEmpty)
  }

  @Test("Settling an event start counts events that other processes stored before")
  func otherCore() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    try core.refresh()
    _ = try other.enroll("alice")
    let start = core.events.start()
    #expect(start.seq == nil)
    #expect(try core.events.settle(start) == 3)
    #expect(core.live.unsettledStarts.isEmpty)
  }

  @Test("A dropped event start is forgotten")
  func dropped() throws {
    let core = try fixture.core()
    let start = core.events.start()
    core.events.drop(start)
    #expect(core.live.unsettledStarts.isEmpty)
  }
}
