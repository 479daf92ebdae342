extension Connection {
  /// Takes the write lock at once, so that nothing read inside can be stale at the commit. A throw undoes all.
  ///
  /// The body names its error type, `{ () throws(SQLiteError) in … }`: Swift does not infer it.
  @discardableResult
  package func write<T, Failure: SQLiteFailure>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try transaction("BEGIN IMMEDIATE", body)
  }

  /// All queries inside see the database as it was at the first of them.
  @discardableResult
  package func read<T, Failure: SQLiteFailure>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try transaction("BEGIN DEFERRED", body)
  }

  private func transaction<T, Failure: SQLiteFailure>(
    _ begin: String, _ body: () throws(Failure) -> T
  ) throws(Failure) -> T {
    try control(begin, failingAs: Failure.self)
    do throws(Failure) {
      let result = try body()
      try control("COMMIT", failingAs: Failure.self)
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  private func control<Failure: SQLiteFailure>(
    _ sql: String, failingAs: Failure.Type
  ) throws(Failure) {
    do throws(SQLiteError) {
      try run(sql)
    } catch {
      throw Failure(error)
    }
  }

  /// SQLite itself has rolled back after some errors, a full disk among them. When the rollback fails too, the error
  /// that led here is the one to tell, and closing the connection undoes the rest.
  private func rollBack() {
    guard isInTransaction else { return }
    _ = try? run("ROLLBACK")
  }
}
