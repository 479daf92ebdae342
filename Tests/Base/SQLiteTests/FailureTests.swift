import Glibc
import SQLite
import TestSupport
import Testing

@Suite struct FailureTests {
  @Test("A write to a full SQLite database fails as full and is undone")
  func full() throws {
    let fixture = try Fixture()
    try fixture.connection.execute("PRAGMA max_page_count = 5")
    let error = databaseFailure {
      try fixture.connection.write { () throws(SQLiteError) in
        for _ in 1...100 { try fixture.connection.run("INSERT INTO item (name) VALUES (hex(randomblob(500)))") }
      }
    }
    #expect(error?.reason == .full)
    #expect(try fixture.names() == [])
  }

  @Test("A file that is not an SQLite database is refused and left unchanged")
  func notADatabase() throws {
    let folder = TemporaryFolder()
    let text = String(repeating: "no database. ", count: 100)
    let path = folder.write(text, to: "file")
    #expect(databaseFailure { _ = try Connection(path: path) }?.reason == .notADatabase)
    #expect(readFile(path) == Array(text.utf8))
  }

  @Test("A damaged SQLite database is reported as corrupt")
  func corrupt() throws {
    let fixture = try Fixture()
    try fixture.connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 9999")
    #expect(databaseFailure { _ = try fixture.names(in: Connection(path: fixture.path)) }?.reason == .corrupt)
  }

  @Test("An SQLite database in a missing folder cannot be opened")
  func missingFolder() {
    let folder = TemporaryFolder()
    let error = databaseFailure { _ = try Connection(path: folder.file("none/test.db")) }
    #expect(error?.reason == .cannotOpen)
    #expect(error?.message == "unable to create the database file (No such file or directory)")
  }

  @Test("Creating an SQLite database in a read-only folder fails as readOnly")
  func readOnlyFolder() {
    let folder = TemporaryFolder()
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o700) }
    let error = databaseFailure { try asOrdinaryUser { _ = try Connection(path: folder.file("test.db")) } }
    #expect(error?.reason == .readOnly)
  }

  @Test("Opening an SQLite database in a read-only folder fails as readOnly")
  func existingInReadOnlyFolder() throws {
    let folder = TemporaryFolder()
    let path = folder.file("test.db")
    try Connection(path: path).execute("CREATE TABLE one (id)")
    chmod(path, 0o444)
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o700) }
    #expect(databaseFailure { try asOrdinaryUser { _ = try Connection(path: path) } }?.reason == .readOnly)
  }

  @Test("An SQLite constraint error names the column and not the value")
  func constraint() throws {
    let fixture = try Fixture()
    let insert = "INSERT INTO item (name) VALUES (?)"
    try fixture.connection.run(insert, "secret-1234")
    let error = databaseFailure { try fixture.connection.run(insert, "secret-1234") }
    #expect(error?.reason == .constraint)
    #expect(error?.code == 2067)
    #expect(error.map { "\($0)" } == "UNIQUE constraint failed: item.name [2067] in: \(insert)")
  }

  @Test(
    "SQL that is not exactly one valid statement with its parameters is refused",
    arguments: [("", .misuse), ("SELECT 1; SELECT 2", .misuse), ("SELEC", .other), ("SELECT ?", .misuse)]
      as [(String, SQLiteError.Reason)])
  func notOneStatement(_ sql: String, _ reason: SQLiteError.Reason) throws {
    let connection = try Fixture().connection
    #expect(databaseFailure { try connection.run(sql) }?.reason == reason)
  }

  @Test("A semicolon after an SQL statement is allowed")
  func semicolon() throws {
    try Fixture().connection.run("SELECT 1 ;\n")
  }
}

/// Runs `body` with file permissions in force even when the tests run as root; they hold for this thread alone.
private func asOrdinaryUser(_ body: () throws -> Void) throws {
  guard geteuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return try body() }
  let setUser = unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
  _ = setUser(65534)
  defer { _ = setUser(0) }
  try body()
}
