import Database
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DatabaseSchemaTests {
  private let folder = TemporaryFolder(inMemory: true)
  private let first = DatabaseSchema.Step(sqlite: ["CREATE TABLE item (name TEXT NOT NULL) STRICT"], postgreSQL: [])
  private let second = DatabaseSchema.Step(
    sqlite: ["ALTER TABLE item ADD COLUMN size INTEGER", "CREATE INDEX item_size ON item (size)"], postgreSQL: [])
  private let breaking = DatabaseSchema.Step(
    sqlite: ["ALTER TABLE item ADD COLUMN owner TEXT"], postgreSQL: [], compatibleFrom: 2)

  private func database() throws -> SQLiteDatabase { try SQLiteDatabase(path: folder.file("service.sqlite")) }

  private func columns(_ database: SQLiteDatabase) async throws -> [String?] {
    try await database.read { session throws(DatabaseError) in
      try session.rows("SELECT name FROM pragma_table_info('item')").map { $0.text(0) }
    }
  }

  @Test("Each step of a database schema runs once")
  func steps() async throws {
    let database = try database()
    try await DatabaseSchema([first]).apply(to: database)
    #expect(try await columns(database) == ["name"])
    for _ in 0..<2 { try await DatabaseSchema([first, second]).apply(to: database) }
    #expect(try await columns(database) == ["name", "size"])
  }

  @Test("A failed step leaves the database schema unchanged")
  func failure() async throws {
    let database = try database()
    let broken = DatabaseSchema.Step(sqlite: ["ALTER TABLE item ADD COLUMN size INTEGER", "nonsense"], postgreSQL: [])
    try await DatabaseSchema([first]).apply(to: database)
    await #expect(throws: DatabaseError.self) { try await DatabaseSchema([first, broken]).apply(to: database) }
    #expect(try await columns(database) == ["name"])
  }

  @Test("An older program works with a newer database schema only if the schema is compatible with it")
  func older() async throws {
    let database = try database()
    let newest = DatabaseSchema([first, second, breaking])
    try await newest.upTo(version: 2).apply(to: database)
    try await newest.upTo(version: 1).apply(to: database)
    try await newest.apply(to: database)
    try await newest.upTo(version: 2).apply(to: database)
    let error = await #expect(throws: DatabaseError.self) { try await newest.upTo(version: 1).apply(to: database) }
    #expect(error?.reason == .newerSchema)
    #expect(error?.text.contains("needs a program with version 2 or newer") == true)
  }

  @Test("A later compatible step does not readmit programs that an earlier schema step shut out")
  func laterStep() async throws {
    let database = try database()
    let all = DatabaseSchema([first, breaking, second])
    try await all.apply(to: database)
    let error = await #expect(throws: DatabaseError.self) { try await all.upTo(version: 1).apply(to: database) }
    #expect(error?.reason == .newerSchema)
  }

  @Test("Programs that start at the same time create the SQLite schema once")
  func race() async throws {
    let schema = DatabaseSchema([first, second])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await schema.apply(to: database()) } }
      try await group.waitForAll()
    }
    #expect(try await columns(database()) == ["name", "size"])
  }
}
