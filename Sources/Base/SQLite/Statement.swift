import CSQLite
import Glibc

/// One prepared statement, the owner of its handle. Used by the connection that made it, one run at a time.
final class Statement {
  let sql: String
  /// Valid while a row is current: text and blob pointers of the row die with the next step.
  private let handle: OpaquePointer
  /// Of all parameters, in order; without the colon. `nil` for a `?`.
  private(set) lazy var parameterNames: [String?] = readParameterNames()

  init(_ database: OpaquePointer, _ sql: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    var hasMore = false
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      defer { hasMore = tail.map(\.startsAnotherStatement) ?? false }
      return sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
    }
    guard code == SQLITE_OK else { throw SQLiteError(last: code, of: database, sql: sql) }
    guard let handle, !hasMore else {
      sqlite3_finalize(handle)
      throw SQLiteError(.misuse, code: SQLITE_MISUSE, message: "not exactly one statement", sql: sql)
    }
    self.sql = sql
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ bindings: [any Bindable]) throws(SQLiteError) {
    let count = Int(sqlite3_bind_parameter_count(handle))
    guard count == bindings.count else {
      throw SQLiteError(
        .misuse, code: SQLITE_RANGE, message: "\(bindings.count) values for \(count) parameters", sql: sql)
    }
    for (index, binding) in bindings.enumerated() { try bind(binding.sqliteValue, at: index + 1) }
  }

  /// Parameters are counted from 1.
  func bind(_ value: Value, at index: Int) throws(SQLiteError) {
    let code = bind(value, at: Int32(index))
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// True while there is a row.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  /// Whether it cannot change the database.
  var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  private func readParameterNames() -> [String?] {
    (0..<sqlite3_bind_parameter_count(handle)).map { index in
      sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0 + 1) }
    }
  }

  /// Ends the run and forgets the values; what a failed run returned again is no news.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  private func failure(_ code: Int32) -> SQLiteError {
    SQLiteError(last: code, of: sqlite3_db_handle(handle), sql: sql)
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
    case .real(let real): return sqlite3_bind_double(handle, index, real)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_bind_text64(
            handle, index, characters.baseAddress, UInt64(characters.count), copied,
            UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      // An empty array has no address, and that would be stored as NULL.
      if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
      return bytes.withUnsafeBytes { sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), copied) }
    }
  }
}

extension Statement {
  /// Of the current row; 0 where there is none. Not fixed: a change of the schema can add columns to `SELECT *`.
  var columnCount: Int { Int(sqlite3_data_count(handle)) }

  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  /// Whether it holds 0 or the empty text.
  func isEmpty(_ column: Int) -> Bool {
    switch type(column) {
    case SQLITE_INTEGER: sqlite3_column_int64(handle, Int32(column)) == 0
    case SQLITE_TEXT: sqlite3_column_bytes(handle, Int32(column)) == 0
    default: false
    }
  }

  func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  func typeName(_ column: Int) -> String { value(column)?.typeName ?? "TEXT" }

  func integer(_ column: Int) -> Int64? {
    type(column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, Int32(column)) : nil
  }

  func real(_ column: Int) -> Double? {
    [SQLITE_FLOAT, SQLITE_INTEGER].contains(type(column)) ? sqlite3_column_double(handle, Int32(column)) : nil
  }

  /// Nil when the bytes are no UTF-8.
  func text(_ column: Int) -> String? {
    guard type(column) == SQLITE_TEXT, let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    // Twice as fast as a string that validates: a repaired text differs from its bytes.
    var text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let isSame = text.withUTF8 { $0.count == count && memcmp($0.baseAddress ?? start, start, count) == 0 }
    return isSame ? text : nil
  }

  func blob(_ column: Int) -> [UInt8]? {
    guard type(column) == SQLITE_BLOB else { return nil }
    let start = sqlite3_column_blob(handle, Int32(column))
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  func value(_ column: Int) -> Value? {
    switch type(column) {
    case SQLITE_INTEGER: integer(column).map(Value.integer)
    case SQLITE_FLOAT: real(column).map(Value.real)
    case SQLITE_TEXT: text(column).map(Value.text)
    case SQLITE_BLOB: blob(column).map(Value.blob)
    default: .null
    }
  }

  private func type(_ column: Int) -> Int32 { sqlite3_column_type(handle, Int32(column)) }
}

/// Tells SQLite to copy the bytes before the call returns; a macro that Swift does not import.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

extension UnsafePointer<CChar> {
  /// Whether more than spaces and semicolons follows.
  fileprivate var startsAnotherStatement: Bool {
    String(cString: self).utf8.contains { !" \t\r\n;".utf8.contains($0) }
  }
}

/// Prepared statements that are not in use, by their SQL. Taken out while they run.
struct StatementCache {
  static let limit = 64
  private var idle: [String: Statement] = [:]

  mutating func take(_ sql: String) -> Statement? { idle.removeValue(forKey: sql) }

  /// Must have been reset. Any other statement goes when there are too many: the working set is smaller than the limit.
  mutating func put(_ statement: Statement) {
    if idle.count >= Self.limit { _ = idle.popFirst() }
    idle[statement.sql] = statement
  }

  mutating func removeAll() { idle.removeAll() }
}
