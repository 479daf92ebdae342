extension Connection {
  /// Hands over each row without collecting anything.
  package func forEachRow(
    _ sql: String, _ bindings: any Bindable..., do body: (Row) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try readRows(sql, with: bindings) { row throws(SQLiteError) in
      try body(row)
      return true
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
}
