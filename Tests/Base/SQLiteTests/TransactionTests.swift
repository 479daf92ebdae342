import SQLite
import Testing

private enum StoreError: SQLiteFailure, Equatable {
  case refused
  case database(SQLiteError)

  init(_ error: SQLiteError) { self = .database(error) }
}

@Suite struct TransactionTests {
  @Test("a write is there when its body returns, with what the body returned")
  func commit() throws {
    let fixture = try Fixture()
    let count = try fixture.connection.write { () throws(SQLiteError) in
      try fixture.connection.run("INSERT INTO item (name) VALUES ('a')")
    }
    #expect(count == 1)
    #expect(try fixture.names(in: Connection(path: fixture.path)) == ["a"])
  }

  @Test("a body that throws leaves nothing, and its own error arrives")
  func rollback() throws {
    let fixture = try Fixture()
    #expect(throws: StoreError.refused) {
      try fixture.connection.write { () throws(StoreError) in
        do throws(SQLiteError) {
          try fixture.connection.run("INSERT INTO item (name) VALUES ('a')")
        } catch { throw StoreError(error) }
        throw .refused
      }
    }
    #expect(try fixture.names() == [])
    try fixture.connection.write { () throws(SQLiteError) in
      try fixture.connection.run("INSERT INTO item (name) VALUES ('b')")
    }
    #expect(try fixture.names() == ["b"])
  }

  @Test("a failure to begin arrives as the body's error type")
  func nestedWrite() throws {
    let connection = try Fixture().connection
    let error = databaseFailure {
      try connection.write { () throws(SQLiteError) in
        try connection.write { () throws(SQLiteError) in try connection.execute("SELECT 1") }
      }
    }
    #expect(error?.reason == .other)
    try connection.write { () throws(SQLiteError) in try connection.execute("SELECT 1") }
  }

  @Test("a reader sees one state from its first query to its last")
  func snapshot() throws {
    let fixture = try Fixture()
    let other = try Connection(path: fixture.path)
    let seen = try fixture.connection.read { () throws(SQLiteError) in
      let before = try fixture.names()
      try other.run("INSERT INTO item (name) VALUES ('late')")
      return [before, try fixture.names()]
    }
    #expect(seen == [[], []])
    #expect(try fixture.names() == ["late"])
  }

  @Test("a second writer is told that the database is busy")
  func busy() throws {
    let fixture = try Fixture()
    let other = try Connection(path: fixture.path)
    try other.execute("PRAGMA busy_timeout = 1")
    try fixture.connection.write { () throws(SQLiteError) in
      #expect(
        databaseFailure { try other.write { () throws(SQLiteError) in try other.execute("SELECT 1") } }?.reason == .busy
      )
    }
  }
}
