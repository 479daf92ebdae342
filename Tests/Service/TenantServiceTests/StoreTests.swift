import Database
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct StoreTests {
  private let folder = TemporaryFolder(inMemory: true)
  private let time = Fixture.start

  private func store() async throws -> TenantStore {
    try await TenantStore(SQLiteDatabase(path: folder.file("service.sqlite")))
  }

  private func registration(_ number: Int, user: String = Fixture.alice) -> Registration {
    let digits = String(number)
    let id = "aaaaaaaa-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    return Registration(
      id: id, secretHash: [1, 2, 3], tenantId: Fixture.tenantId, userId: user, appId: "app \(number)",
      deviceTag: "tag", facts: RegistrationFacts(["jailbroken": .bool(number == 7), "later": [1, "ü"]]),
      applied: [PolicyVersion(id: "p", version: nil)], etag: "e", revision: 3, created: time, lastSync: time)
  }

  @Test("A registration reads back from SQLite unchanged")
  func roundTrip() async throws {
    let store = try await store()
    let registration = registration(7)
    try await store.database.write { session throws(DatabaseError) in try session.enroll(registration) }
    #expect(try await store.registration(registration.id) == registration)
    #expect(try await store.registration("none") == nil)
    #expect(try await store.usersWithFlaggedRegistrations() == [Fixture.alice])
  }

  @Test("10,000 registrations are listed in pages, each once and in order, even while some end")
  func paging() async throws {
    let store = try await store()
    let all = (0..<10_000).map { registration($0, user: $0 % 10 == 0 ? Fixture.bob : Fixture.alice) }
    try await store.database.write { session throws(DatabaseError) in
      for registration in all { try session.enroll(registration) }
    }
    #expect(try await store.registrationCount() == 10_000)
    #expect(try await store.registrationCount(of: Fixture.bob) == 1000)
    var (seen, after): ([String], String) = ([], "")
    while true {
      let page = try await store.registrations(after: after, limit: 999)
      seen += page.map(\.id)
      guard let last = page.last else { break }
      after = last.id
      if seen.count == 1998 {
        let time = time
        try await store.database.write { session throws(DatabaseError) in
          try session.end(all[0].id, at: time)
          try session.end(all[9999].id, at: time)
        }
      }
    }
    #expect(seen == all.dropLast().map(\.id))
    let ofBob = try await store.registrations(of: Fixture.bob, after: all[500].id, limit: 2)
    #expect(ofBob.map(\.id) == [all[510].id, all[520].id])
  }

  @Test("An app on a device has only one active registration, and an ended one can become active again")
  func place() async throws {
    let store = try await store()
    var (first, second) = (registration(1), registration(2))
    (first.appId, second.appId) = ("app", "app")
    let order = [first, second, first]
    for registration in order {
      try await store.database.write { session throws(DatabaseError) in try session.enroll(registration) }
      #expect(try await store.registrations(limit: 10).map(\.id) == [registration.id])
    }
  }

  @Test("The audit is kept for 400 days and read in pages")
  func audit() async throws {
    let store = try await store()
    for day in [0, 1, 399, 400] as [Int64] {
      let entry = AuditEntry(
        time.advanced(by: day * CivilDate.millisecondsPerDay), "somebody", .read, "day \(day)", outcome: "200")
      try await store.append(entry)
    }
    let now = time.advanced(by: 400 * CivilDate.millisecondsPerDay + 1)
    #expect(try await store.maintain(TenantStore.Retention(), .init(at: now, isConfirmed: true)).ended == 0)
    let first = try await store.auditEntries(limit: 2)
    #expect(first.map(\.entry.subject) == ["day 1", "day 399"])
    let rest = try await store.auditEntries(after: first.last?.number ?? 0, limit: 2)
    #expect(rest.map(\.entry.subject) == ["day 400"])
    #expect(rest.first?.entry.actor == "somebody")
    #expect(rest.first?.entry.outcome == "200")
  }

  @Test("Publishing the same version again changes nothing, and only the last version is stored")
  func snapshots() async throws {
    let store = try await store()
    let time = time
    func publish(_ text: String) async throws -> Int64 {
      try await store.database.write { session throws(DatabaseError) in
        try session.publish(Array(text.utf8), digest: Array(text.utf8), by: "me", at: time)
      }
    }
    #expect(try await publish("a") == 1)
    #expect(try await publish("a") == 1)
    #expect(try await publish("b") == 2)
    #expect(try await publish("a") == 3)
    let stored = try await store.database.read { session throws(DatabaseError) in
      (try session.snapshot(), try session.rows("SELECT 1 FROM snapshot").count)
    }
    #expect(stored.0?.body == Array("a".utf8))
    #expect(stored.1 == 1)
  }

  @Test("A repeated wipe order with the same request id within an hour orders no second wipe")
  func repeatedOrder() async throws {
    let store = try await store()
    func enroll(_ number: Int) async throws {
      var registration = registration(number)
      registration.appId = "app"
      let enrolled = registration
      try await store.database.write { session throws(DatabaseError) in try session.enroll(enrolled) }
    }
    func order(_ request: String?, minute: Int64) async throws -> Int {
      try await store.orderWipe(
        of: Fixture.alice, in: Fixture.tenantId, onDevice: "tag", by: Fixture.admin, request: request,
        at: time.advanced(by: minute * 60_000))
    }
    try await enroll(1)
    for minute in [0, 1] as [Int64] { #expect(try await order("first", minute: minute) == 1) }
    #expect(try await store.operations(of: registration(1).id).count == 1)
    // The device was wiped and has enrolled again, when a request comes whose answer was lost.
    let (first, end) = (registration(1).id, time)
    try await store.database.write { session throws(DatabaseError) in try session.end(first, at: end) }
    try await enroll(2)
    #expect(try await order("first", minute: 59) == 1)
    #expect(try await store.operations(of: registration(2).id).isEmpty)
    #expect(try await order("second", minute: 59) == 1)
    #expect(try await order("first", minute: 61) == 1)
    #expect(try await order(nil, minute: 61) == 1)
    #expect(try await store.operations(of: registration(2).id).count == 3)
    let audit = try await store.auditEntries(limit: 100)
    #expect(audit.filter { $0.entry.action == .order }.count == 4)
  }

  @Test("Of replaced registrations, only the last 200 and those with operations are kept")
  func replaced() async throws {
    let store = try await store()
    for number in 0..<250 {
      var registration = registration(number)
      (registration.appId, registration.lastSync) = ("app", time.advanced(by: Int64(number)))
      let enrolled = registration
      try await store.database.write { session throws(DatabaseError) in try session.enroll(enrolled) }
      guard number == 0 else { continue }
      _ = try await store.orderWipe(
        of: Fixture.alice, in: Fixture.tenantId, onDevice: "tag", by: Fixture.admin, at: time)
    }
    let count = try await store.database.read { session throws(DatabaseError) in
      try session.row("SELECT count(*) FROM registration")?.integer(0)
    }
    #expect(count == 203)
    #expect(try await store.registration(registration(0).id)?.endReason == .replaced)
    #expect(try await store.registration(registration(1).id) == nil)
  }

  @Test("A store that a newer program made incompatible is refused")
  func newer() async throws {
    let store = try await store()
    try await store.database.write { session throws(DatabaseError) in
      try session.run("UPDATE meta SET value = '99' WHERE key IN ('schemaVersion', 'compatibleFrom')")
    }
    let error = await #expect(throws: DatabaseError.self) { try await self.store() }
    #expect(error?.reason == .newerSchema)
  }
}
