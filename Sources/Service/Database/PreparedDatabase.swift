import Support

/// A database whose schema is looked after: brought up to date as soon as the database can be reached, and looked at
/// again whenever notices may have been missed, because a newer program may have changed it.
///
/// Calls fail as `unavailable` until the schema is up to date, and once programs with this schema cannot work with it any
/// longer.
package final class PreparedDatabase: Database {
  private struct State {
    /// Why calls fail; `nil` while they are let through.
    var refusal: DatabaseError? = DatabaseError(.unavailable, "the schema of the database is not up to date yet")
    var listeners: [@Sendable (DatabaseNotice) -> Void] = []
  }

  private let database: any Database
  private let schema: DatabaseSchema
  private let state = Lock(State())
  /// An element for each time at which notices may have been missed; one if there were several.
  private let looks: AsyncStream<Void>

  package var engine: DatabaseEngine { database.engine }

  /// Call `prepare` or `lookAfterSchema` then.
  package init(_ database: any Database, _ schema: DatabaseSchema) {
    (self.database, self.schema) = (database, schema)
    let (looks, next) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.looks = looks
    database.listen { [state] notice in
      if notice == .missed { next.yield() }
      for listener in state.withLock({ $0.listeners }) { listener(notice) }
    }
  }

  @discardableResult
  package func write<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    try checkPrepared()
    return try await database.write(body)
  }

  @discardableResult
  package func writeInGroup<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    try checkPrepared()
    return try await database.writeInGroup(body)
  }

  package func read<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    try checkPrepared()
    return try await database.read(body)
  }

  /// Also tells the body that notices may have been missed when calls are let through for the first time, and again after
  /// the schema was not up to date.
  package func listen(_ body: @escaping @Sendable (DatabaseNotice) -> Void) {
    state.withLock { $0.listeners.append(body) }
  }

  package func close() async { await database.close() }

  private func checkPrepared() throws(DatabaseError) {
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
  }
}

// MARK: - The schema

extension PreparedDatabase {
  /// Brings the schema up to date, and lets calls through.
  package func prepare() async throws(DatabaseError) {
    do throws(DatabaseError) {
      try await schema.apply(to: database)
    } catch {
      refuse(error)
      throw error
    }
    let listeners = state.withLock { state in
      state.refusal = nil
      return state.listeners
    }
    for listener in listeners { listener(.missed) }
  }

  /// Brings the schema up to date if that is not done yet, however often it takes, and then looks at it again and again.
  /// Returns when the task is cancelled. Throws `newerSchema` when this program is too old for the database. `report` gets
  /// a sentence for each new reason why the database cannot be used, and one when it can be.
  package func lookAfterSchema(report: @Sendable (String) -> Void) async throws(DatabaseError) {
    if state.withLock({ $0.refusal != nil }) { try await prepareAgain(report) }
    for await _ in looks {
      do throws(DatabaseError) {
        guard try await !schema.isApplied(to: database) else { continue }
      } catch {
        if error.reason == .unavailable { continue }
        refuse(error)
      }
      // Behind, such as after a restore of an old copy; or too new, which this finds again and throws.
      try await prepareAgain(report)
    }
  }

  private func prepareAgain(_ report: @Sendable (String) -> Void) async throws(DatabaseError) {
    var (backOff, reported) = (BackOff(first: .milliseconds(100), longest: .seconds(2)), "")
    while true {
      do throws(DatabaseError) {
        try await prepare()
        return report("the store can be used")
      } catch {
        guard error.reason != .newerSchema else { throw error }
        if error.text != reported { report("the store cannot be used yet: \(error.text)") }
        reported = error.text
      }
      do { try await Task.sleep(for: backOff.next()) } catch { return }
    }
  }

  /// For callers, whatever is wrong with the schema may be put right by an administrator.
  private func refuse(_ error: DatabaseError) {
    state.withLock { $0.refusal = DatabaseError(.unavailable, error.text) }
  }
}
