import Database
import Glibc
import SourceProtocol
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// The statements of the tenant service, on both engines.
@Suite(.timeLimit(.minutes(5))) struct TenantStoreTests {
  private static let tenant = "11111111-1111-4111-8111-111111111111"
  private static let alice = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa"
  private static let start = Timestamp(milliseconds: 1_800_000_000_000)

  private let folder = TemporaryFolder(inMemory: true)

  private func store(_ engine: DatabaseEngine) async throws -> TenantStore {
    try await TenantStore(Engines.open(engine, in: folder))
  }

  private func registration(_ id: String, app: String = "com.contoso.mail", tag: String = "device 1") -> Registration {
    Registration(
      id: id, secretHash: [0, 1, 255], tenantId: Self.tenant, userId: Self.alice, appId: app, deviceTag: tag,
      facts: RegistrationFacts(["platform": "ios", "jailbroken": true, "new member": [1, nil]]),
      applied: [PolicyVersion(id: "T_1", version: nil)], created: Self.start, lastSync: Self.start)
  }

  private func enroll(_ registrations: Registration..., in store: TenantStore) async throws {
    try await store.database.write { session throws(DatabaseError) in
      for registration in registrations { try session.enroll(registration) }
    }
  }

  private func files(_ operations: String = "") -> TenantFileSet {
    TenantFileSet(texts: [
      "tenant.json": """
      {"tenantId":"\(Self.tenant)","users":[{"id":"\(Self.alice)","userPrincipalName":"alice@contoso.example"}],
      "operations":[\(operations)]}
      """
    ])
  }

  @Test(
    "A registration is stored unchanged, and a new one for the same app and device ends the old one",
    arguments: Engines.all)
  func registrations(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    let first = registration("r1")
    try await enroll(first, registration("r2", app: "com.contoso.notes"), in: store)
    #expect(try await store.registration("r1") == first)
    try await enroll(registration("r3"), in: store)
    #expect(try await store.registration("r1")?.ended == Self.start)
    #expect(try await store.registrations(limit: 10).map(\.id) == ["r2", "r3"])
    #expect(try await store.registrations(of: Self.alice, after: "r2", limit: 1).map(\.id) == ["r3"])
    #expect(try await store.registrationCount() == 2)
    #expect(try await store.registrationCount(of: "nobody") == 0)
    #expect(try await store.registrations(limit: 10, endedSince: Self.start).map(\.id) == ["r1", "r2", "r3"])
    #expect(try await store.registrationCount(of: Self.alice, endedSince: Self.start.advanced(by: 1)) == 2)
    #expect(try await store.usersWithFlaggedRegistrations() == [Self.alice])

    let later = Self.start.advanced(by: 60_000)
    try await store.database.writeInGroup { session throws(DatabaseError) in
      let facts = RegistrationFacts(["platform": "android"])
      try session.noteCheckIn(of: "r3", facts: facts, applied: [], etag: "e1", at: later)
      try session.noteCheckIn(of: "r3", facts: facts, applied: [], etag: nil, at: later)
    }
    let noted = try await store.registration("r3")
    #expect(noted?.etag == "e1")
    #expect(noted?.lastSync == later)
    #expect(noted?.applied == [])
    #expect(noted?.facts.platform == "android")
  }

  @Test("An operation is completed only once, and a failure leaves it pending", arguments: Engines.all)
  func operations(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    try await enroll(registration("r1"), registration("r2", tag: "device 2"), in: store)
    let nobody = try await store.orderWipe(
      of: Self.alice, in: Self.tenant, onDevice: "device 3", by: "admin", at: Self.start)
    #expect(nobody == 0)
    let orders = try await store.database.read { session throws(DatabaseError) in
      try session.row("SELECT count(*) FROM operation")?.integer(0)
    }
    #expect(orders == 0, "a wipe for no registration is not kept")
    let count = try await store.orderWipe(
      of: Self.alice, in: Self.tenant, onDevice: "device 2", by: "admin", at: Self.start)
    #expect(count == 1)
    #expect(try await store.operations(of: "r1").isEmpty)
    #expect(try await store.registration("r2")?.revision == 1)
    let operation = try #require(try await store.operations(of: "r2").first)
    #expect(operation.state == .pending)
    #expect(operation.operation.orderedBy == "admin")

    let changes = try await store.database.write { session throws(DatabaseError) in
      let id = operation.operation.id
      try session.noteFailure(of: id, in: "r2", outcome: "busy", at: Self.start)
      let pending = try session.pendingOperations(of: "r2").map(\.outcome)
      return (
        pending, try session.complete(id, in: "r2", outcome: "done", at: Self.start),
        try session.complete(id, in: "r2", outcome: "again", at: Self.start),
        try session.targets(id, "r2"), try session.targets(id, "r1")
      )
    }
    #expect(changes == (["busy"], true, false, true, false))
    #expect(try await store.operations(of: "r2").map(\.outcome) == ["done"])
    let audit = try await store.auditEntries(limit: 10)
    #expect(audit.map(\.entry.outcome) == ["no registration", "1 registrations"])
    #expect(audit.map(\.number) == audit.map(\.number).sorted())
  }

  @Test(
    "Publishing a tenant serves it, orders its operations, and cancels operations it no longer has",
    arguments: Engines.all)
  func publication(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    try await enroll(registration("r1"), in: store)
    #expect(try await store.edition(otherThan: nil)?.generation == nil)
    let block = #"{"type":"wipeAndBlock","app":"*","user":"alice@contoso.example","requestedDateTime":"2026-01-01"}"#
    let first = try await store.publish(files(block), by: "test", at: Self.start).generation
    #expect(try await store.publish(files(block), by: "test", at: Self.start).generation == first)
    let served = try await store.edition(otherThan: nil)
    #expect(served?.generation == first)
    #expect(try await store.operations(of: "r1").map(\.state) == [.pending])
    try await enroll(registration("r2", tag: "device 2"), in: store)
    #expect(try await store.operations(of: "r2").map(\.state) == [.pending])

    let second = try await store.publish(files(), by: "test", at: Self.start).generation
    #expect(second == first + 1)
    let next = try await store.edition(otherThan: served)
    #expect(next?.generation == second)
    #expect(try await store.edition(otherThan: next)?.generation == nil)
    #expect(try await store.operations(of: "r1").map(\.state) == [.canceled])
    let again = try await store.publish(files(block), by: "test", at: Self.start).generation
    #expect(again == second + 1)
    #expect(try await store.operations(of: "r1").map(\.state) == [.pending])
  }

  @Test("Removals in a publication are held for all replicas until they are accepted", arguments: Engines.all)
  func heldRemovals(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    let nobody = TenantFileSet(texts: ["tenant.json": #"{"tenantId":"\#(Self.tenant)","users":[]}"#])
    try await store.publish(files(), by: "test", at: Self.start)
    let first = try await store.edition(otherThan: nil)
    let held = try await store.publish(nobody, by: "test", at: Self.start)
    #expect(held.held.users == [Self.alice])
    #expect(try await store.publish(nobody, by: "test", at: Self.start) == held)
    let second = try await store.edition(otherThan: first)
    #expect(second?.tenant.users.map(\.id) == [Self.alice])
    #expect(second?.held == held.held)
    #expect(try await store.heldRemovals() == held.held)
    #expect(try await store.preview(nobody).held == held.held)
    #expect(try await store.preview(files()).held.isEmpty)
    #expect(try await store.acceptRemovals(by: "test", at: Self.start) == held.held)
    let third = try await store.edition(otherThan: second)
    #expect(third?.tenant.users.isEmpty == true)
    #expect(third?.held.isEmpty == true)
    try await store.publish(files(), by: "test", at: Self.start)
    #expect(try await store.publish(nobody, by: "test", at: Self.start, limit: nil).held.isEmpty)
  }

  @Test("Maintenance ends registrations not seen for 90 days and later deletes them", arguments: Engines.all)
  func maintenance(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    try await enroll(registration("r1"), registration("r2", tag: "device 2"), in: store)
    _ = try await store.orderWipe(of: Self.alice, in: Self.tenant, onDevice: "device 2", by: "admin", at: Self.start)
    let day: Int64 = 86_400_000
    #expect(try await store.clean(at: Self.start.advanced(by: 89 * day)) == 0)
    #expect(try await store.clean(at: Self.start.advanced(by: 91 * day)) == 2)
    #expect(try await store.registrationCount() == 0)
    _ = try await store.clean(at: Self.start.advanced(by: 130 * day))
    #expect(try await store.operations(of: "r2").map(\.state) == [.pending])
    _ = try await store.clean(at: Self.start.advanced(by: 500 * day))
    #expect(try await store.registration("r1") == nil)
    #expect(try await store.operations(of: "r2").isEmpty)
    let canceled = try await store.auditEntries(limit: 10).map(\.entry).filter { $0.action == .cancel }
    #expect(canceled.map(\.subject) == ["1 operations"])
  }

  @Test("An operation for a registration that has ended is canceled as abandoned after a month", arguments: Engines.all)
  func abandoned(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    try await enroll(registration("r1"), in: store)
    _ = try await store.orderWipe(of: Self.alice, in: Self.tenant, onDevice: "device 1", by: "admin", at: Self.start)
    try await store.database.write { session throws(DatabaseError) in try session.end("r1", at: Self.start) }
    _ = try await store.clean(at: Self.start.advanced(by: 31 * 86_400_000))
    #expect(try await store.operations(of: "r1").map(\.outcome) == ["abandoned"])
  }

  @Test("A block ordered during an enrollment applies to the new registration", arguments: Engines.all)
  func sameTime(engine: DatabaseEngine) async throws {
    let store = try await store(engine)
    let operation = Operation(
      id: "o1", kind: .wipeAndBlock, tenantId: Self.tenant, userId: Self.alice, appId: nil, deviceTag: nil,
      orderedBy: Operation.folder, ordered: Self.start, canceled: nil, entry: "e1")
    let registration = registration("r1")
    // Both are in the middle of their transactions at the same time, if the engine lets them.
    let meeting = Meeting()
    async let order: Void = store.database.write { session throws(DatabaseError) in
      _ = try session.order(operation)
      meeting.meet()
    }
    async let enrollment: Void = store.database.write { session throws(DatabaseError) in
      try session.enroll(registration)
      meeting.meet()
    }
    _ = try await (order, enrollment)
    #expect(try await store.operations(of: "r1").map(\.state) == [.pending])
  }
}

/// Where two threads wait for each other, for a while.
private final class Meeting: Sendable {
  private let arrived = Lock(0)

  func meet() {
    arrived.withLock { $0 += 1 }
    let end = ContinuousClock.now + .milliseconds(500)
    while arrived.withLock({ $0 }) < 2, ContinuousClock.now < end { usleep(1000) }
  }
}

extension TenantStore {
  /// Maintains at a time that another clock confirms. Returns how many registrations ended.
  fileprivate func clean(at now: Timestamp) async throws(DatabaseError) -> Int {
    try await maintain(TenantStore.Retention(), MaintenanceGuard.Run(at: now, isConfirmed: true)).ended
  }
}
