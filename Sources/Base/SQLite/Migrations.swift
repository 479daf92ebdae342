/// The one list of steps that make a schema; `user_version` counts those that are done.
package struct Migrations: Sendable {
  package let knownVersion: Int
  private let makeSteps: @Sendable () -> [String]
  /// For an empty database, in place of all steps.
  private let makeAll: @Sendable () -> [String]

  /// Each step is SQL of any number of statements. A released step is never edited: new ones are appended.
  package init(_ steps: [String]) {
    knownVersion = steps.count
    makeSteps = { steps }
    makeAll = makeSteps
  }

  /// Each step up to `version` makes the tables and adds the columns that name it, then runs the statement that is given
  /// for it. An empty database gets whole tables, then all statements. Tables are looked at only when there is something
  /// to do.
  package init(
    version: Int, of tables: @autoclosure @escaping @Sendable () -> [any TableDefinition],
    and statements: [Int: String] = [:]
  ) {
    knownVersion = version
    makeSteps = {
      let tables = tables()
      return (1...version).map { step in
        (tables.flatMap { $0.sql(ofStep: step) } + [statements[step]].compactMap(\.self)).joined(separator: ";\n")
      }
    }
    makeAll = { tables().map(\.creation) + (1...version).compactMap { statements[$0] } }
  }

  package var steps: [String] { makeSteps() }

  /// The first `version` steps, which are all that an older program knew.
  package func upTo(version: Int) -> Migrations { Migrations(Array(steps.prefix(version))) }

  /// Brings the schema up to date, whole or not at all. Throws `newerSchema` where a newer program was here first.
  package func apply(to connection: Connection) throws(SQLiteError) {
    guard try pending(connection) > 0 else { return }
    try connection.write { () throws(SQLiteError) in
      // Counted again: another process may have been faster while this one waited for the lock.
      let pending = try pending(connection)
      for step in pending == knownVersion ? makeAll() : steps.suffix(pending) { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(knownVersion)")
    }
  }

  private func pending(_ connection: Connection) throws(SQLiteError) -> Int {
    let found = try connection.userVersion
    guard found <= knownVersion else {
      throw SQLiteError(
        .newerSchema(found: found, known: knownVersion),
        message: "the database has schema version \(found), but this program supports only \(knownVersion)")
    }
    return knownVersion - max(0, found)
  }
}

extension Connection {
  var userVersion: Int {
    get throws(SQLiteError) { try value("PRAGMA user_version") ?? 0 }
  }
}
