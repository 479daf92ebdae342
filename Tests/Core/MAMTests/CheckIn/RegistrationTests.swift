import SQLite
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

/// Etags, and what a source outside of this process learns of an enrollment and its end.
@Suite struct RegistrationTests {
  private let world = SourceWorld()

  private func lastRequest() throws -> SourceRequest { try #require(world.source.requests.last) }

  private func secret(_ registration: SourceRegistration) -> [UInt8] { registration.secret.withUnsafeBytes(Array.init) }

  @Test("Only an enrolled account sends an etag; if nothing has changed, the stored policy stays")
  func unchanged() async throws {
    world.source.delivers(#""pinRequired": true"#, etag: "e1")
    #expect(try await world.enroll() == 100)
    #expect(try lastRequest().etag == nil)
    #expect(try lastRequest().reason == .enroll)
    world.source.isUnchanged()
    for _ in 1...2 { #expect(try await world.checkIn() == [101]) }
    let request = try lastRequest()
    #expect(request.etag == "e1")
    #expect(request.reason == .checkIn)
    #expect(request.applied.map(\.id) == ["T_1"])
    #expect(try world.core.requiresPIN("alice"))
    let stored = try Core(world.core.configuration).requiresPIN("alice")
    #expect(stored)
  }

  @Test("After a change of platform or program version, a check-in sends no etag")
  func everything() async throws {
    world.source.delivers(#""pinRequired": true"#, etag: "e1")
    #expect(try await world.enroll() == 100)
    var configuration = world.core.configuration
    configuration.version = "2"
    let newer = Core(configuration)
    _ = try await newer.enrollment.checkInAndFollowUp(nil)
    #expect(try lastRequest().etag == nil)
    _ = try await newer.hostDevice.change { $0.platform = .android }
    #expect(try lastRequest().etag == nil)
    #expect(try lastRequest().device.platform == .android)
  }

  @Test("The stored secret of a registration opens only under the id of that registration")
  func bound() async throws {
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    let (services, registrations) = (try world.core.live.refresh(), world.core.registrations)
    let stored = try services.store.read { connection throws(SQLiteError) in
      try connection.all(StoredRegistration.table)
    }
    let own = try #require(stored.first)
    #expect(try registrations.opened(own.id, own.sealed, services)?.secret.count == 32)
    #expect(try registrations.opened(.randomUUID, own.sealed, services)?.secret.count == nil)
  }

  @Test("A source that answers unchanged to a request without an etag causes status 206")
  func unchangedWithoutEtag() async throws {
    world.source.isUnchanged()
    #expect(try await world.enroll() == 206)
  }

  @Test("A registration keeps its id and secret until unenrollment, which is reported until accepted")
  func leave() async throws {
    world.source.fails(.unreachable)
    #expect(try await world.enroll() == 205)
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.checkIn() == [100])
    let registrations = world.source.requests.map(\.registration)
    #expect(Set(registrations.map(\.id)).count == 1)
    #expect(Set(registrations.map(secret)).count == 1)
    #expect(secret(registrations[0]).count == 32)
    _ = try await world.core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: false)
    world.source.accepts(false)
    try await world.core.scheduler.runDueAndFollowUp()
    #expect(world.core.state.accounts.isEmpty)
    #expect(world.core.state.nextDue == world.core.now.advanced(by: 1000))
    world.source.accepts(true)
    world.fixture.clock.advance(byMilliseconds: 1000)
    try await world.core.scheduler.runDueAndFollowUp()
    #expect(world.source.reports.map(\.registration.id) == [registrations[0].id, registrations[0].id])
    #expect(world.source.reports.allSatisfy { $0.operation == nil })
    #expect(world.core.state.nextDue == nil)
    #expect(secret(world.source.reports[0].registration) == secret(registrations[0]))
    #expect(try await world.enroll() == 100)
    #expect(try lastRequest().registration.id != registrations[0].id)
  }

  @Test("A wipe runs once, even for a disabled user or with an etag, and is reported with the registration")
  func wipe() async throws {
    world.source.delivers(#""pinRequired": true"#, etag: "e1")
    #expect(try await world.enroll() == 100)
    let registration = try lastRequest().registration
    world.source.isUnchanged(wipes: ["o1"])
    #expect(try await world.checkIn() == [102])
    #expect(try world.core.account("alice") == nil)
    try await world.core.scheduler.runDueAndFollowUp()
    #expect(world.source.reports.map(\.operation) == ["o1", nil])
    #expect(world.source.reports.allSatisfy { $0.registration.id == registration.id })
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    world.source.wipes("o1", "o2")
    #expect(try await world.checkIn() == [102])
    world.source.wipes("o1", "o2")
    #expect(try await world.enroll() == 203)
    #expect(try world.fixture.events().count { $0.type == "wipeDidComplete" } == 2)
  }

  @Test("The source gets a report of an unfinished wipe without names, and then one of the finished wipe")
  func failedWipe() async throws {
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    world.core.host = AuxiliaryHost([false, true])
    world.source.wipes("o1")
    #expect(try await world.checkIn() == [102])
    #expect(await eventually { !world.source.reports.isEmpty })
    let reason = "1 item of the account could not be removed. mambridge tries again."
    #expect(world.source.reports.map(\.failure) == [reason])
    #expect(world.source.reports.first?.operation == "o1")
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 3_600_000)
    #expect(world.source.reports.dropFirst().map(\.operation) == ["o1", nil])
    #expect(world.source.reports.dropFirst().allSatisfy { $0.failure == nil })
  }

  @Test("The secret of a registration is stored encrypted")
  func sealed() async throws {
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    let registration = try lastRequest().registration
    let stored = try world.core.refresh().store.read { connection throws(SQLiteError) in
      try connection.all(StoredRegistration.table)
    }
    let secret = secret(registration)
    #expect(stored.map(\.id) == [registration.id])
    #expect(
      stored.allSatisfy {
        $0.sealed.count > 32
          && !$0.sealed.indices.contains { index in
            stored[0].sealed[index...].starts(with: secret)
          }
      })
  }

  @Test("A tenant folder as the policy source creates no registration and gets no report")
  func folder() async throws {
    let core = try world.fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.unenroll("alice") == 104)
    let counts = try core.refresh().store.read { connection throws(SQLiteError) in
      (try connection.all(StoredRegistration.table).count, try connection.all(StoredReport.table).count)
    }
    #expect(counts == (0, 0))
    #expect(core.state.nextDue == nil)
  }
}
