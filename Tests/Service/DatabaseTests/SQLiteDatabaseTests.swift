import Database
import Glibc
import SQLite
import Support
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SQLiteDatabaseTests {
  private let folder = TemporaryFolder(inMemory: true)
  private var path: String { folder.file("service.sqlite") }

  private func database() async throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path)
    try await database.write { session throws(DatabaseError) in
      try session.run(
        "CREATE TABLE IF NOT EXISTS item (name TEXT NOT NULL PRIMARY KEY, bytes BLOB, size INTEGER) STRICT")
    }
    return database
  }

  private func add(_ name: String, to database: SQLiteDatabase) async throws(DatabaseError) {
    try await database.write { session throws(DatabaseError) in
      try session.run("INSERT INTO item (name) VALUES (:name)", ["name": .text(name)])
    }
  }

  private func names(_ database: SQLiteDatabase) async throws -> [String?] {
    try await database.read { session throws(DatabaseError) in
      try session.rows("SELECT name FROM item ORDER BY name").map { $0.text(0) }
    }
  }

  @Test("A value written to SQLite reads back unchanged")
  func values() async throws {
    let database = try await database()
    let texts = ["", "é\u{301}", String(repeating: "x", count: 100_000)]
    for text in texts {
      let row = try await database.write { session throws(DatabaseError) in
        try session.row(
          """
          INSERT INTO item (name, bytes, size) VALUES (:name, :bytes, :size)
          RETURNING name, bytes, size, :name, NULL
          """,
          ["size": .integer(.min), "name": .text(text), "bytes": .bytes(Array(text.utf8))])
      }
      let expected: [DatabaseValue] = [.text(text), .bytes(Array(text.utf8)), .integer(.min), .text(text), .null]
      #expect(row == DatabaseRow(expected))
      #expect(row?.bytes(0) == nil)
      #expect(row?.integer(1) == nil)
      #expect(row?.text(4) == nil)
    }
  }

  @Test("The run method of an SQLiteDatabase session returns the number of changed rows")
  func changes() async throws {
    let database = try await database()
    for name in ["a", "b", "c"] { try await add(name, to: database) }
    let counts = try await database.write { session throws(DatabaseError) in
      [
        try session.run("UPDATE item SET size = 1 WHERE name < 'c'"), try session.run("SELECT 1"),
        try session.run("DELETE FROM item WHERE name = :name", ["name": "z"]),
      ]
    }
    #expect(counts == [2, 0, 0])
  }

  @Test(
    "Wrong parameters of an SQLite statement fail, and the error names the parameter",
    arguments: [
      ("SELECT :a, :b", ["a": 1], "0 values for the parameter :b"),
      ("SELECT :a", ["a": 1, "b": 2], "a value for :b, which is no parameter"),
      ("SELECT :a", ["a": 1, "a": 2], "2 values for the parameter :a"),
      ("SELECT ?", [:], "parameter 1 has no name"), ("SELECT :a", ["a": "x\0y"], "the text for :a has a NUL"),
      ("SELECT 1; SELECT 2", [:], "not exactly one statement"), ("SELECT 1.5", [:], "column 0 (1.5) holds REAL"),
    ] as [(String, KeyValuePairs<String, DatabaseValue>, String)])
  func misuse(sql: String, values: KeyValuePairs<String, DatabaseValue>, text: String) async throws {
    let database = try await database()
    let error = await #expect(throws: DatabaseError.self) {
      try await database.read { session throws(DatabaseError) in try session.rows(sql, values) }
    }
    #expect(error?.reason == .failed)
    #expect(error?.text.contains(text) == true, "\(error?.text ?? "")")
  }

  @Test("A read cannot change an SQLite database")
  func readOnly() async throws {
    let database = try await database()
    let error = await #expect(throws: DatabaseError.self) {
      try await database.read { session throws(DatabaseError) in
        try session.rows("INSERT INTO item (name) VALUES ('a') RETURNING name")
      }
    }
    #expect(error?.reason == .failed)
    #expect(try await names(database) == [])
  }

  @Test("A failed write in a group of SQLite writes is undone alone")
  func savepoints() async throws {
    let database = try await database()
    try await add("taken", to: database)
    let failures = await withTaskGroup(of: DatabaseError.Reason?.self) { group in
      for number in 0..<200 {
        group.addTask {
          do throws(DatabaseError) {
            try await database.writeInGroup { session throws(DatabaseError) in
              try session.run("INSERT INTO item (name) VALUES (:name)", ["name": .text("item \(number)")])
              if number % 2 == 1 { try session.run("INSERT INTO item (name) VALUES ('taken')") }
            }
            return nil
          } catch { return error.reason }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures.filter { $0 == .constraint }.count == 100)
    #expect(failures.filter { $0 == nil }.count == 100)
    let expected = (0..<200).filter { $0 % 2 == 0 }.map { "item \($0)" } + ["taken"]
    #expect(try await names(database) == expected.sorted())
  }

  @Test("Concurrent SQLite writes in one commit are all durable when they return")
  func groups() async throws {
    let database = try await database()
    let other = try Connection(path: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<500 { group.addTask { try await add("item \(number)", to: database) } }
      try await group.waitForAll()
    }
    let count: Int? = try other.value("SELECT count(*) FROM item")
    #expect(count == 500)
  }

  @Test("All queries of one SQLite read see the same state")
  func snapshot() async throws {
    let database = try await database()
    let other = try Connection(path: path)
    let counts = try await database.read { session throws(DatabaseError) in
      let before = try session.rows("SELECT name FROM item").count
      _ = try? other.run("INSERT INTO item (name) VALUES ('late')")
      return [before, try session.rows("SELECT name FROM item").count]
    }
    #expect(counts == [0, 0])
    #expect(try await names(database) == ["late"])
  }

  @Test("Notices from SQLite arrive after the commit, and a failed write sends none")
  func notices() async throws {
    let database = try await database()
    let heard = Lock<[DatabaseNotice]>([])
    database.listen { notice in heard.withLock { $0.append(notice) } }
    try await database.write { session throws(DatabaseError) in
      try session.notify("first")
      try session.notify("second")
    }
    _ = try? await database.write { session throws(DatabaseError) in
      try session.notify("never")
      try session.run("no statement")
    }
    await #expect(throws: DatabaseError.self) {
      try await database.write { session throws(DatabaseError) in
        try session.notify(String(repeating: "x", count: 1001))
      }
    }
    await database.close()
    #expect(heard.withLock { $0 } == [.sent("first"), .sent("second")])
  }

  @Test("A failed write sends no notice, even if other writes in its commit do")
  func noticesOfGroup() async throws {
    let database = try await database()
    let heard = Lock<[DatabaseNotice]>([])
    database.listen { notice in heard.withLock { $0.append(notice) } }
    let (isHolding, isReleased, begun) = (Lock(false), Lock(false), Lock(0))
    // The others wait for this body, and then share a commit.
    let first = Task {
      try await database.write { _ in
        isHolding.withLock { $0 = true }
        while !isReleased.withLock({ $0 }) { usleep(1000) }
      }
    }
    #expect(await eventually { isHolding.withLock { $0 } })
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          begun.withLock { $0 += 1 }
          _ = try? await database.write { session throws(DatabaseError) in
            try session.notify("\(number)")
            if number % 2 == 1 { try session.run("no statement") }
          }
        }
      }
      _ = await eventually { begun.withLock { $0 } == 20 }
      isReleased.withLock { $0 = true }
    }
    try await first.value
    await database.close()
    let expected = (0..<20).filter { $0 % 2 == 0 }.map { DatabaseNotice.sent("\($0)") }
    #expect(Set(heard.withLock { $0 }) == Set(expected))
    #expect(heard.withLock { $0 }.count == expected.count)
  }

  @Test("After close, SQLite calls fail as unavailable, and the file has every write")
  func close() async throws {
    let database = try await database()
    try await add("kept", to: database)
    await database.close()
    let error = await #expect(throws: DatabaseError.self) { try await add("late", to: database) }
    #expect(error?.reason == .unavailable)
    #expect(try await names(self.database()) == ["kept"])
  }

  @Test("SQLite writes fail as unavailable while another program holds a lock, and work again afterwards")
  func locked() async throws {
    let database = try await database()
    let other = try Connection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    let reasons = await withTaskGroup(of: DatabaseError.Reason?.self) { group in
      for number in 0..<3 {
        group.addTask {
          do throws(DatabaseError) {
            try await add("item \(number)", to: database)
            return nil
          } catch { return error.reason }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reasons == [.unavailable, .unavailable, .unavailable])
    try other.execute("ROLLBACK")
    try await add("after", to: database)
    #expect(try await names(database) == ["after"])
  }

  @Test("A full disk makes an SQLite write fail as unavailable, and a smaller write still works")
  func full() async throws {
    let database = try await database()
    try await add("before", to: database)
    try await database.write { session throws(DatabaseError) in
      _ = try session.rows("PRAGMA max_page_count = 10")
    }
    let error = await #expect(throws: DatabaseError.self) {
      try await add(String(repeating: "x", count: 1 << 20), to: database)
    }
    #expect(error?.reason == .unavailable)
    try await add("small", to: database)
    #expect(try await names(database) == ["before", "small"])
  }

  @Test("A file that is not an SQLite database is refused when opened")
  func opening() {
    folder.write(String(repeating: "no database ", count: 100), to: "other")
    let damaged = #expect(throws: DatabaseError.self) { try SQLiteDatabase(path: folder.file("other")) }
    #expect(damaged?.reason == .failed)
    let missing = #expect(throws: DatabaseError.self) { try SQLiteDatabase(path: folder.file("none/service.sqlite")) }
    #expect(missing?.reason == .unavailable)
  }
}
