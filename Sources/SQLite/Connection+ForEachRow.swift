extension Connection {
  /// Hands over each row without collecting anything.
  package func forEachRow(
    _ sql: String, _ bindings: any Bindable..., do body: (Row) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try withStatement(sql, bindings) { statement throws(SQLiteError) in
      while try statement.step() { try body(Row(statement: statement)) }
    }
  }
}
