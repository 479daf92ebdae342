import SQLite
import Support
import TestSupport
import Testing

@Suite struct TableTests {
  private struct Author: Equatable, Sendable {
    var name: String
    var born: Int?
  }

  private enum Cover: String, Storable { case soft, hard }

  private struct Book: Equatable, Sendable {
    var id: Int64 = 0
    var title: String
    var author: Author
    var cover = Cover.soft
    var read: Timestamp?
    var isLent = false

    static let table = Table("books", blank: Book(title: "", author: Author(name: ""))) { book, column in
      var isRead = book.read != nil
      column("id", &book.id, .numbered)
      column("title", &book.title, .unique)
      column("author", &book.author.name)
      column("cover", &book.cover, .hasDefault)
      column("read_at", &book.read)
      column("is_read", &isRead, .hasDefault)
      column("lent", &book.isLent, .hasDefault, since: 3)
      column("born", &book.author.born, since: 3)
    }
  }

  private static let shelves = Table("shelves", since: 2, blank: Entry("", 0)) { shelf, column in
    column("name", &shelf.key, .key)
    column("place", &shelf.value)
  }
  private static let pairs = Table("pairs", since: 3, blank: Entry("", 0)) { pair, column in
    column("left", &pair.key, .key)
    column("right", &pair.value, .key)
  }
  private static let tables: [any TableDefinition] = [Book.table, shelves, pairs]

  private let emma = Book(title: "Emma", author: Author(name: "Austen", born: 1775), cover: .hard, isLent: true)

  private func connection() throws -> Connection {
    let connection = try Fixture().connection
    try Migrations(version: 3, of: Self.tables).apply(to: connection)
    return connection
  }

  @Test("Migrations are derived from the table columns, with each change in the step of its version")
  func migrations() {
    #expect(
      Migrations(version: 3, of: Self.tables, and: [2: "SELECT 1"]).steps == [
        """
        CREATE TABLE books (
          id INTEGER PRIMARY KEY NOT NULL,
          title TEXT UNIQUE NOT NULL,
          author TEXT NOT NULL,
          cover TEXT NOT NULL DEFAULT 'soft',
          read_at INTEGER NOT NULL DEFAULT 0,
          is_read INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
        """
        CREATE TABLE shelves (
          name TEXT PRIMARY KEY NOT NULL,
          place INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        SELECT 1
        """,
        """
        ALTER TABLE books ADD COLUMN lent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE books ADD COLUMN born INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE pairs (
          left TEXT NOT NULL,
          right INTEGER NOT NULL,
          PRIMARY KEY (left, right)
        ) STRICT, WITHOUT ROWID
        """,
      ])
  }

  @Test("A record reads back from its table unchanged, and SQLite numbers new records")
  func roundTrip() throws {
    let connection = try connection()
    #expect(try connection.insert(emma, into: Book.table) == 1)
    #expect(try connection.insert(Book(title: "It's", author: Author(name: "")), into: Book.table) == 2)
    var stored = try #require(try connection.first(Book.table, "WHERE title = ?", "Emma"))
    #expect(stored.id == 1)
    #expect(stored.author == emma.author)
    #expect(stored.cover == .hard)
    #expect(stored.read == nil)
    stored.read = Timestamp(milliseconds: 5)
    try connection.update(stored, in: Book.table)
    #expect(try connection.all(Book.table, "WHERE read_at > 0 AND is_read = 1") == [stored])
    stored.title = "Persuasion"
    try connection.save(stored, to: Book.table)
    stored.id = 9
    try connection.update(stored, in: Book.table)
    #expect(try connection.all(Book.table, "ORDER BY id").map(\.title) == ["Persuasion", "It's"])
    #expect(try connection.first(Book.table, "WHERE id = 9") == nil)
  }

  @Test("A record with the same key is kept, replaced or refused, depending on the call")
  func conflicts() throws {
    let connection = try connection()
    try connection.save(Entry("a", 1), to: Self.shelves)
    try connection.insert(Entry("a", 2), ifAbsentFrom: Self.shelves)
    #expect(try connection.dictionary(Self.shelves) == ["a": 1])
    try connection.save(Entry("a", 3), to: Self.shelves)
    #expect(try connection.dictionary(Self.shelves) == ["a": 3])
    #expect(databaseFailure { try connection.insert(Entry("a", 4), into: Self.shelves) }?.reason == .constraint)
    for _ in 1...2 { try connection.save(Entry("a", 1), to: Self.pairs) }
    #expect(try connection.value("SELECT count(*) FROM pairs") == 1)
  }

  @Test("An unknown stored value is read as the default, or skips the record if there is none")
  func unknownValues() throws {
    let strict = Table("covers", blank: Cover.soft) { cover, column in column("cover", &cover, .key) }
    let connection = try connection()
    try connection.insert(emma, into: Book.table)
    try connection.run("UPDATE books SET cover = 'stone'")
    #expect(try connection.first(Book.table)?.cover == .soft)
    try connection.execute(Migrations(version: 1, of: [strict]).steps[0])
    try connection.run("INSERT INTO covers VALUES ('hard'), ('stone')")
    #expect(try connection.all(strict) == [.hard])
    #expect(try connection.first(strict, "WHERE cover = 'stone'") == nil)
  }

  @Test("A stored value of the wrong type is an error that names the column and not the value")
  func wrongType() throws {
    let connection = try Fixture().connection
    try connection.execute("CREATE TABLE shelves (name, place); INSERT INTO shelves VALUES ('a', 'secret')")
    let error = databaseFailure { _ = try connection.all(Self.shelves) }
    #expect(error?.reason == .typeMismatch)
    #expect(error?.message == "column 1 (place) holds TEXT, wanted INTEGER")
  }
}
