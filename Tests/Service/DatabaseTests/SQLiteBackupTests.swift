import Database
import Glibc
import SQLite
import TestSupport
import Testing

@Suite struct SQLiteBackupTests {
  private let folder = TemporaryFolder()
  private var store: String { folder.file("store.sqlite") }
  private var copy: String { folder.file("copy.sqlite") }

  private func open(_ path: String, _ names: String...) throws -> Connection {
    let connection = try Connection(path: path)
    try connection.execute("CREATE TABLE IF NOT EXISTS item (name TEXT NOT NULL) STRICT")
    for name in names { try connection.run("INSERT INTO item (name) VALUES (?)", name) }
    return connection
  }

  private func names(_ path: String) throws -> [String] {
    try Connection(path: path).query("SELECT name FROM item ORDER BY name") { row in try row.value(0) }
  }

  private func failure(_ body: () throws -> Void) -> DatabaseError? {
    do {
      try body()
      return nil
    } catch {
      return error as? DatabaseError
    }
  }

  @Test(
    "A backup has all committed rows of an open store, and the mode of the store",
    arguments: [0o600, 0o640] as [mode_t])
  func backup(_ mode: mode_t) throws {
    let connection = try open(store, "a", "b")
    #expect(chmod(store, mode) == 0)
    try SQLiteBackup.copy(store, to: copy)
    #expect(try names(copy) == ["a", "b"])
    var status = stat()
    #expect(stat(copy, &status) == 0)
    #expect(status.st_mode & 0o7777 == mode)
    #expect(access(copy + ".part", F_OK) != 0)
    withExtendedLifetime(connection) {}
  }

  @Test("A backup never replaces a file, nor the unfinished backup of another process", arguments: ["", ".part"])
  func taken(_ suffix: String) throws {
    _ = try open(store, "a")
    folder.write("own", to: "copy.sqlite" + suffix)
    let error = failure { try SQLiteBackup.copy(store, to: copy) }
    #expect(error?.reason == .failed)
    #expect(error?.text.contains("\(copy)\(suffix) cannot be created") == true, "\(error?.text ?? "no error")")
    #expect(readFile(copy + suffix).map { String(decoding: $0, as: UTF8.self) } == "own")
  }

  @Test("A backup of a missing store makes no file")
  func missing() {
    #expect(failure { try SQLiteBackup.copy(store, to: copy) }?.reason == .failed)
    #expect(access(copy, F_OK) != 0)
    #expect(access(copy + ".part", F_OK) != 0)
  }

  @Test("Restoring a backup takes away the rows that came later")
  func restore() throws {
    _ = try open(store, "a", "b")
    try SQLiteBackup.copy(store, to: copy)
    let connection = try open(store, "c")
    try SQLiteBackup.restore(store, from: copy)
    #expect(try names(store) == ["a", "b"])
    withExtendedLifetime(connection) {}
  }
}
