import CSQLite
import Glibc

/// Why a database could not do something. Equal when the reasons are.
///
/// Holds the SQL text but never a bound value, and never a value read from a column.
package struct SQLiteError: Error, Sendable {
  package enum Reason: Sendable, Equatable {
    /// Another connection held its lock for longer than the timeout; the same call may succeed later.
    case busy
    /// The disk, the quota, the limit of a file or of pages.
    case full
    /// The file or its folder may not be written (or not even opened) by this user.
    case readOnly
    case ioError
    case corrupt
    case notADatabase
    case constraint
    case newerSchema(found: Int, known: Int)
    case cannotOpen
    /// A column holds another type than the caller asked for.
    case typeMismatch
    /// The caller's fault: wrong count of bindings, several statements where one is wanted.
    case misuse
    case other
  }

  package let reason: Reason
  /// SQLite's extended result code.
  package let code: Int32
  package let message: String
  package let sql: String?

  init(_ reason: Reason, code: Int32 = SQLITE_ERROR, message: String, sql: String? = nil) {
    self.reason = reason
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// `systemError` is the errno that SQLite met, or 0.
  init(code: Int32, systemError: Int32, message: String, sql: String? = nil) {
    let detail = systemError == 0 ? "" : " (\(String(cString: strerror(systemError))))"
    self.init(
      Reason(code: code, systemError: systemError), code: code, message: message + detail, sql: sql)
  }
}

extension SQLiteError.Reason {
  init(code: Int32, systemError: Int32) {
    switch code & 0xFF {
    case SQLITE_IOERR, SQLITE_CANTOPEN: self.init(primary: code & 0xFF, systemError: systemError)
    // The last when a process was stopped in the middle of what takes others a moment.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly
    case SQLITE_CORRUPT: self = .corrupt
    case SQLITE_NOTADB: self = .notADatabase
    case SQLITE_CONSTRAINT: self = .constraint
    case SQLITE_MISUSE, SQLITE_RANGE: self = .misuse
    default: self = .other
    }
  }

  /// SQLite reports these two for any failing system call; only the errno tells a full disk from a forbidden folder.
  private init(primary: Int32, systemError: Int32) {
    switch systemError {
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case EACCES, EPERM, EROFS: self = .readOnly
    default: self = primary == SQLITE_IOERR ? .ioError : .cannotOpen
    }
  }
}

extension SQLiteError: Equatable {
  package static func == (left: SQLiteError, right: SQLiteError) -> Bool { left.reason == right.reason }
}

extension SQLiteError: CustomStringConvertible {
  package var description: String {
    let place = sql.map { " in: \($0)" } ?? ""
    return "\(message) [\(code)]\(place)"
  }
}

/// An error that can carry a database's: lets the body of a transaction throw its owner's error type.
package protocol SQLiteFailure: Error {
  init(_ error: SQLiteError)
}

extension SQLiteError: SQLiteFailure {
  package init(_ error: SQLiteError) { self = error }
}
