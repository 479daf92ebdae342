// SQLite wraps SQLite, which no other target imports, in two layers. `Connection` and `Statement` own its handles:
// every call checks its result, no bound value gets into an error text, and waiting for another process ends with the
// call that waits.
//
// `Table` describes a record once, as a visit of its columns. The statements that make and migrate the table, the
// ones that read and change it, and the decoding of a row come from this visit. A column says since which version of
// the database it exists; `Migrations` brings an older file up to date, and refuses a newer one.
//
// A database is in WAL mode and syncs every commit. `DatabaseCopy` reads a database that may not be written to, as a
// copy in memory.

import CSQLite
import Glibc
import Support

/// One open database: WAL, synchronous=FULL, foreign keys on, untrusted schema; waits for others' locks as an
/// `OutsideWait` does.
///
/// Belongs to one serial owner: calls must not overlap. Its file is readable by the user alone.
package final class Connection: @unchecked Sendable {  // the serial owner orders the calls
  /// The version of SQLite that this process runs with.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  package let path: String
  let handle: OpaquePointer
  /// Of a copy in memory: what the files were when it was made. Nil for the database itself.
  private let stamp: DatabaseStamp?
  private var cache = StatementCache()
  private let busyWait = BusyWait()
  /// Nobody reads SQLite's count of its memory, which takes a lock for each block.
  private static let hasNoMemoryCount: Void = { csqlite_count_no_memory() }()

  /// Opens the file, or creates it with mode 0600; the folder must exist. A file that is no database is refused.
  package init(path: String) throws(SQLiteError) {
    try createFile(path)
    Self.hasNoMemoryCount
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard let handle, code == SQLITE_OK else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(last: code, of: handle)
    }
    self.path = path
    self.handle = handle
    stamp = nil
    try configure()
  }

  /// Opens the database; a copy of it in memory if the files can only be read.
  package static func open(_ path: String, isReadOnly: Bool) throws(SQLiteError) -> Connection {
    isReadOnly ? try Connection(copyOf: path) : try Connection(path: path)
  }

  /// False for a copy if its files have changed since.
  package var isUpToDate: Bool { stamp.map { $0 == DatabaseStamp(path: path) } ?? true }

  /// Opens a copy in memory of a database that cannot be written, and of its log. Changes are made to the copy.
  package init(copyOf path: String) throws(SQLiteError) {
    let copy = try DatabaseCopy(path: path)
    Self.hasNoMemoryCount
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(":memory:", &handle, flags, nil)
    guard let handle, code == SQLITE_OK else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(last: code, of: handle)
    }
    self.path = path
    self.handle = handle
    stamp = copy.stamp
    try load(copy.bytes)
    try execute("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY")
  }

  private func load(_ bytes: [UInt8]) throws(SQLiteError) {
    guard !bytes.isEmpty else { return }
    guard let memory = sqlite3_malloc64(UInt64(bytes.count)) else {
      throw SQLiteError(last: SQLITE_NOMEM, of: nil)
    }
    bytes.withUnsafeBytes { if let start = $0.baseAddress { memory.copyMemory(from: start, byteCount: $0.count) } }
    let count = Int64(bytes.count)
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
    // It owns the memory now, also when it fails.
    let code = sqlite3_deserialize(
      handle, "main", memory.assumingMemoryBound(to: UInt8.self), count, count, flags)
    guard code == SQLITE_OK else { throw SQLiteError(last: code, of: handle) }
  }

  deinit {
    cache.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs any number of statements without values, such as a schema.
  package func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(last: code, of: handle, sql: sql) }
  }

  /// Leaves nothing of rows that were deleted: neither in free pages, nor in gaps of others, nor in the log.
  package func purge() throws(SQLiteError) {
    try execute("VACUUM")
    try truncateLog()
  }

  /// Moves what the log holds into the database, and empties it unless somebody reads it.
  package func truncateLog() throws(SQLiteError) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The key of the last row that was inserted, where that is a number.
  var lastNumber: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Differs after another connection has committed a change, and only then. Inside a transaction, the number belongs to
  /// what the transaction sees.
  package var foreignCommits: Int64 {
    get throws(SQLiteError) { try value("PRAGMA data_version") ?? 0 }
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Lends a prepared statement; a second run of the same SQL inside the first gets one of its own.
  func withStatement<T>(
    _ sql: String, _ bindings: [any Bindable], _ body: (Statement) throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T {
    try withStatement(sql) { statement throws(SQLiteError) in
      try statement.bind(bindings)
      return try body(statement)
    }
  }

  func withStatement<T>(
    _ sql: String, _ body: (Statement) throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T {
    let statement = if let cached = cache.take(sql) { cached } else { try Statement(handle, sql) }
    defer {
      statement.reset()
      cache.put(statement)
    }
    return try body(statement)
  }

  private func configure() throws(SQLiteError) {
    // SQLite falls back to reading when the file may not be written.
    guard sqlite3_db_readonly(handle, "main") == 0 else {
      throw SQLiteError(.readOnly, code: SQLITE_READONLY, message: "the database file is not writable")
    }
    busyWait.install(on: handle)
    try execute(
      """
      PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
      """)
    try enterWAL()
    try execute("PRAGMA synchronous = FULL")
  }

  /// Two processes that both make the same new database meet a lock here for which SQLite does not wait.
  private func enterWAL() throws(SQLiteError) {
    var wait = OutsideWait()
    while true {
      do throws(SQLiteError) {
        let mode: String? = try value("PRAGMA journal_mode = WAL")
        guard mode == "wal" else { throw SQLiteError(.cannotOpen, message: "the file system does not support WAL") }
        return
      } catch {
        guard error.reason == .busy, wait.pause() else { throw error }
      }
    }
  }
}

/// How long a connection waits for one lock.
private final class BusyWait {
  private var wait = OutsideWait()

  /// Lives as long as the handle.
  func install(on handle: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().mayTryAgain(after: count) ? 1 : 0
      }, context)
  }

  /// `count` is how often this was called for the lock before.
  private func mayTryAgain(after count: Int32) -> Bool {
    if count == 0 { wait = OutsideWait() }
    return wait.pause()
  }
}

extension SQLiteError {
  /// The failure that the handle met last; without a handle, memory is what was missing.
  init(last code: Int32, of database: OpaquePointer?, sql: String? = nil) {
    let lastSystemError = errno
    let hasSystemError = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
    let message = sqlite3_errmsg(database).map { String(cString: $0) } ?? "out of memory"
    // Of a commit that fails, SQLite does not keep it.
    let kept = sqlite3_system_errno(database)
    self.init(
      code: code, systemError: hasSystemError ? (kept == 0 ? lastSystemError : kept) : 0, message: message, sql: sql)
  }
}

/// Makes an empty file that only the user can read; SQLite gives its companions the same mode.
///
/// Not by `open`: closing that descriptor would drop the locks that another connection of this process may hold by then.
private func createFile(_ path: String) throws(SQLiteError) {
  guard mknod(path, S_IFREG | 0o600, 0) != 0 else { return }
  let code = errno
  guard code != EEXIST else { return }
  throw SQLiteError(code: SQLITE_CANTOPEN, systemError: code, message: "unable to create the database file")
}
