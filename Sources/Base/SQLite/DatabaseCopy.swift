import CSQLite
import Glibc
import Support

/// A database as it was at one moment: the file with its write-ahead log applied. The files are only read. SQLite itself
/// cannot read a log without a `-shm` file, which nobody can make in a folder that cannot be written.
package struct DatabaseCopy {
  package let bytes: [UInt8]
  let stamp: DatabaseStamp

  /// A missing database is empty. Read again when a writer changes the files meanwhile.
  package init(path: String) throws(SQLiteError) { try self.init(path: path) {} }

  /// `beforeLog` is called each time between the reading of the file and of its log.
  init(path: String, beforeLog: () -> Void) throws(SQLiteError) {
    for _ in 1...500 {
      let stamp = DatabaseStamp(path: path)
      var database = try Self.read(path)
      beforeLog()
      let log = try Self.read(path + DatabaseStamp.logSuffix)
      if stamp == DatabaseStamp(path: path) {
        WriteAheadLog.apply(log, to: &database)
        (bytes, self.stamp) = (Self.withoutLog(database), stamp)
        return
      }
      usleep(10_000)
    }
    throw SQLiteError(.busy, code: SQLITE_BUSY, message: "the database file keeps changing")
  }

  /// Writes the copy to a new file, for this user alone. Throws `corrupt` or `notADatabase` if it is damaged.
  package func write(to path: String) throws(SQLiteError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.unwritable(path, SQLITE_CANTOPEN, .current) }
    defer { close(descriptor) }
    do throws(SystemError) {
      try WholeBytes.write(bytes, to: descriptor)
    } catch { throw Self.unwritable(path, SQLITE_IOERR, error) }
    let found: String? = try Connection(path: path).value("PRAGMA quick_check(1)")
    guard found == "ok" else { throw SQLiteError(.corrupt, code: SQLITE_CORRUPT, message: found ?? "no answer") }
  }

  private static func unwritable(_ path: String, _ code: Int32, _ error: SystemError) -> SQLiteError {
    SQLiteError(code: code, systemError: error.number, message: "cannot write \(path)")
  }

  private static func read(_ path: String) throws(SQLiteError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return [] }
      throw SQLiteError(code: SQLITE_CANTOPEN, systemError: errno, message: "unable to open the database file")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { target in
      Result { () throws(SystemError) in try WholeBytes.read(descriptor, into: target, at: 0) }
    }
    do throws(SystemError) {
      return Array(bytes[..<(try count.get())])
    } catch { throw unreadable(error.number) }
  }

  private static func unreadable(_ number: Int32) -> SQLiteError {
    SQLiteError(code: SQLITE_IOERR, systemError: number, message: "cannot read the database file")
  }

  /// Bytes 18 and 19 of the header say that there is a log; a database in memory has none.
  private static func withoutLog(_ database: [UInt8]) -> [UInt8] {
    guard database.count >= 100, database[18] == 2, database[19] == 2 else { return database }
    var database = database
    (database[18], database[19]) = (1, 1)
    return database
  }
}

/// By what a change of a database is seen: which files it consists of, their sizes and when they were written.
package struct DatabaseStamp: Equatable, Sendable {
  static let logSuffix = "-wal"
  private let files: [FileStamp?]

  package init(path: String) {
    files = ["", Self.logSuffix].map { FileStamp(path: path + $0) }
  }

  private struct FileStamp: Equatable {
    let device: dev_t
    let inode: ino_t
    let size: off_t
    let modified: Int64

    init?(path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
      modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
  }
}
