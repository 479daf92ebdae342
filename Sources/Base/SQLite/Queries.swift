extension Connection {
  /// All rows. Other statements may run inside `row`, the same SQL included.
  ///
  /// `row` throws `SQLiteError` only; it is not typed because Swift does not infer that for a closure. Any other error
  /// arrives as reason `other`.
  package func query<T>(
    _ sql: String, _ bindings: any Bindable..., row: (Row) throws -> T
  ) throws(SQLiteError) -> [T] {
    try query(sql, with: bindings, row: row)
  }

  package func query<T>(
    _ sql: String, with bindings: [any Bindable], row: (Row) throws -> T
  ) throws(SQLiteError) -> [T] {
    try withStatement(sql, bindings) { statement throws(SQLiteError) in
      var rows: [T] = []
      while try statement.step() { rows.append(try statement.read(row)) }
      return rows
    }
  }

  /// The first row, if there is one; the others are not read.
  package func first<T>(
    _ sql: String, _ bindings: any Bindable..., row: (Row) throws -> T
  ) throws(SQLiteError) -> T? {
    try withStatement(sql, bindings) { statement throws(SQLiteError) in
      try statement.step() ? try statement.read(row) : nil
    }
  }

  /// Hands over one row after the other, as long as `body` wants more.
  package func readRows(
    _ sql: String, with bindings: [any Bindable], while body: (Row) throws(SQLiteError) -> Bool
  ) throws(SQLiteError) {
    try withStatement(sql, bindings) { statement throws(SQLiteError) in
      while try statement.step(), try body(Row(statement: statement)) {}
    }
  }

  /// The first column of the first row; for counts, sums and the like.
  package func value<T: ColumnValue>(_ sql: String, _ bindings: any Bindable...) throws(SQLiteError) -> T? {
    try withStatement(sql, bindings) { statement throws(SQLiteError) in
      try statement.step() ? try Row(statement: statement).value(0) : nil
    }
  }

  /// Runs one statement to its end. Returns the count of rows that an INSERT, UPDATE or DELETE changed.
  @discardableResult
  package func run(_ sql: String, _ bindings: any Bindable...) throws(SQLiteError) -> Int {
    try run(sql, with: bindings)
  }

  @discardableResult
  package func run(_ sql: String, with bindings: [any Bindable]) throws(SQLiteError) -> Int {
    try withStatement(sql, bindings) { statement throws(SQLiteError) in
      while try statement.step() {}
      return changes
    }
  }
}

extension Statement {
  fileprivate func read<T>(_ body: (Row) throws -> T) throws(SQLiteError) -> T {
    do {
      return try body(Row(statement: self))
    } catch let error as SQLiteError {
      throw error
    } catch {
      throw SQLiteError(.other, message: "a row was refused with \(type(of: error))", sql: sql)
    }
  }
}

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
