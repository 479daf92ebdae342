/// A database of SQL that several tasks use. Statements are shared by all engines: parameters are written `:name`, texts
/// compare by their bytes, and a parameter whose type an engine would have to guess is written `CAST(:name AS TEXT)`.
package protocol Database: Sendable {
  /// Runs a body in a transaction that sees its own writes, and no other writer in between. A throw undoes all. The body
  /// may run again if the engine asks for that, so it has no effects but those on the session.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T

  /// Like `write`, for changes that may wait for others: many of them share one commit. Returns when it is durable.
  func writeInGroup<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T

  /// Runs a body whose queries all see the same state.
  func read<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T

  /// Closes all connections. Later calls fail.
  func close() async
}

/// Runs statements inside of a transaction. Used only by the body that it is passed to.
package protocol DatabaseSession {
  /// All rows of a query, or of a change with RETURNING.
  func rows(
    _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>
  ) throws(DatabaseError) -> [DatabaseRow]

  /// Runs one statement. Returns how many rows it has changed.
  @discardableResult
  func run(_ sql: String, _ values: KeyValuePairs<String, DatabaseValue>) throws(DatabaseError) -> Int
}

extension DatabaseSession {
  package func row(
    _ sql: String, _ values: KeyValuePairs<String, DatabaseValue> = [:]
  ) throws(DatabaseError) -> DatabaseRow? { try rows(sql, values).first }
}

/// A value of a column or of a parameter.
package enum DatabaseValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
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
