import Support

/// A table of records, declared once: its migrations, its statements and the decoding of its rows come from one visit of
/// the columns.
///
///     struct Book { var id: Int64 = 0; var title: String; var read: Timestamp? }
///     let books = Table("books", blank: Book(title: "")) { book, column in
///       column("id", &book.id, .numbered)
///       column("title", &book.title)
///       column("read_at", &book.read, since: 2)
///     }
///     let unread = try connection.all(books, "WHERE read_at = ? ORDER BY title", 0)
///     try connection.insert(Book(title: "Emma"), into: books)
///
/// Tables are STRICT, and have no row number beside their key.
package final class Table<Record: Sendable>: Sendable {
  let name: String
  /// The migration that makes it.
  private let step: Int
  private let blank: Record
  private let visit: @Sendable (inout Record, inout Columns) -> Void
  private let columns: [ColumnDefinition]
  /// To be followed by WHERE and ORDER BY.
  fileprivate let select: String
  private let changes = Lock<[Change: String]>([:])

  /// `visit` passes each column with its member. A record is read into a copy of the blank one, which also has the
  /// defaults. A member of another shape goes through a variable that is set before its columns and used after them.
  package init(
    _ name: String, since step: Int = 1, blank: Record,
    visit: @escaping @Sendable (_ record: inout Record, _ column: inout Columns) -> Void
  ) {
    var (record, columns) = (blank, Columns.declaring)
    visit(&record, &columns)
    (self.name, self.step, self.blank, self.visit) = (name, step, blank, visit)
    self.columns = columns.definitions
    select = "SELECT \(self.columns.list { $0.name }) FROM \(name) "
  }

  /// The statement of a change; its parameters are the columns.
  fileprivate func sql(_ change: Change) -> String {
    changes.withLock { known in
      if let sql = known[change] { return sql }
      let sql = change.sql(name, columns)
      known[change] = sql
      return sql
    }
  }

  /// `nil` for a record with a value that this version does not know.
  fileprivate func record(_ row: Row) throws(SQLiteError) -> Record? {
    var (record, columns) = (blank, Columns.reading(row))
    visit(&record, &columns)
    switch columns.failure {
    case nil: return record
    case .unknown: return nil
    case .database(let error): throw error
    }
  }

  fileprivate func bind(_ record: Record, to statement: Statement) throws(SQLiteError) {
    var (record, columns) = (record, Columns.writing(statement))
    visit(&record, &columns)
    if case .database(let error) = columns.failure { throw error }
  }
}

/// How a record is stored.
private enum Change {
  case insert, insertIfAbsent, save, update

  func sql(_ table: String, _ columns: [ColumnDefinition]) -> String {
    let (keys, others) = (columns.filter(\.isKey), columns.filter { !$0.isKey })
    let row = "INTO \(table) (\(columns.list { $0.name })) VALUES (\(columns.list { _ in "?" }))"
    switch self {
    case .insert: return "INSERT \(row)"
    case .insertIfAbsent: return "INSERT OR IGNORE \(row)"
    case .save:
      let action = others.isEmpty ? "NOTHING" : "UPDATE SET \(others.list { "\($0.name) = excluded.\($0.name)" })"
      return "INSERT \(row) ON CONFLICT (\(keys.list { $0.name })) DO \(action)"
    case .update:
      let pairs = zip(columns, 1...).map { (isKey: $0.isKey, text: "\($0.name) = ?\($1)") }
      let (keys, others) = (pairs.filter(\.isKey).map(\.text), pairs.filter { !$0.isKey }.map(\.text))
      return "UPDATE \(table) SET \(others.joined(separator: ", ")) WHERE \(keys.joined(separator: " AND "))"
    }
  }
}

extension [ColumnDefinition] {
  /// Without `joined(separator:)`, which looks types up at run time when it is first called: 4 % of the time to a first
  /// answer.
  fileprivate func list(separatedBy separator: String = ", ", _ text: (ColumnDefinition) -> String) -> String {
    var list = ""
    for column in self {
      if !list.isEmpty { list += separator }
      list += text(column)
    }
    return list
  }
}

/// A table without the type of its records.
package protocol TableDefinition: Sendable {
  /// The statements with which one migration changes the table.
  func sql(ofStep step: Int) -> [String]
  /// Makes the table with all its columns, in the order in which the migrations add them. SQLite checks the whole table for
  /// each column that is added later.
  var creation: String { get }
}

extension Table: TableDefinition {
  package func sql(ofStep step: Int) -> [String] {
    let columns = columns.filter { ($0.step ?? self.step) == step }
    if step == self.step { return [createSQL(columns)] }
    return columns.map { "ALTER TABLE \(name) ADD COLUMN \($0.sql(hasOwnKey: false))" }
  }

  package var creation: String {
    var ordered = columns.filter { ($0.step ?? step) == step }
    for later in Set(columns.compactMap(\.step)).sorted() where later != step {
      ordered += columns.filter { $0.step == later }
    }
    return createSQL(ordered)
  }

  /// A table has a row number only as its key.
  private func createSQL(_ columns: [ColumnDefinition]) -> String {
    let key = columns.filter(\.isKey)
    var lines = columns.list(separatedBy: ",\n  ") { $0.sql(hasOwnKey: key.count == 1) }
    if key.count > 1 { lines += ",\n  PRIMARY KEY (\(key.list { $0.name }))" }
    let options = key.count == 1 && key[0].type == "INTEGER" ? "STRICT" : "STRICT, WITHOUT ROWID"
    return "CREATE TABLE \(name) (\n  \(lines)\n) \(options)"
  }
}

extension Connection {
  /// The records that the rest of the SELECT finds, such as WHERE and ORDER BY. Leaves out records with a value that this
  /// version does not know.
  package func all<Record>(
    _ table: Table<Record>, _ rest: String = "", _ bindings: any Bindable...
  ) throws(SQLiteError) -> [Record] {
    var records: [Record] = []
    try read(table, rest, with: bindings) { record throws(SQLiteError) in
      records.append(record)
      return true
    }
    return records
  }

  /// The record in the first row; `nil` if there is no row, or a value in it that this version does not know.
  package func first<Record>(
    _ table: Table<Record>, _ rest: String = "", _ bindings: any Bindable...
  ) throws(SQLiteError) -> Record? {
    try withStatement(table.select + rest, bindings) { statement throws(SQLiteError) in
      try statement.step() ? try table.record(Row(statement: statement)) : nil
    }
  }

  /// Hands over one record after the other, until `body` returns false.
  package func read<Record>(
    _ table: Table<Record>, _ rest: String, with bindings: [any Bindable],
    while body: (Record) throws(SQLiteError) -> Bool
  ) throws(SQLiteError) {
    try readRows(table.select + rest, with: bindings) { row throws(SQLiteError) in
      guard let record = try table.record(row) else { return true }
      return try body(record)
    }
  }

  /// Returns the number of the record, if its key is one.
  @discardableResult
  package func insert<Record>(_ record: Record, into table: Table<Record>) throws(SQLiteError) -> Int64 {
    try run(.insert, with: record, of: table)
    return lastNumber
  }

  /// Leaves alone what is there under the same key.
  package func insert<Record>(_ record: Record, ifAbsentFrom table: Table<Record>) throws(SQLiteError) {
    try run(.insertIfAbsent, with: record, of: table)
  }

  /// Adds the record, or changes what is there under the same key.
  package func save<Record>(_ record: Record, to table: Table<Record>) throws(SQLiteError) {
    try run(.save, with: record, of: table)
  }

  /// Changes what is there under the same key.
  package func update<Record>(_ record: Record, in table: Table<Record>) throws(SQLiteError) {
    try run(.update, with: record, of: table)
  }

  private func run<Record>(_ change: Change, with record: Record, of table: Table<Record>) throws(SQLiteError) {
    try withStatement(table.sql(change)) { statement throws(SQLiteError) in
      try table.bind(record, to: statement)
      while try statement.step() {}
    }
  }
}

/// A record that is a key and what is found under it.
package struct Entry<Key: Sendable, Value: Sendable>: Sendable {
  package var key: Key
  package var value: Value

  package init(_ key: Key, _ value: Value) {
    self.key = key
    self.value = value
  }
}

extension Table where Record == Entry<String, String> {
  /// Texts by name.
  package convenience init(_ name: String, since step: Int = 1, key: String, value: String) {
    self.init(name, since: step, blank: Entry("", "")) { entry, column in
      column(key, &entry.key, .key)
      column(value, &entry.value)
    }
  }
}

extension Connection {
  package func dictionary<Key: Hashable, Value>(_ table: Table<Entry<Key, Value>>) throws(SQLiteError) -> [Key: Value] {
    var values: [Key: Value] = [:]
    try read(table, "", with: []) { entry throws(SQLiteError) in
      values[entry.key] = entry.value
      return true
    }
    return values
  }
}
