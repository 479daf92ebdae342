import TestSupport
import Testing

@testable import MAM

@Suite(
  .enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"),
  .ownThreads)
struct ProcessTests {
  let fixture = CoreFixture()

  @Test("A core sees changes of another process at its next call")
  func otherProcess() throws {
    let core = try fixture.core()
    try core.refresh()
    #expect(core.currentState?.accounts.isEmpty == true)
    let child = try #require(ChildProcess(.enroll, fixture))
    #expect(child.waitForReport())
    #expect(core.currentState == nil)
    try core.refresh()
    #expect(core.currentState?.account(.user("alice"))?.isManaged == true)
    #expect(child.waitForEnd())
  }

  @Test("A process killed at a random moment leaves each change complete or absent")
  func killed() throws {
    let core = try fixture.core()
    try core.refresh()
    for round in 0..<8 {
      let child = try #require(ChildProcess(.loop, fixture))
      for _ in 0...(round * 3) { #expect(child.waitForReport()) }
      spin(microseconds: .random(in: 0..<4000))
      child.kill()
      try fixture.expectConsistentState()
    }
    if try core.account("alice") != nil { #expect(try core.unenroll("alice") == 104) }
    #expect(try core.enroll("alice") == 100)
    try fixture.expectConsistentState()
  }

  @Test("A process recovers from a full disk")
  func fullDisk() throws {
    #expect(try #require(ChildProcess(.fullDisk, fixture)).waitForEnd())
  }

  private func spin(microseconds: Int) {
    let end = ContinuousClock.now + .microseconds(microseconds)
    while ContinuousClock.now < end {}
  }
}

extension CoreFixture {
  /// After nothing but enrolling and unenrolling alice: events and accounts tell the same.
  func expectConsistentState(in folder: StateFolder? = nil) throws {
    let configuration = CoreConfiguration(stateFolder: folder ?? state, tenant: .folder(tenant.path), clock: clock)
    let events = try RecordedEvent.all(in: configuration.stateFolder)
    #expect(events.map(\.seq) == Array(0..<events.count).map { $0 + 1 })
    // An enrollment has three events, an end of it four.
    #expect([0, 3].contains(events.count % 7))
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    let statuses = events.compactMap(\.status)
    #expect(statuses == (0..<statuses.count).map { $0.isMultiple(of: 2) ? 100 : 104 })
    let account = try Core(configuration).account("alice")
    #expect((account != nil) == (statuses.last == 100))
    #expect(account.map { $0.isManaged && !$0.appConfig.isEmpty } ?? true)
  }
}
