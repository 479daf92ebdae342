import Glibc
import TestSupport
import Testing

@testable import SQLite

/// A copy in memory is what SQLite itself reads from the same files.
@Suite struct DatabaseCopyTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("a.db") }

  private func values(_ connection: Connection) throws -> [String] {
    try connection.query("SELECT value FROM t ORDER BY id") { row in try row.value(0) }
  }

  private func fill(_ connection: Connection, _ rows: Range<Int>) throws {
    try connection.write { () throws(SQLiteError) in
      for row in rows {
        try connection.run("INSERT INTO t VALUES (?, ?)", row, String(repeating: "\(row) ", count: 1 + row % 700))
      }
    }
  }

  private func make() throws -> Connection {
    let connection = try Connection(path: path)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT")
    return connection
  }

  @Test("A copy of an SQLite database has all committed rows, with or without a log")
  func committed() throws {
    let connection = try make()
    try fill(connection, 0..<300)
    #expect(try values(Connection(copyOf: path)) == values(connection))
    try connection.truncateLog()
    #expect(try values(Connection(copyOf: path)) == values(connection))
    try connection.execute("PRAGMA wal_checkpoint(RESTART)")
    try fill(connection, 300..<310)
    #expect(try values(Connection(copyOf: path)) == values(connection))
    try connection.execute("DELETE FROM t WHERE id > 3")
    try connection.purge()
    #expect(try values(Connection(copyOf: path)) == values(connection))
  }

  @Test("A copy of an SQLite database that changes while it is copied has the rows of one moment")
  func changedMeanwhile() throws {
    let connection = try make()
    try fill(connection, 0..<300)
    var attempts = 0
    let copied = try DatabaseCopy(path: path) {
      attempts += 1
      guard attempts == 1 else { return }
      // Into the file, and a new log for the next rows.
      #expect(throws: Never.self) {
        try fill(connection, 300..<600)
        try connection.truncateLog()
        try fill(connection, 600..<610)
      }
    }
    #expect(attempts == 2)
    try copied.write(to: folder.file("copy"))
    #expect(try values(Connection(path: folder.file("copy"))) == values(connection))
  }

  @Test("A copy of an SQLite database ignores log entries that are incomplete or damaged")
  func damagedLog() throws {
    let connection = try make()
    var states: [(size: Int, values: [String])] = []
    for step in 0..<8 {
      try fill(connection, step * 20..<step * 20 + 20)
      states.append((try #require(readFile(path + "-wal")).count, try values(connection)))
    }
    let (database, log) = (try #require(readFile(path)), try #require(readFile(path + "-wal")))
    var generator = SeededGenerator(state: 7)
    for _ in 0..<60 {
      let end = Int.random(in: states[0].size...log.count, using: &generator)
      let damage = Int.random(in: states[0].size - 1..<log.count, using: &generator)
      for (bytes, whole) in [(Array(log[..<end]), end), (flipped(log, at: damage), damage)] {
        let copy = TemporaryFolder()
        write(database, to: copy.file("b.db"))
        write(bytes, to: copy.file("b.db-wal"))
        let expected = states.last { $0.size <= whole }?.values
        let found = try? values(Connection(copyOf: copy.file("b.db")))
        // The table itself is in the first transaction.
        #expect(found == expected, "\(whole)")
      }
    }
  }

  @Test("A copy of an SQLite database changes only in memory, and a missing file gives an empty copy")
  func memory() throws {
    let connection = try make()
    try fill(connection, 0..<3)
    let copy = try Connection(copyOf: path)
    #expect(copy.isUpToDate)
    try fill(copy, 3..<200)
    #expect(try values(copy).count == 200)
    #expect(try values(connection).count == 3)
    try fill(connection, 3..<4)
    #expect(!copy.isUpToDate)
    try Connection(copyOf: folder.file("none")).execute("CREATE TABLE t (id)")
    #expect(access(folder.file("none"), F_OK) != 0)
    folder.write(String(repeating: "this is no database\n", count: 300), to: "text")
    #expect(throws: SQLiteError.self) { try values(Connection(copyOf: folder.file("text"))) }
  }

  private func flipped(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    var bytes = bytes
    bytes[index] ^= 0x10
    return bytes
  }

  private func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "wb") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
