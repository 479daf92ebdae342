import Database
import HTTP
import Support
import TestSupport
import Testing

@testable import TenantService

/// Maintenance of a store whose clock jumps, with any number of services over it, each on a machine of its own.
private struct JumpingWorld {
  let fixture: Fixture
  let otherTime = Lock<Timestamp?>(nil)

  static let hour: Int64 = 3_600_000
  static let day = 24 * hour
  static let year = 365 * day

  /// With a registration that has a pending wipe, and one that has left with a pending wipe.
  init() async throws {
    fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
  }

  func service(on machine: MachineClock) -> TenantService {
    TenantService(
      store: fixture.store, served: ServedTenant(fixture.store), tokens: fixture.tokens, clock: machine,
      otherTime: { [otherTime] in otherTime.withLock { $0 } }
    ) { _ in }
  }

  /// A machine whose service has maintained the store for more than a day.
  func settled() async -> (MachineClock, TenantService) {
    let machine = MachineClock(startingAt: Fixture.start)
    let service = service(on: machine)
    await run(machine, service, hours: 26)
    return (machine, service)
  }

  func run(_ machine: MachineClock, _ services: TenantService..., hours: Int) async {
    for service in services { await service.maintain() }
    for _ in 0..<hours {
      machine.run(milliseconds: Self.hour)
      for service in services { await service.maintain() }
    }
  }

  /// Whether everything is still there: the registration, its pending wipe, and the audit.
  var isWhole: Bool {
    get async throws {
      let audit = try await fixture.store.auditEntries(limit: 1000).map(\.entry.action)
      let (count, states) = (try await fixture.registrations().count, try await fixture.states(fixture.host.id))
      return count == 1 && states == [.pending] && audit.contains(.enroll) && audit.contains(.order)
    }
  }

  func alarms() async throws -> [String] {
    try await fixture.store.auditEntries(limit: 1000).map(\.entry).filter { $0.action == .alarm }.map(\.outcome)
  }
}

@Suite(.timeLimit(.minutes(5))) struct ClockJumpTests {
  /// What happens to the clock, and how long the service then runs until it ends something.
  enum Fault: CaseIterable {
    case forwardAYear, forwardThreeYears, forwardLessThanADay, back, offForMonths, offAndRestartedTwice

    func happen(to machine: MachineClock) {
      switch self {
      case .forwardAYear: machine.jump(milliseconds: JumpingWorld.year + 73 * JumpingWorld.day)
      case .forwardThreeYears: machine.jump(milliseconds: 3 * JumpingWorld.year)
      case .forwardLessThanADay: machine.jump(milliseconds: 23 * JumpingWorld.hour)
      case .back: machine.jump(milliseconds: -JumpingWorld.year)
      case .offForMonths, .offAndRestartedTwice: machine.switchOff(milliseconds: 100 * JumpingWorld.day)
      }
    }

    var restarts: Bool { self == .offForMonths || self == .offAndRestartedTwice }
  }

  @Test(
    "After the clock jumps or the service was off, maintenance ends nothing for 24 hours of uptime",
    arguments: Fault.allCases)
  func held(_ fault: Fault) async throws {
    let world = try await JumpingWorld()
    var (machine, service) = await world.settled()
    fault.happen(to: machine)
    if fault.restarts { service = world.service(on: machine) }
    await world.run(machine, service, hours: 12)
    if fault == .offAndRestartedTwice {
      // Time off is no uptime.
      machine.switchOff(milliseconds: 20 * JumpingWorld.hour)
      service = world.service(on: machine)
    }
    await world.run(machine, service, hours: 11)
    #expect(try await world.isWhole)
    #expect(service.metricsText.contains("mambridge_maintenance_held 1\n"))
    #expect(try await world.alarms().filter { $0 == "maintenance held" }.count == 1)
    await world.run(machine, service, hours: 2)
    #expect(service.metricsText.contains("mambridge_maintenance_held 0\n"))
    #expect(!service.metricsText.contains("mambridge_clock_alarm_seconds 0\n"))
    #expect(try await world.alarms().last == "maintenance goes on")
    let isOld = fault == .forwardAYear || fault == .forwardThreeYears || fault.restarts
    #expect(try await world.fixture.registrations().isEmpty == isOld)
  }

  @Test(
    "Held maintenance resumes early only if a second clock agrees within five minutes",
    arguments: [(0, true), (299_000, true), (-299_000, true), (301_000, false), (-86_400_000, false), (nil, false)]
      as [(Int64?, Bool)])
  func confirmed(_ difference: Int64?, _ goesOn: Bool) async throws {
    let world = try await JumpingWorld()
    let (machine, service) = await world.settled()
    machine.jump(milliseconds: JumpingWorld.year)
    world.otherTime.withLock { $0 = difference.map { machine.now.advanced(by: $0) } }
    await service.maintain()
    #expect(try await world.isWhole != goesOn)
    #expect(service.metricsText.contains("mambridge_maintenance_held \(goesOn ? 0 : 1)\n"))
    #expect(!service.metricsText.contains("mambridge_clock_alarm_seconds 0\n"))
    let request = HTTPRequest("GET", "/health/ready")
    let ready = await service.response(to: request, from: "127.0.0.1")
    let body = String(decoding: ready.body, as: UTF8.self)
    #expect(body.contains("\"isMaintenanceHeld\":\(!goesOn)"))
    #expect(body.contains("\"clockAlarm\":\"20"))
    #expect(try await world.alarms().contains("confirmed, maintenance goes on") == goesOn)
  }

  @Test("Two replicas both hold maintenance for 24 hours, and a host that checks in stays registered")
  func replicas() async throws {
    let world = try await JumpingWorld()
    let (machine, first) = await world.settled()
    machine.jump(milliseconds: JumpingWorld.year)
    let second = world.service(on: machine)
    await world.run(machine, first, second, hours: 23)
    #expect(try await world.isWhole)
    world.fixture.clock.advance(byMilliseconds: machine.now.milliseconds(since: world.fixture.clock.now))
    #expect(await world.fixture.host.checkIn().status == 200)
    await world.run(machine, first, second, hours: 2)
    #expect(first.metricsText.contains("mambridge_maintenance_held 0\n"))
    #expect(try await world.fixture.registrations().count == 1)
    #expect(try await world.fixture.states(world.fixture.host.id) == [.pending])
  }

  @Test("A clock that jumps ahead and back raises two alarms and loses nothing")
  func thereAndBack() async throws {
    let world = try await JumpingWorld()
    let (machine, service) = await world.settled()
    machine.jump(milliseconds: 3 * JumpingWorld.year)
    await world.run(machine, service, hours: 1)
    machine.jump(milliseconds: -3 * JumpingWorld.year)
    await world.run(machine, service, hours: 48)
    #expect(try await world.isWhole)
    #expect(try await world.alarms().filter { $0 == "maintenance held" }.count == 2)
  }

  @Test("A restart within a day does not hold maintenance, and a new store raises no alarm")
  func usual() async throws {
    let world = try await JumpingWorld()
    let (machine, _) = await world.settled()
    machine.switchOff(milliseconds: 23 * JumpingWorld.hour)
    let service = world.service(on: machine)
    await service.maintain()
    #expect(try await world.alarms().filter { $0 == "maintenance held" }.isEmpty)
    #expect(service.metricsText.contains("mambridge_maintenance_held 0\n"))
  }

  @Test("Maintenance of a store left by an older program is held for 24 hours")
  func upgraded() async throws {
    let world = try await JumpingWorld()
    let machine = MachineClock(startingAt: Fixture.start.advanced(by: JumpingWorld.year))
    let service = world.service(on: machine)
    await world.run(machine, service, hours: 23)
    #expect(try await world.isWhole)
    await world.run(machine, service, hours: 1)
    #expect(try await world.fixture.registrations().isEmpty)
  }
}
