import Database
import Support
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct PreparedDatabaseTests {
  private let folder = TemporaryFolder(inMemory: true)

  private static func step(_ name: String, compatibleFrom: Int = 1) -> DatabaseSchema.Step {
    let statement = "CREATE TABLE \(name) (name TEXT NOT NULL)"
    return DatabaseSchema.Step(sqlite: [statement], postgreSQL: [statement], compatibleFrom: compatibleFrom)
  }

  private let old = DatabaseSchema([step("first")])
  private let compatible = DatabaseSchema([step("first"), step("second")])
  private let breaking = DatabaseSchema([step("first"), step("second"), step("third", compatibleFrom: 2)])

  private func count(_ database: some Database) async throws(DatabaseError) -> Int64? {
    try await database.read { session throws(DatabaseError) in
      try session.row("SELECT count(*) FROM first")?.integer(0)
    }
  }

  /// Waits until calls are let through.
  private func works(_ database: some Database) async -> Bool {
    for _ in 0..<2000 {
      if (try? await count(database)) == 0 { return true }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  @Test(
    "Database calls are refused until the schema is up to date; then listeners are notified", arguments: Engines.all)
  func waits(engine: DatabaseEngine) async throws {
    let database = PreparedDatabase(try Engines.open(engine, in: folder), old)
    let heard = Lock(0)
    database.listen { notice in if notice == .missed { heard.withLock { $0 += 1 } } }
    let refusal = await #expect(throws: DatabaseError.self) { try await count(database) }
    #expect(refusal?.reason == .unavailable)
    try await database.prepare()
    #expect(try await count(database) == 0)
    #expect(heard.withLock { $0 } > 0)
    await database.close()
  }

  @Test("A schema that cannot be created is tried again until it can, with one log line per reason")
  func again() async throws {
    let faulty = FaultyDatabase(try Engines.open(.sqlite, in: folder))
    let database = PreparedDatabase(faulty, old)
    let reports = Lock<[String]>([])
    let looking = Task {
      try await database.lookAfterSchema { text in reports.withLock { $0.append(text) } }
    }
    #expect(await eventually { faulty.attempts > 2 })
    #expect(reports.withLock { $0 } == ["the store cannot be used yet: broken"], "one report for each reason")
    faulty.heal()
    await expectEventually("the store can be used") { reports.withLock { $0.last } }
    #expect(try await count(database) == 0)
    looking.cancel()
    try await looking.value
    await database.close()
  }

  @Test("A running program stops using a database whose schema is too new for it")
  func tooOld() async throws {
    let faulty = FaultyDatabase(try Engines.open(.sqlite, in: folder))
    faulty.heal()
    let database = PreparedDatabase(faulty, old)
    let looking = Task { try await database.lookAfterSchema { _ in } }
    #expect(await works(database))
    try await compatible.apply(to: faulty)
    let before = faulty.attempts
    faulty.tell(.missed)
    #expect(await eventually { faulty.attempts > before })
    #expect(try await count(database) == 0)
    try await breaking.apply(to: faulty)
    faulty.tell(.missed)
    let result = await looking.result
    let error = #expect(throws: DatabaseError.self) { try result.get() }
    #expect(error?.reason == .newerSchema)
    #expect(error?.text.contains("needs a program with version 2 or newer") == true)
    let refusal = await #expect(throws: DatabaseError.self) { try await count(database) }
    #expect(refusal?.text == error?.text)
    await database.close()
  }

  @Test("A running program updates a database schema that became older than the program")
  func restored() async throws {
    let faulty = FaultyDatabase(try Engines.open(.sqlite, in: folder))
    faulty.heal()
    let database = PreparedDatabase(faulty, old)
    let looking = Task { try await database.lookAfterSchema { _ in } }
    #expect(await works(database))
    try await faulty.write { session throws(DatabaseError) in
      try session.run("DROP TABLE first")
      try session.run("DELETE FROM meta")
    }
    faulty.tell(.missed)
    #expect(await works(database))
    looking.cancel()
    try await looking.value
    await database.close()
  }
}

/// A database that fails until it is healed, and whose notices a test sends.
private final class FaultyDatabase: Database {
  private struct State {
    var isBroken = true
    var attempts = 0
    var listeners: [@Sendable (DatabaseNotice) -> Void] = []
  }

  private let database: any Database
  private let state = Lock(State())

  init(_ database: any Database) { self.database = database }

  var engine: DatabaseEngine { database.engine }
  /// How many transactions have begun.
  var attempts: Int { state.withLock { $0.attempts } }

  func heal() { state.withLock { $0.isBroken = false } }

  func tell(_ notice: DatabaseNotice) { for listener in state.withLock({ $0.listeners }) { listener(notice) } }

  private func attempt() throws(DatabaseError) {
    let isBroken = state.withLock { state in
      state.attempts += 1
      return state.isBroken
    }
    if isBroken { throw DatabaseError(.unavailable, "broken") }
  }

  func write<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    try attempt()
    return try await database.write(body)
  }

  func writeInGroup<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    try attempt()
    return try await database.writeInGroup(body)
  }

  func read<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    try attempt()
    return try await database.read(body)
  }

  func listen(_ body: @escaping @Sendable (DatabaseNotice) -> Void) { state.withLock { $0.listeners.append(body) } }

  func close() async { await database.close() }
}
