/// The one list of steps that make a schema. A released step is never edited: others are appended.
package struct DatabaseSchema: Sendable {
  package struct Step: Sendable {
    package let sqlite: [String]
    package let postgreSQL: [String]
    /// The first version whose programs can work with a database after this step. Steps only add, so that the programs
    /// of two versions can run at the same time.
    package let compatibleFrom: Int

    package init(sqlite: [String], postgreSQL: [String], compatibleFrom: Int = 1) {
      (self.sqlite, self.postgreSQL, self.compatibleFrom) = (sqlite, postgreSQL, compatibleFrom)
    }

    fileprivate func statements(for engine: DatabaseEngine) -> [String] {
      switch engine {
      case .sqlite: sqlite
      case .postgreSQL: postgreSQL
      }
    }
  }

  private let steps: [Step]

  package init(_ steps: [Step]) {
    self.steps = steps
  }

  package var version: Int { steps.count }

  /// What a program knew that had `version` steps.
  package func upTo(version: Int) -> DatabaseSchema { DatabaseSchema(Array(steps.prefix(version))) }

  /// Brings the schema of a database up to date, whole or not at all. Throws `newerSchema` for a database that programs
  /// with this schema cannot work with.
  package func apply(to database: some Database) async throws(DatabaseError) {
    let engine = database.engine
    try await database.write { [self] session throws(DatabaseError) in
      // Of several programs that start at once, one makes the schema.
      if engine == .postgreSQL { _ = try session.rows("SELECT pg_advisory_xact_lock(5520183116028459043)") }
      try session.run(Self.meta(for: engine))
      let found = Int(try session.number("schemaVersion"))
      guard found < version else { return try check(found, try session.number("compatibleFrom")) }
      for step in steps.suffix(version - found) {
        for statement in step.statements(for: engine) { try session.run(statement) }
      }
      try session.set("schemaVersion", Int64(version))
      try session.set("compatibleFrom", Int64(steps.map(\.compatibleFrom).max() ?? 1))
    }
  }

  /// Whether the schema of a database has all steps. Throws `newerSchema` like `apply`.
  package func isApplied(to database: some Database) async throws(DatabaseError) -> Bool {
    try await database.read { [self] session throws(DatabaseError) in
      let found = Int(try session.number("schemaVersion"))
      try check(found, try session.number("compatibleFrom"))
      return found >= version
    }
  }

  private func check(_ found: Int, _ compatibleFrom: Int64) throws(DatabaseError) {
    guard compatibleFrom > version else { return }
    throw DatabaseError(
      .newerSchema,
      """
      the database has schema version \(found), which needs a program with version \(compatibleFrom) or newer; this \
      program has version \(version). Install the newer program.
      """)
  }

  /// The table of the versions themselves.
  private static func meta(for engine: DatabaseEngine) -> String {
    switch engine {
    case .sqlite: "CREATE TABLE IF NOT EXISTS meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT"
    case .postgreSQL:
      #"CREATE TABLE IF NOT EXISTS meta (key TEXT COLLATE "C" NOT NULL PRIMARY KEY, value TEXT COLLATE "C" NOT NULL)"#
    }
  }
}

extension DatabaseSession {
  /// 0 if the database has no such value.
  fileprivate func number(_ key: String) throws(DatabaseError) -> Int64 {
    let row = try row("SELECT value FROM meta WHERE key = :key", ["key": .text(key)])
    return row?.text(0).flatMap { Int64($0) } ?? 0
  }

  fileprivate func set(_ key: String, _ number: Int64) throws(DatabaseError) {
    try run(
      "INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      ["key": .text(key), "value": .text(String(number))])
  }
}
