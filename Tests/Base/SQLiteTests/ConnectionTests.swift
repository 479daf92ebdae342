import Glibc
import SQLite
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test("a new database and its companions can be read by the user alone, whatever the umask")
  func mode() throws {
    let fixture = try Fixture()
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      #expect(stat(fixture.path + suffix, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test(
    "the settings are those that durability and safety need",
    arguments: [
      ("journal_mode", .text("wal")), ("synchronous", .integer(2)), ("foreign_keys", .integer(1)),
      ("trusted_schema", .integer(0)),
    ] as [(String, Value)])
  func settings(_ name: String, _ expected: Value) throws {
    let fixture = try Fixture()
    #expect(try fixture.connection.first("PRAGMA \(name)") { row in try row.value(0, as: Value.self) } == expected)
  }

  @Test("changes are reported")
  func changes() throws {
    let connection = try Fixture().connection
    #expect(try connection.run("INSERT INTO item (id, name) VALUES (?, ?), (?, ?)", 5, "a", 9, "b") == 2)
    #expect(try connection.run("UPDATE item SET name = name || '!' WHERE id > ?", 100) == 0)
  }

  @Test("rows are read only as long as more are wanted, and the statement can be used again")
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

  @Test("the same query runs inside its own rows")
  func nested() throws {
    let connection = try Fixture().connection
    let sql = "SELECT 1 UNION ALL SELECT 2"
    let pairs = try connection.query(sql) { outer in
      let left: Int = try outer.value(0)
      return try connection.query(sql) { inner in [left, try inner.value(0)] }
    }
    #expect(pairs == [[[1, 1], [1, 2]], [[2, 1], [2, 2]]])
  }

  @Test("a statement whose row closure threw is ready for the next run")
  func resetAfterThrow() throws {
    let connection = try Fixture().connection
    let sql = "SELECT ?1 UNION ALL SELECT ?1"
    #expect(databaseFailure { _ = try connection.query(sql, 1) { row in try row.value(0, as: String.self) } } != nil)
    #expect(try connection.query(sql, "x") { row in try row.value(0, as: String.self) } == ["x", "x"])
    try connection.execute("DROP TABLE item")
  }

  @Test("a kept statement sees the columns that were added since")
  func addedColumn() throws {
    let connection = try Fixture().connection
    try connection.run("INSERT INTO item (name) VALUES ('a')")
    let count = { () throws in try connection.first("SELECT * FROM item") { row in row.columnCount } }
    #expect(try count() == 2)
    try connection.execute("ALTER TABLE item ADD COLUMN more TEXT")
    #expect(try count() == 3)
  }

  @Test("a row that outlives its query holds nothing")
  func escapedRow() throws {
    let row = try #require(try Fixture().connection.first("SELECT 1") { row in row })
    #expect(databaseFailure { _ = try row.value(0, as: Int.self) }?.reason == .misuse)
  }

  @Test("statements still work if there are more of them than the cache holds")
  func manyStatements() throws {
    let connection = try Fixture().connection
    for _ in 1...2 {
      for number in 0..<200 {
        #expect(try connection.first("SELECT \(number)") { row in try row.value(0, as: Int.self) } == number)
      }
    }
  }

  @Test("connections that open one new database at the same moment all get it")
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
