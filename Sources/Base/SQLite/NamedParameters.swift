extension Connection {
  /// Runs one statement whose parameters are written `:name`, and hands over its rows. Each parameter needs a value, and
  /// each value a parameter. Returns how many rows an INSERT, UPDATE or DELETE has changed.
  ///
  /// Without `mayWrite`, a statement that could change the database is misuse.
  @discardableResult
  package func run(
    _ sql: String, named values: [(name: String, value: Value)], mayWrite: Bool = true,
    row: (Row) throws(SQLiteError) -> Void = { _ in }
  ) throws(SQLiteError) -> Int {
    try withStatement(sql) { statement throws(SQLiteError) in
      guard mayWrite || statement.isReadOnly else {
        throw SQLiteError(.misuse, message: "a change where only queries are allowed", sql: sql)
      }
      try statement.bind(named: values)
      while try statement.step() { try row(Row(statement: statement)) }
      return statement.isReadOnly ? 0 : changes
    }
  }
}

extension Statement {
  /// Values by the names of their parameters, without the colon. A name may occur several times in the statement.
  func bind(named values: [(name: String, value: Value)]) throws(SQLiteError) {
    let names = parameterNames
    if let extra = values.first(where: { !names.contains($0.name) }) {
      throw SQLiteError(.misuse, message: "a value for :\(extra.name), which is no parameter", sql: sql)
    }
    for (index, name) in names.enumerated() {
      guard let name else {
        throw SQLiteError(.misuse, message: "parameter \(index + 1) has no name", sql: sql)
      }
      let found = values.filter { $0.name == name }
      guard found.count == 1 else {
        throw SQLiteError(.misuse, message: "\(found.count) values for the parameter :\(name)", sql: sql)
      }
      try bind(found[0].value, at: index + 1, named: name)
    }
  }

  /// Text with a NUL is refused, because functions of SQL see only what comes before it.
  private func bind(_ value: Value, at index: Int, named name: String) throws(SQLiteError) {
    if case .text(let text) = value, text.utf8.contains(0) {
      throw SQLiteError(.misuse, message: "the text for :\(name) has a NUL", sql: sql)
    }
    try bind(value, at: index)
  }
}
