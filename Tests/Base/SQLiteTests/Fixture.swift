import SQLite
import TestSupport

/// A new database in a folder of its own, with one table.
struct Fixture {
  let folder = TemporaryFolder()
  let connection: Connection
  var path: String { folder.file("test.db") }

  init() throws {
    connection = try Connection(path: folder.file("test.db"))
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
  }

  func names(in other: Connection? = nil) throws(SQLiteError) -> [String] {
    try (other ?? connection).query("SELECT name FROM item ORDER BY id") { row in try row.value(0) }
  }
}

/// What `body` throws, if it is a database's error.
func databaseFailure(_ body: () throws -> Void) -> SQLiteError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SQLiteError
  }
}
