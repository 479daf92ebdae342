import Glibc
import SQLite
import Support

/// Copies a database of one file that others may use meanwhile.
package enum SQLiteBackup {
  /// Writes one state of the database to a new file with the mode of the database. Throws `unavailable` if the database
  /// is busy, and `failed` if the file exists already or cannot be written; then there is no copy. A process that is
  /// killed leaves a part with the suffix `.part`, never one with the name of the copy.
  package static func copy(_ path: String, to copy: String) throws(DatabaseError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(path, "opened") }
    let part = copy + ".part"
    var other = stat()
    guard lstat(copy, &other) != 0 else {
      errno = EEXIST
      throw failure(copy, "created", Self.newFile)
    }
    // Made before SQLite would make it for everybody to read.
    let file = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let hint = errno == EEXIST ? ". If no other backup is running, remove the file" : ""
      throw failure(part, "created", hint)
    }
    defer { close(file) }
    do throws(DatabaseError) {
      do throws(SQLiteError) {
        let connection = try Connection(path: path)
        try connection.run("VACUUM INTO ?", part)
      } catch {
        let text = "\(error.description), while it was copied to \(copy)"
        throw DatabaseError(error.reason == .busy ? .unavailable : .failed, text)
      }
      guard fchmod(file, status.st_mode & 0o777) == 0 else { throw failure(copy, "given the mode of the store") }
      guard fsync(file) == 0 else { throw failure(copy, "synced") }
      try publish(part, as: copy)
    } catch {
      unlink(part)
      throw error
    }
  }

  /// Gives a database that others may use meanwhile the rows of a copy, which must have the same schema: all, or none if
  /// this throws.
  package static func restore(_ path: String, from copy: String) throws(DatabaseError) {
    do throws(SQLiteError) {
      let connection = try Connection(path: path)
      try connection.run("ATTACH ? AS copy", copy)
      try connection.execute("BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON")
      let names = try tables(of: connection)
      for name in names { try connection.execute("DELETE FROM main.\"\(name)\"") }
      for name in names { try connection.execute("INSERT INTO main.\"\(name)\" SELECT * FROM copy.\"\(name)\"") }
      try connection.execute("COMMIT")
    } catch {
      let text = "\(error.description), while \(copy) was copied to \(path)"
      throw DatabaseError(error.reason == .busy ? .unavailable : .failed, text)
    }
  }

  private static func tables(of connection: Connection) throws(SQLiteError) -> [String] {
    var names: [String] = []
    let sql = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    try connection.run(sql, named: []) { row throws(SQLiteError) in names.append(try row.value(0)) }
    return names
  }

  private static let newFile = ". Name a new file"

  /// Gives the file its name, unless another file has it.
  private static func publish(_ part: String, as copy: String) throws(DatabaseError) {
    if link(part, copy) == 0 {
      unlink(part)
    } else {
      // File systems without links: an empty file of its own keeps the name until the part replaces it.
      guard errno == EPERM || errno == EOPNOTSUPP else {
        throw failure(copy, "created", errno == EEXIST ? newFile : "")
      }
      let place = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard place >= 0 else { throw failure(copy, "created", errno == EEXIST ? newFile : "") }
      close(place)
      guard rename(part, copy) == 0 else {
        defer { unlink(copy) }
        throw failure(copy, "created")
      }
    }
    syncFolder(of: copy)
  }

  /// Some file systems cannot sync folders; the copy is whole all the same.
  private static func syncFolder(of path: String) {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = open(end.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func failure(_ path: String, _ what: String, _ hint: String = "") -> DatabaseError {
    DatabaseError(.failed, "\(path) cannot be \(what): \(SystemError.current.text)\(hint)")
  }
}
