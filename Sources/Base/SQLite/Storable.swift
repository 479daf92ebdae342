import Support

/// A value that a column of a record holds, as one of SQLite's types.
///
/// Columns are never NULL: an optional value is stored as 0 or the empty text if it is absent.
package protocol Storable: Sendable {
  associatedtype Stored: Storable = Self
  var stored: Stored { get }
  /// `nil` for a value that this version does not know.
  init?(stored: Stored)
  /// The type of the column in a STRICT table.
  static var sqlType: String { get }
  /// Whether a row that does not name the column has no value.
  static var canBeAbsent: Bool { get }
  var sqliteValue: Value { get }
  static func read(from row: Row, _ column: Int) throws(RecordFailure) -> Self
}

extension Storable {
  package static var sqlType: String { Stored.sqlType }
  package static var canBeAbsent: Bool { false }
  package var sqliteValue: Value { stored.sqliteValue }

  package static func read(from row: Row, _ column: Int) throws(RecordFailure) -> Self {
    guard let value = Self(stored: try Stored.read(from: row, column)) else { throw .unknown }
    return value
  }
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
  package var stored: RawValue { rawValue }
  package init?(stored: RawValue) { self.init(rawValue: stored) }
}

/// What SQLite stores as it is.
extension Storable where Self: ColumnValue {
  package static var sqlType: String { columnType }
  package var stored: Self { self }
  package init?(stored: Self) { self = stored }

  package static func read(from row: Row, _ column: Int) throws(RecordFailure) -> Self {
    do throws(SQLiteError) {
      return try row.value(column)
    } catch {
      throw .database(error)
    }
  }
}

extension Int: Storable {}
extension Int64: Storable {}
extension String: Storable {}
extension [UInt8]: Storable {}

extension Bool: Storable {
  package static var sqlType: String { Int64.sqlType }
}

/// Milliseconds since 1970.
extension Timestamp: Storable {
  package var stored: Int64 { milliseconds }
  package init?(stored: Int64) { self.init(milliseconds: stored) }
}

/// `nil` is stored as 0 or the empty text. A value that this version does not know is read as `nil`.
extension Optional: Storable where Wrapped: Storable {
  package var stored: Wrapped? { self }
  package init?(stored: Wrapped?) { self = stored }
  package static var sqlType: String { Wrapped.sqlType }
  package static var canBeAbsent: Bool { true }
  package var sqliteValue: Value { self?.sqliteValue ?? (Wrapped.sqlType == Int64.sqlType ? .integer(0) : .text("")) }

  package static func read(from row: Row, _ column: Int) throws(RecordFailure) -> Wrapped? {
    if row.statement.isEmpty(column) { return nil }
    do throws(RecordFailure) {
      return try Wrapped.read(from: row, column)
    } catch {
      guard case .unknown = error else { throw error }
      return nil
    }
  }
}

/// Why a row gave no record.
package enum RecordFailure: Error {
  case database(SQLiteError)
  /// A value that this version does not know.
  case unknown
}
