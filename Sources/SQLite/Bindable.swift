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
