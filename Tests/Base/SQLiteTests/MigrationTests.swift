import SQLite
import Testing

@Suite struct MigrationTests {
  private let first = "CREATE TABLE one (id INTEGER) STRICT; CREATE INDEX one_id ON one (id);"
  private let second = "CREATE TABLE two (id INTEGER) STRICT"

  private func version(_ connection: Connection) throws(SQLiteError) -> Int? {
    try connection.first("PRAGMA user_version") { row in try row.value(0) }
  }

  @Test("Migrations run each step once, in order, and later only the new steps")
  func steps() throws {
    let connection = try Fixture().connection
    try Migrations([first]).apply(to: connection)
    #expect(try version(connection) == 1)
    try Migrations([first, second]).apply(to: connection)
    try Migrations([first, second]).apply(to: connection)
    #expect(try version(connection) == 2)
    try connection.execute("SELECT * FROM one, two")
  }

  @Test("A failed migration step undoes all steps of its run")
  func failing() throws {
    let connection = try Fixture().connection
    let error = databaseFailure { try Migrations([first, "CREATE TABLE one (id)"]).apply(to: connection) }
    #expect(error?.sql == "CREATE TABLE one (id)")
    #expect(try version(connection) == 0)
    #expect(databaseFailure { try connection.execute("SELECT * FROM one") } != nil)
  }

  @Test("A database with a newer schema is refused, and the error names both versions", arguments: [2, 7])
  func newer(_ version: Int) throws {
    let connection = try Fixture().connection
    try connection.execute("PRAGMA user_version = \(version)")
    let error = databaseFailure { try Migrations([first]).apply(to: connection) }
    #expect(error?.reason == .newerSchema(found: version, known: 1))
    #expect(error?.message == "the database has schema version \(version), but this program supports only 1")
  }
}
