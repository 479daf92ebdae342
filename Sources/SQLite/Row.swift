/// The current row of a query; lives as long as the call of the closure that gets it.
package struct Row {
  let statement: Statement

  /// Reads a column, counted from 0. Throws `typeMismatch`, naming the column and both types, never the value.
  package func value<T: ColumnValue>(_ column: Int, as type: T.Type = T.self) throws(SQLiteError) -> T {
    guard (0..<statement.columnCount).contains(column) else {
      throw SQLiteError(.misuse, message: "no column \(column)", sql: statement.sql)
    }
    guard let value = T.read(self, column) else { throw mismatch(column, T.columnType) }
    return value
  }

  package var columnCount: Int { statement.columnCount }

  private func mismatch(_ column: Int, _ expected: String) -> SQLiteError {
    let found = statement.typeName(column)
    let wanted = found == expected ? "\(expected) that can be represented" : expected
    return SQLiteError(
      .typeMismatch, message: "column \(column) (\(statement.columnName(column))) holds \(found), wanted \(wanted)",
      sql: statement.sql)
  }
}
