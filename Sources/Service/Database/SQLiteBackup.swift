import Glibc
import SQLite
import Support

/// Copies a database of one file that others may use meanwhile.
package enum SQLiteBackup {
  /// Writes one state of the database to a new file with the mode of the database. Throws `unavailable` if the database
  /// is busy, and `failed` if the file exists already or cannot be written; then there is no copy.
  package static func copy(_ path: String, to copy: String) throws(DatabaseError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(path, "opened") }
    // Made before SQLite would make it for everybody to read.
    let file = open(copy, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let hint = errno == EEXIST ? ". Name a new file" : ""
      throw failure(copy, "created", hint)
    }
    defer { close(file) }
    do throws(DatabaseError) {
      do throws(SQLiteError) {
        let connection = try Connection(path: path)
        try connection.execute("VACUUM INTO '\(copy.replacingQuotes)'")
      } catch {
        let text = "\(error.description), while it was copied to \(copy)"
        throw DatabaseError(error.reason == .busy ? .unavailable : .failed, text)
      }
      guard fchmod(file, status.st_mode & 0o777) == 0 else { throw failure(copy, "given the mode of the store") }
      guard fsync(file) == 0 else { throw failure(copy, "synced") }
    } catch {
      unlink(copy)
      throw error
    }
  }

  private static func failure(_ path: String, _ what: String, _ hint: String = "") -> DatabaseError {
    DatabaseError(.failed, "\(path) cannot be \(what): \(SystemError.current.text)\(hint)")
  }
}

extension String {
  /// As a text of SQL has it.
  fileprivate var replacingQuotes: String {
    split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
  }
}
