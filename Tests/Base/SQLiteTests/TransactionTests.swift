import SQLite
import Testing

private enum StoreError: SQLiteFailure, Equatable {
  case refused
  case database(SQLiteError)

  init(_ error: SQLiteError) { self = .database(error) }
}

@Suite struct TransactionTests {
  @Test("An SQLite write is committed when its body returns, and returns the result of the body")
  func commit() throws {
    let fixture = try Fixture()
    let count = try fixture.connection.write { () throws(SQLiteError) in
      try fixture.connection.run("INSERT INTO item (name) VALUES ('a')")
    }
    #expect(count == 1)
    #expect(try fixture.names(in: Connection(path: fixture.path)) == ["a"])
  }

  @Test("An SQLite write whose body throws is undone and rethrows the error")
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

  @Test("A nested SQLite write fails with the error type of its body")
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

  @Test("All queries in one read of a connection see the same state")
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

  @Test("A second SQLite writer fails with the reason busy")
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
