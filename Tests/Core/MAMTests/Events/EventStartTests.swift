import Support
import TestSupport
import Testing

@testable import MAM

@Suite struct EventStartTests {
  let fixture = CoreFixture()

  @Test("A start is behind the newest event, and stays there")
  func newest() throws {
    let core = try fixture.core()
    _ = try core.enroll("alice")
    let start = core.events.start()
    #expect(start.seq == 3)
    _ = try core.unenroll("alice")
    #expect(start.seq == 3)
    #expect(try core.events.settle(start) == 3)
  }

  @Test("A change by the same core waits for a start that is not known yet")
  func unsettled() throws {
    _ = try fixture.core().enroll("alice")
    let core = try fixture.core()
    let start = core.events.start()
    #expect(start.seq == nil)
    #expect(!core.unsettledStarts.isEmpty)
    _ = try core.unenroll("alice")
    #expect(start.seq == 3)
    #expect(try core.events.settle(start) == 3)
    #expect(core.unsettledStarts.isEmpty)
  }

  @Test("What other processes did before is read from the store")
  func otherCore() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    try core.refresh()
    _ = try other.enroll("alice")
    let start = core.events.start()
    #expect(start.seq == nil)
    #expect(try core.events.settle(start) == 3)
    #expect(core.unsettledStarts.isEmpty)
  }

  @Test("A start that nobody needs is forgotten")
  func dropped() throws {
    let core = try fixture.core()
    let start = core.events.start()
    core.events.drop(start)
    #expect(core.unsettledStarts.isEmpty)
  }
}
