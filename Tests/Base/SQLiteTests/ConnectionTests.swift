import Glibc
import SQLite
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test("A new SQLite database and its companion files have mode 600, whatever the umask")
  func mode() throws {
    let fixture = try Fixture()
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      #expect(stat(fixture.path + suffix, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test(
    "An SQLite connection has the settings for durability and safety",
    arguments: [
      ("journal_mode", .text("wal")), ("synchronous", .integer(2)), ("foreign_keys", .integer(1)),
      ("trusted_schema", .integer(0)), ("secure_delete", .integer(1)), ("temp_store", .integer(2)),
    ] as [(String, Value)])
  func settings(_ name: String, _ expected: Value) throws {
    let fixture = try Fixture()
    #expect(try fixture.connection.first("PRAGMA \(name)") { row in try row.value(0, as: Value.self) } == expected)
  }

  @Test("Purging an SQLite database leaves deleted text in neither of its files")
  func purge() throws {
    let fixture = try Fixture()
    try fixture.connection.run("INSERT INTO item (id, name) VALUES (1, 'forgotten name')")
    try fixture.connection.run("DELETE FROM item")
    try fixture.connection.purge()
    #expect(readFile(fixture.path + "-wal") == [])
    let bytes = try #require(readFile(fixture.path))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("forgotten name"))
  }

  @Test("The run method of an SQLite connection returns the number of changed rows")
  func changes() throws {
    let connection = try Fixture().connection
    #expect(try connection.run("INSERT INTO item (id, name) VALUES (?, ?), (?, ?)", 5, "a", 9, "b") == 2)
    #expect(try connection.run("UPDATE item SET name = name || '!' WHERE id > ?", 100) == 0)
  }

  @Test("readRows stops when no more rows are wanted, and its statement can be run again")
  func readRows() throws {
    let connection = try Fixture().connection
    for wanted in [1, 2, 3] {
      var rows: [Int] = []
      let sql = "SELECT 10 UNION ALL SELECT 20 UNION ALL SELECT ?"
      try connection.readRows(sql, with: [30]) { row throws(SQLiteError) in
        rows.append(try row.value(0))
        return rows.count < wanted
      }
      #expect(rows == Array([10, 20, 30].prefix(wanted)))
    }
  }

  @Test("An SQLite query can run again inside its own rows")
  func nested() throws {
    let connection = try Fixture().connection
    let sql = "SELECT 1 UNION ALL SELECT 2"
    let pairs = try connection.query(sql) { outer in
      let left: Int = try outer.value(0)
      return try connection.query(sql) { inner in [left, try inner.value(0)] }
    }
    #expect(pairs == [[[1, 1], [1, 2]], [[2, 1], [2, 2]]])
  }

  @Test("An SQLite statement can run again after its row closure threw")
  func resetAfterThrow() throws {
    let connection = try Fixture().connection
    let sql = "SELECT ?1 UNION ALL SELECT ?1"
    #expect(databaseFailure { _ = try connection.query(sql, 1) { row in try row.value(0, as: String.self) } } != nil)
    #expect(try connection.query(sql, "x") { row in try row.value(0, as: String.self) } == ["x", "x"])
    try connection.execute("DROP TABLE item")
  }

  @Test("A cached SQLite statement sees columns that were added later")
  func addedColumn() throws {
    let connection = try Fixture().connection
    try connection.run("INSERT INTO item (name) VALUES ('a')")
    let count = { () throws in try connection.first("SELECT * FROM item") { row in row.columnCount } }
    #expect(try count() == 2)
    try connection.execute("ALTER TABLE item ADD COLUMN more TEXT")
    #expect(try count() == 3)
  }

  @Test("An SQLite row used after its query throws a misuse error")
  func escapedRow() throws {
    let row = try #require(try Fixture().connection.first("SELECT 1") { row in row })
    #expect(databaseFailure { _ = try row.value(0, as: Int.self) }?.reason == .misuse)
  }

  @Test("An SQLite connection can run more statements than its cache holds")
  func manyStatements() throws {
    let connection = try Fixture().connection
    for _ in 1...2 {
      for number in 0..<200 {
        #expect(try connection.first("SELECT \(number)") { row in try row.value(0, as: Int.self) } == number)
      }
    }
  }

  @Test("Connections that open the same new SQLite database at the same time all succeed")
  func race() async throws {
    for _ in 1...5 {
      let folder = TemporaryFolder()
      let modes = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 1...4 {
          group.addTask {
            try Connection(path: folder.file("race.db")).first("PRAGMA journal_mode") { row in try row.value(0) }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(modes == Array(repeating: "wal", count: 4))
    }
  }
}
