import Database
import Support
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct StoredHoldTests {
  private let folder = TemporaryFolder(inMemory: true)
  private static let start = Timestamp(milliseconds: 1_800_000_000_000)

  @Test(
    "A hold is stored until it is lifted; a new reason replaces the old one",
    arguments: Engines.all)
  func life(engine: DatabaseEngine) async throws {
    let store = try await TenantStore(Engines.open(engine, in: folder))
    #expect(try await store.wipeHold() == nil)
    #expect(try await store.liftHold(by: "b", at: Self.start) == nil)
    #expect(try await store.waitingWipes() == 0)
    try await store.holdWipes(because: "one", by: "a", at: Self.start)
    let later = Self.start.advanced(by: 1000)
    try await store.holdWipes(because: "one", by: "b", at: later)
    #expect(try await store.wipeHold() == StoredHold(why: "one", actor: "a", since: Self.start))
    let second = try await store.holdWipes(because: "it's \u{1F6D1}", by: "b", at: later)
    #expect(second == StoredHold(why: "it's \u{1F6D1}", actor: "b", since: Self.start))
    #expect(try await store.wipeHold() == second)
    #expect(try await store.liftHold(by: "c", at: later) == second)
    #expect(try await store.wipeHold() == nil)
    let audit = try await store.auditEntries(limit: 10).map(\.entry)
    #expect(audit.map(\.action) == [.hold, .hold, .lift])
    #expect(audit.map(\.actor) == ["a", "b", "c"])
    await store.database.close()
  }

  @Test(
    "Setting, repeating or lifting a hold raises the revision of every registration by one",
    arguments: Engines.all)
  func revisions(engine: DatabaseEngine) async throws {
    let store = try await TenantStore(Engines.open(engine, in: folder))
    try await store.database.write { session throws(DatabaseError) in
      for number in 1...1201 {
        try session.enroll(
          Registration(
            id: "r-\(number)", secretHash: [], tenantId: "t", userId: "u-\(number)", appId: "a", deviceTag: "d",
            facts: RegistrationFacts(["platform": "ios"]), created: Self.start, lastSync: Self.start))
      }
    }
    for expected: Int64 in [1, 2, 3] {
      if expected < 3 {
        try await store.holdWipes(because: "one", by: "a", at: Self.start)
      } else {
        #expect(try await store.liftHold(by: "a", at: Self.start) != nil)
      }
      let rows = try await store.database.read { session throws(DatabaseError) in
        try session.rows("SELECT revision, count(*) FROM registration GROUP BY revision").map {
          ($0.integer(0), $0.integer(1))
        }
      }
      #expect(rows.count == 1)
      #expect(rows.first?.0 == expected)
      #expect(rows.first?.1 == 1201)
    }
    await store.database.close()
  }

  @Test(
    "A store with schema 3 is upgraded for holds, and programs with schema 3 still work with it", arguments: Engines.all
  )
  func migration(engine: DatabaseEngine) async throws {
    let database = try Engines.open(engine, in: folder)
    let former = DatabaseSchema.tenant.upTo(version: 3)
    try await former.apply(to: database)
    #expect(try await !DatabaseSchema.tenant.isApplied(to: database))
    let store = try await TenantStore(database)
    try await store.holdWipes(because: "one", by: "a", at: Self.start)
    try await former.apply(to: database)
    #expect(try await DatabaseSchema.tenant.isApplied(to: database))
    #expect(try await store.wipeHold()?.why == "one")
    await database.close()
  }
}
