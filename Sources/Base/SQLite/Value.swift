/// What SQLite can store.
package enum Value: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// As SQLite calls it; for messages, which never hold the value.
  package var typeName: String {
    switch self {
    case .null: "NULL"
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }
}

/// A value that can stand for a `?` in SQL.
package protocol Bindable: Sendable {
  var sqliteValue: Value { get }
}

/// A value that a column can be read as, without conversion between SQLite's types.
package protocol ColumnValue: Bindable {
  /// SQLite's name of what the column must hold.
  static var columnType: String { get }
  /// Nil when the column holds another type, or a value that this one cannot represent.
  static func read(_ row: Row, _ column: Int) -> Self?
}

extension Value: ColumnValue {
  package static var columnType: String { "anything" }
  package var sqliteValue: Value { self }
  package static func read(_ row: Row, _ column: Int) -> Value? { row.statement.value(column) }
}

extension Int64: ColumnValue {
  package static var columnType: String { "INTEGER" }
  package var sqliteValue: Value { .integer(self) }
  package static func read(_ row: Row, _ column: Int) -> Int64? { row.statement.integer(column) }
}

extension Int: ColumnValue {
  package static var columnType: String { "INTEGER" }
  package var sqliteValue: Value { .integer(Int64(self)) }
  package static func read(_ row: Row, _ column: Int) -> Int? { row.statement.integer(column).map(Int.init) }
}

/// Stored as 0 and 1; any other integer is no Bool.
extension Bool: ColumnValue {
  package static var columnType: String { "INTEGER 0 or 1" }
  package var sqliteValue: Value { .integer(self ? 1 : 0) }
  package static func read(_ row: Row, _ column: Int) -> Bool? {
    switch row.statement.integer(column) {
    case 0: false
    case 1: true
    default: nil
    }
  }
}

/// Reads integers too: SQLite's aggregates return them where the sum is whole. NaN is stored as NULL.
extension Double: ColumnValue {
  package static var columnType: String { "REAL" }
  package var sqliteValue: Value { .real(self) }
  package static func read(_ row: Row, _ column: Int) -> Double? { row.statement.real(column) }
}

extension String: ColumnValue {
  package static var columnType: String { "TEXT" }
  package var sqliteValue: Value { .text(self) }
  package static func read(_ row: Row, _ column: Int) -> String? { row.statement.text(column) }
}

extension [UInt8]: ColumnValue, Bindable {
  package static var columnType: String { "BLOB" }
  package var sqliteValue: Value { .blob(self) }
  package static func read(_ row: Row, _ column: Int) -> [UInt8]? { row.statement.blob(column) }
}

extension Optional: Bindable where Wrapped: Bindable {
  package var sqliteValue: Value { self?.sqliteValue ?? .null }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  package static var columnType: String { "\(Wrapped.columnType) or NULL" }
  package static func read(_ row: Row, _ column: Int) -> Wrapped?? {
    if row.statement.isNull(column) { return .some(nil) }
    return Wrapped.read(row, column).map { .some($0) }
  }
}

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
