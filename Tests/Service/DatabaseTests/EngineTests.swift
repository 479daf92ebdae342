import Database
import Support
import TestSupport
import Testing

/// What both engines promise, with the same statements.
@Suite(.timeLimit(.minutes(5))) struct EngineTests {
  @Test(
    "The database tests run on SQLite and PostgreSQL",
    .enabled(if: Engines.hasPostgreSQL, "PostgreSQL is not installed"))
  func engines() throws {
    #expect(Engines.all == [.sqlite, .postgreSQL])
    _ = try PostgreSQLServer.shared.get()
  }

  private let folder = TemporaryFolder(inMemory: true)

  /// Has a table `item`.
  private func database(_ engine: DatabaseEngine) async throws -> any Database {
    let database = try Engines.open(engine, in: folder)
    let sql =
      switch engine {
      case .sqlite: "(name TEXT NOT NULL PRIMARY KEY, bytes BLOB, size INTEGER, note TEXT) STRICT"
      case .postgreSQL: #"(name TEXT COLLATE "C" NOT NULL PRIMARY KEY, bytes BYTEA, size BIGINT, note TEXT)"#
      }
    try await database.write { session throws(DatabaseError) in try session.run("CREATE TABLE item \(sql)") }
    return database
  }

  private func add(_ name: String, size: Int64 = 0, to database: any Database) async throws(DatabaseError) {
    try await database.write { session throws(DatabaseError) in
      try session.run(
        "INSERT INTO item (name, size) VALUES (:name, :size)", ["name": .text(name), "size": .integer(size)])
    }
  }

  private func names(_ database: any Database) async throws -> [String?] {
    try await database.read { session throws(DatabaseError) in
      try session.rows("SELECT name FROM item ORDER BY name").map { $0.text(0) }
    }
  }

  @Test("Values written to SQLite or PostgreSQL read back unchanged", arguments: Engines.all)
  func values(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    let texts = ["", "é\u{301}", "a'b\\:c", String(repeating: "x", count: 100_000)]
    for (text, size) in zip(texts, [.min, -1, 0, .max] as [Int64]) {
      let row = try await database.write { session throws(DatabaseError) in
        try session.row(
          """
          INSERT INTO item (name, bytes, size, note) VALUES (CAST(:name AS TEXT), :bytes, :size, :note)
          RETURNING name, bytes, size, note, CAST(:name AS TEXT), ':no' /* :parameter */, NULL -- :comment
          """,
          ["size": .integer(size), "name": .text(text), "bytes": .bytes([0, 255] + Array(text.utf8)), "note": .null])
      }
      let expected: [DatabaseValue] = [
        .text(text), .bytes([0, 255] + Array(text.utf8)), .integer(size), .null, .text(text), .text(":no"), .null,
      ]
      #expect(row == DatabaseRow(expected))
    }
  }

  @Test("Sums, counts and comparisons in SQLite and PostgreSQL are integers", arguments: Engines.all)
  func numbers(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    for (name, size) in [("a", 9_999), ("b", 123_456_789_012), ("c", -40_000)] as [(String, Int64)] {
      try await add(name, size: size, to: database)
    }
    let row = try await database.read { session throws(DatabaseError) in
      try session.row("SELECT sum(size), count(*), max(size), 1 = 1, sum(size) - sum(size), sum(-size) FROM item")
    }
    let expected: [DatabaseValue] = [123_456_759_011, 3, 123_456_789_012, 1, 0, -123_456_759_011]
    #expect(row == DatabaseRow(expected))
  }

  @Test("SQLite and PostgreSQL order text by its bytes", arguments: Engines.all)
  func order(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    let texts = ["a", "B", "_", "é", "e\u{301}", "Z", "10", "9", "😀", "\u{FFFD}"]
    for text in texts { try await add(text, to: database) }
    let sorted = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(try await names(database) == sorted)
    let after = try await database.read { session throws(DatabaseError) in
      try session.rows(
        "SELECT name FROM item WHERE name > :last ORDER BY name LIMIT :limit", ["last": "Z", "limit": 2]
      )
      .map { $0.text(0) }
    }
    #expect(after == ["_", "a"])
  }

  @Test("The run method returns the number of changed rows in SQLite and PostgreSQL", arguments: Engines.all)
  func changes(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    for name in ["a", "b", "c"] { try await add(name, to: database) }
    let counts = try await database.write { session throws(DatabaseError) in
      [
        try session.run("UPDATE item SET size = 1 WHERE name < 'c'"), try session.run("SELECT 1"),
        try session.run("DELETE FROM item WHERE name = :name", ["name": "z"]),
        try session.run("INSERT INTO item (name) VALUES ('a') ON CONFLICT (name) DO NOTHING"),
        try session.run("INSERT INTO item (name) VALUES ('a') ON CONFLICT (name) DO UPDATE SET size = 2"),
      ]
    }
    #expect(counts == [2, 0, 0, 0, 1])
  }

  @Test("Wrong parameters of an SQLite or PostgreSQL statement fail, and the error names them", arguments: Engines.all)
  func misuse(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    let cases: [(String, KeyValuePairs<String, DatabaseValue>, String)] = [
      ("SELECT :a, :b", ["a": 1], "0 values for the parameter :b"),
      ("SELECT :a", ["a": 1, "b": 2], "a value for :b, which is no parameter"),
      ("SELECT :a", ["a": 1, "a": 2], "2 values for the parameter :a"),
      ("SELECT :a", ["a": "x\0y"], "the text for :a has a NUL"), ("SELECT 1; SELECT 2", [:], ""),
      ("SELECT 1.5", [:], "column"), ("SELECT nothing FROM nowhere", [:], "nowhere"),
    ]
    for (sql, values, text) in cases {
      let error = await #expect(throws: DatabaseError.self) {
        try await database.read { session throws(DatabaseError) in try session.rows(sql, values) }
      }
      #expect(error?.reason == .failed, "\(sql)")
      #expect(error?.text.contains(text) == true, "\(error?.text ?? "")")
    }
  }

  @Test("Errors of SQLite and PostgreSQL contain no value of a row or parameter", arguments: Engines.all)
  func secrets(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    try await add("secret", to: database)
    let error = await #expect(throws: DatabaseError.self) { try await add("secret", to: database) }
    #expect(error?.reason == .constraint)
    #expect(error?.text.contains("item") == true)
    #expect(error?.text.contains("secret") == false, "\(error?.text ?? "")")
  }

  @Test("A read cannot change an SQLite or PostgreSQL database", arguments: Engines.all)
  func readOnly(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    let error = await #expect(throws: DatabaseError.self) {
      try await database.read { session throws(DatabaseError) in
        try session.rows("INSERT INTO item (name) VALUES ('a') RETURNING name")
      }
    }
    #expect(error?.reason == .failed)
    #expect(try await names(database) == [])
  }

  @Test("A failed write in a group is undone alone, in SQLite and PostgreSQL", arguments: Engines.all)
  func groups(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    try await add("taken", to: database)
    let failures = await withTaskGroup(of: DatabaseError.Reason?.self) { group in
      for number in 0..<200 {
        group.addTask {
          do throws(DatabaseError) {
            try await database.writeInGroup { session throws(DatabaseError) in
              try session.run("INSERT INTO item (name) VALUES (:name)", ["name": .text("item \(number)")])
              if number % 3 == 1 { try session.run("INSERT INTO item (name) VALUES ('taken')") }
              if number % 3 == 2 { throw DatabaseError(.failed, "by itself") }
            }
            return nil
          } catch { return error.reason }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures.filter { $0 == .constraint }.count == 67)
    #expect(failures.filter { $0 == .failed }.count == 66)
    let expected = (0..<200).filter { $0 % 3 == 0 }.map { "item \($0)" } + ["taken"]
    #expect(try await names(database) == expected.sorted())
  }

  @Test("Concurrent read-modify-write transactions lose no update in SQLite and PostgreSQL", arguments: Engines.all)
  func updates(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    try await add("counter", to: database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let body: @Sendable (any DatabaseSession) throws(DatabaseError) -> Void = { session throws(DatabaseError) in
            let size = try session.row("SELECT size FROM item WHERE name = 'counter'")?.integer(0) ?? 0
            try session.run("UPDATE item SET size = :size WHERE name = 'counter'", ["size": .integer(size + 1)])
          }
          if number % 5 == 0 { try await database.write(body) } else { try await database.writeInGroup(body) }
        }
      }
      try await group.waitForAll()
    }
    let size = try await database.read { session throws(DatabaseError) in
      try session.row("SELECT size FROM item")?.integer(0)
    }
    #expect(size == 100)
  }

  @Test(
    "Notices from SQLite and PostgreSQL arrive after the commit, and a failed write sends none", arguments: Engines.all)
  func notices(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    let heard = Lock<[DatabaseNotice]>([])
    database.listen { notice in heard.withLock { $0.append(notice) } }
    // PostgreSQL says that it listens by what it may have missed.
    if engine == .postgreSQL { #expect(await eventually { heard.withLock { $0 } == [.missed] }) }
    _ = try? await database.write { session throws(DatabaseError) in
      try session.notify("never")
      try session.run("no statement")
    }
    await #expect(throws: DatabaseError.self) {
      try await database.write { session throws(DatabaseError) in
        try session.notify(String(repeating: "x", count: 1001))
      }
    }
    try await database.write { session throws(DatabaseError) in
      try session.notify("first")
      try session.notify("second")
    }
    #expect(await eventually { heard.withLock { $0.filter { $0 != .missed } } == [.sent("first"), .sent("second")] })
    await database.close()
  }

  @Test("Programs that start at the same time create the schema once, in SQLite and PostgreSQL", arguments: Engines.all)
  func schema(engine: DatabaseEngine) async throws {
    let database = try Engines.open(engine, in: folder)
    func step(_ sql: String, compatibleFrom: Int = 1) -> DatabaseSchema.Step {
      DatabaseSchema.Step(sqlite: [sql], postgreSQL: [sql], compatibleFrom: compatibleFrom)
    }
    let schema = DatabaseSchema([
      step("CREATE TABLE thing (name TEXT NOT NULL)"), step("ALTER TABLE thing ADD COLUMN size INTEGER"),
      step("ALTER TABLE thing ADD COLUMN owner TEXT", compatibleFrom: 2),
    ])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await schema.apply(to: database) } }
      try await group.waitForAll()
    }
    try await schema.upTo(version: 2).apply(to: database)
    let error = await #expect(throws: DatabaseError.self) { try await schema.upTo(version: 1).apply(to: database) }
    #expect(error?.reason == .newerSchema)
  }

  @Test("After close, calls fail as unavailable in SQLite and PostgreSQL", arguments: Engines.all)
  func close(engine: DatabaseEngine) async throws {
    let database = try await database(engine)
    async let last: Void = add("last", to: database)
    try await last
    await database.close()
    let error = await #expect(throws: DatabaseError.self) { try await add("late", to: database) }
    #expect(error?.reason == .unavailable)
  }
}
