import Support
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

@Suite(.timeLimit(.minutes(5))) struct SchedulerTests {
  let fixture = CoreFixture()

  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 60 * minute
  private static let day: Int64 = 24 * hour

  private func minutesOfCheckIns(from count: Int) throws -> [Int64] {
    try fixture.events().dropFirst(count).filter { $0.status != nil }.map { event in
      (event.time.milliseconds - CoreFixture.start.milliseconds) / Self.minute
    }
  }

  @Test(
    "Each status has its own interval until the next check-in",
    arguments: [
      ("alice", 100, 30), ("bob", 103, 720), ("carol", 225, 720), ("dave", 200, 720), ("erin", 203, 1440),
      ("nobody", 203, 1440),
    ] as [(String, Int, Int64)])
  func intervals(name: String, code: Int, minutes: Int64) throws {
    let core = try fixture.core()
    #expect(try core.enroll(name) == code)
    #expect(core.state.nextDue == CoreFixture.start.advanced(by: minutes * Self.minute))
    let count = try fixture.events().count
    try core.scheduler.advance(byMilliseconds: minutes * Self.minute - 1)
    #expect(try fixture.events().count == count)
    try core.scheduler.advance(byMilliseconds: 1 + minutes * Self.minute)
    #expect(try minutesOfCheckIns(from: count) == [minutes, 2 * minutes])
  }

  @Test("Without a policy source, or with a damaged one, the next attempt is a day later")
  func failingSource() throws {
    for (tenant, code) in [(TenantLocation.none, 204), (.folder(fixture.tenant.path), 206)] {
      fixture.tenant.folder.write("{", to: "tenant.json")
      let fixture = CoreFixture()
      let core = try fixture.core(tenant: tenant)
      #expect(try core.enroll("alice") == code)
      #expect(core.state.nextDue == CoreFixture.start.advanced(by: Self.day))
    }
  }

  @Test("Offline, the wait doubles from one minute to an hour; when the network returns, it ends at once")
  func backOff() throws {
    let core = try fixture.core()
    _ = try core.changeDevice { $0.networkAvailable = false }
    #expect(try core.enroll("alice") == 205)
    try core.scheduler.advance(byMilliseconds: 4 * Self.hour)
    #expect(try minutesOfCheckIns(from: 1) == [1, 3, 7, 15, 31, 63, 123, 183])
    let count = try fixture.events().count
    _ = try core.changeDevice { $0.networkAvailable = true }
    #expect(try fixture.events().dropFirst(count).map(\.summary).first == "enrollmentRequestWithStatus 100")
    #expect(try core.requiresPIN("alice"))
    #expect(core.state.nextDue == core.now.advanced(by: 30 * Self.minute))
  }

  @Test("A retried enrollment sends enrollmentRequestWithStatus, even after a restart; check-ins follow")
  func retry() throws {
    fixture.tenant.writeTenant(users: [.init(name: "alice")])
    #expect(try fixture.core().enroll("alice") == 225)
    fixture.tenant.writeTenant()
    let restarted = try fixture.core()
    try restarted.scheduler.advance(byMilliseconds: 12 * Self.hour + 30 * Self.minute)
    let requests = try fixture.events().map(\.summary).filter { $0.contains("RequestWithStatus") }
    #expect(
      requests == ["enrollmentRequestWithStatus 225", "enrollmentRequestWithStatus 100", "policyRequestWithStatus 101"])
  }

  @Test("An enrolled account without a network gets status 212 and keeps its policy")
  func offline() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    _ = try core.changeDevice { $0.networkAvailable = false }
    #expect(try core.checkIn() == [212])
    #expect(try core.requiresPIN("alice"))
    #expect(try core.account("alice")?.life == .offline)
    _ = try core.changeDevice { $0.networkAvailable = true }
    #expect(try core.account("alice")?.life == .enrolled)
    #expect(try fixture.events().last?.summary == "policyRequestWithStatus 101")
  }

  @Test("Check-ins of several accounts run at their times and in order")
  func order() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("carol") == 225)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 100)
    let count = try fixture.events().count
    try core.scheduler.advance(byMilliseconds: 12 * Self.hour)
    let events = try fixture.events().dropFirst(count)
    #expect(events.count == 24 * 2 + 1)
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time && $0.seq + 1 == $1.seq })
    let names = events.suffix(3).map { $0.body["identity"]?.stringValue }
    #expect(names == ["carol", "alice", "frank"].map(TenantFolder.upn))
  }

  @Test("A check-in that became due while no process ran happens once, and the next interval starts then")
  func idle() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.clock.advance(byMilliseconds: 48 * Self.hour)
    let restarted = try fixture.core()
    try restarted.scheduler.advance(byMilliseconds: 0)
    #expect(try minutesOfCheckIns(from: 3) == [2880])
    #expect(restarted.state.nextDue == CoreFixture.start.advanced(by: 48 * Self.hour + 30 * Self.minute))
  }

  @Test("After 90 days offline, an account enrolls again; an unchanged policy sends no event")
  func forgotten() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    _ = try core.changeDevice { $0.networkAvailable = false }
    try core.scheduler.advance(byMilliseconds: 90 * Self.day)
    #expect(try core.requiresPIN("alice"))
    let count = try fixture.events().count
    _ = try core.changeDevice { $0.networkAvailable = true }
    #expect(try fixture.events().dropFirst(count).map(\.summary) == ["enrollmentRequestWithStatus 100"])
    #expect(try core.account("alice")?.enrolledAt == CoreFixture.start.advanced(by: 90 * Self.day))
    #expect(try core.checkIn() == [101])
  }

  @Test("A manual clock continues from the time that another process stored")
  func remembered() throws {
    let end = try fixture.core().scheduler.advance(byMilliseconds: Self.day)
    #expect(end == CoreFixture.start.advanced(by: Self.day))
    let other = Core(
      CoreConfiguration(stateFolder: fixture.state, clock: ManualClock(startingAt: CoreFixture.start)))
    #expect(try other.scheduler.advance(byMilliseconds: Self.hour) == end.advanced(by: Self.hour))
  }

  @Test("The system clock cannot be moved")
  func systemClock() throws {
    let core = Core(CoreConfiguration(stateFolder: fixture.state))
    let error = #expect(throws: MAMError.self) { try core.scheduler.advance(byMilliseconds: 1) }
    #expect(error?.code == .manualClockNeeded)
    #expect(error?.hint?.contains("--clock manual") == true)
  }

  @Test("Moving the manual clock by 90 days runs every check-in until then")
  func ninetyDays() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    try core.scheduler.advance(byMilliseconds: 90 * Self.day)
    #expect(try fixture.events().last?.time == CoreFixture.start.advanced(by: 90 * Self.day))
    #expect(try core.account("alice")?.checkedInAt == CoreFixture.start.advanced(by: 90 * Self.day))
  }
}
