// Database is SQL for the tenant service, on SQLite or on PostgreSQL, behind one protocol. A body runs in a
// transaction and gets a session; statements are written once, for both engines. `DatabaseSchema` has the migrations.
// `PreparedDatabase` brings a database up to date before its first use, and lets callers wait or fail while that
// cannot be done.
//
// `SQLiteDatabase` is the engine for one process; the target PostgreSQL has the one for several.

/// A database of SQL that several tasks use. Statements are shared by all engines: parameters are written `:name`, texts
/// compare by their bytes, and a parameter whose type an engine would have to guess is written `CAST(:name AS TEXT)`.
package protocol Database: Sendable {
  var engine: DatabaseEngine { get }

  /// Runs a body in a transaction that sees its own writes, and no other writer in between. A throw undoes all. The body
  /// may run again if the engine asks for that, so it has no effects but those on the session. With PostgreSQL, two bodies
  /// that change different rows because of what they read of each other's are not stopped; let both change one row.
  @discardableResult
  func write<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T

  /// Like `write`, for changes that may wait for others: many of them share one commit. Returns when it is durable.
  @discardableResult
  func writeInGroup<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T

  /// Runs a body whose queries all see the same state.
  func read<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T

  /// Hands over the notices that transactions of all processes send, from now on. The body must not block.
  func listen(_ body: @escaping @Sendable (DatabaseNotice) -> Void)

  /// Finishes what was asked for, and closes all connections. Later calls fail.
  func close() async
}

package enum DatabaseEngine: Hashable, Sendable {
  case sqlite, postgreSQL
}

/// News of a change.
package enum DatabaseNotice: Hashable, Sendable {
  /// What a transaction passed to `notify`.
  case sent(String)
  /// Notices may have been missed, such as while there was no connection: look at everything that could have changed.
  case missed
}

/// Runs statements inside of a transaction. Used only by the body that it is passed to. The body throws on what a
/// statement throws: some engines refuse all further statements.
package protocol DatabaseSession {
  /// All rows of a query, or of a change with RETURNING.
  func rows(
    _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>
  ) throws(DatabaseError) -> [DatabaseRow]

  /// Runs one statement. Returns how many rows it has changed.
  @discardableResult
  func run(_ sql: String, _ values: KeyValuePairs<String, DatabaseValue>) throws(DatabaseError) -> Int

  /// Sends a notice to all listeners, this process included, when the transaction is committed. At most 1000 bytes.
  func notify(_ text: String) throws(DatabaseError)
}

extension DatabaseSession {
  package func row(
    _ sql: String, _ values: KeyValuePairs<String, DatabaseValue> = [:]
  ) throws(DatabaseError) -> DatabaseRow? { try rows(sql, values).first }

  package func rows(_ sql: String) throws(DatabaseError) -> [DatabaseRow] { try rows(sql, [:]) }

  @discardableResult
  package func run(_ sql: String) throws(DatabaseError) -> Int { try run(sql, [:]) }
}

/// A value of a column or of a parameter.
package enum DatabaseValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}

extension DatabaseValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(nilLiteral: ()) { self = .null }
}

/// A row of a result, in the order of its columns.
package struct DatabaseRow: Hashable, Sendable {
  private let values: [DatabaseValue]

  package init(_ values: [DatabaseValue]) { self.values = values }

  /// `nil` if the value is NULL or of another type.
  package func integer(_ index: Int) -> Int64? {
    if case .integer(let value) = values[index] { value } else { nil }
  }

  package func text(_ index: Int) -> String? {
    if case .text(let value) = values[index] { value } else { nil }
  }

  package func bytes(_ index: Int) -> [UInt8]? {
    if case .bytes(let value) = values[index] { value } else { nil }
  }
}

/// Why a database did not do what was asked. Holds no value of a parameter or a column.
package struct DatabaseError: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The database cannot be reached, is locked, full, or shutting down. The same call may succeed later.
    case unavailable
    /// A unique index or another constraint of the schema.
    case constraint
    /// A program with a newer schema was here first.
    case newerSchema
    /// A fault of this program, or a damaged database.
    case failed
  }

  package let reason: Reason
  package let text: String

  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }
}
