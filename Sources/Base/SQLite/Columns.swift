import Support

/// Visits the columns of a record in their order. What it does with each depends on why the record is visited: it
/// declares the column, binds the member to a parameter, or sets the member to what the row holds.
package struct Columns {
  private let statement: Statement?
  private let isWriting: Bool
  private var index = 0
  private(set) var definitions: [ColumnDefinition] = []
  /// Why the visit ended early.
  private(set) var failure: RecordFailure?

  private init(_ statement: Statement?, isWriting: Bool) {
    (self.statement, self.isWriting) = (statement, isWriting)
  }

  static var declaring: Columns { Columns(nil, isWriting: false) }
  static func reading(_ row: Row) -> Columns { Columns(row.statement, isWriting: false) }
  static func writing(_ statement: Statement) -> Columns { Columns(statement, isWriting: true) }

  /// `since` is the migration that adds the column, if that is not the one that makes its table.
  package mutating func callAsFunction<Member: Storable>(
    _ name: String, _ member: inout Member, _ role: ColumnRole = .plain, references place: String? = nil,
    since step: Int? = nil
  ) {
    guard let statement else {
      let value = role == .hasDefault || Member.canBeAbsent ? member.sqliteValue : nil
      definitions.append(
        ColumnDefinition(
          name: name, type: Member.sqlType, role: role, fallback: value, references: place, step: step))
      return
    }
    guard failure == nil else { return }
    do throws(RecordFailure) {
      if isWriting {
        try bind(member.sqliteValue, role, to: statement)
      } else {
        member = try Member.read(from: Row(statement: statement), index)
      }
    } catch {
      if case .unknown = error, role == .hasDefault {} else { failure = error }
    }
    index += 1
  }

  private func bind(_ value: Value, _ role: ColumnRole, to statement: Statement) throws(RecordFailure) {
    do throws(SQLiteError) {
      try statement.bind(role == .numbered && value == .integer(0) ? .null : value, at: index + 1)
    } catch {
      throw .database(error)
    }
  }
}

package enum ColumnRole: Sendable {
  case plain
  /// The member of the blank record is what rows have that do not name the column, and what an unknown value is read as.
  case hasDefault
  /// The primary key, or a part of it.
  case key
  /// The primary key; SQLite gives a record whose number is 0 the next one.
  case numbered
  case unique
}

/// A column as SQL declares it.
struct ColumnDefinition: Sendable {
  let name: String
  let type: String
  let role: ColumnRole
  let fallback: Value?
  let references: String?
  let step: Int?

  var isKey: Bool { role == .key || role == .numbered }

  /// `hasOwnKey` where the key is this column alone, otherwise the table names the columns of its key.
  func sql(hasOwnKey: Bool) -> String {
    var sql = "\(name) \(type)"
    if isKey && hasOwnKey { sql += " PRIMARY KEY" }
    if role == .unique { sql += " UNIQUE" }
    sql += " NOT NULL"
    if let references { sql += " REFERENCES \(references)" }
    if let fallback { sql += " DEFAULT \(fallback.literal)" }
    return sql
  }
}

extension Value {
  /// The value as a literal of SQL.
  fileprivate var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    case .blob(let bytes): "x'\(Hex.encode(bytes))'"
    }
  }
}
