import Cryptography
import Model
import SQLite
import Support

/// The durable state of one app. Used only by work that may block.
final class Store: Sendable {
  private let path: String
  private let file: FileStatus?
  /// Whether changes are refused. Questions are then answered from a copy in memory, and `note` changes only that copy.
  let isReadOnly: Bool
  private let migrations: Migrations
  /// Unlike other locks, this one is held while SQLite works and waits for others: no reading thread takes it, and
  /// nobody waits for it forever.
  private let opened: Lock<Opened?>

  private struct Opened {
    let connection: Connection
    let rows = KnownRows()
  }

  init(path: String, migrations: Migrations, isReadOnly: Bool = false) throws(MAMError) {
    self.path = path
    self.migrations = migrations
    self.isReadOnly = isReadOnly
    try StateTrust.checkDatabase(path)
    do throws(SQLiteError) {
      opened = Lock(try Self.open(path, migrations, isReadOnly: isReadOnly))
    } catch {
      throw MAMError(error, path: path)
    }
    file = FileStatus(path: path)
  }

  /// Whether the database is still at its path. A removed database would accept changes and lose them.
  var isInPlace: Bool { file?.isSameFile(as: FileStatus(path: path)) == true }

  private static func open(
    _ path: String, _ migrations: Migrations, isReadOnly: Bool
  ) throws(SQLiteError) -> Opened {
    let connection = try Connection.open(path, isReadOnly: isReadOnly)
    try migrations.apply(to: connection)
    return Opened(connection: connection)
  }

  /// Call this before changing anything else that the store must record.
  func checkWritable() throws(MAMError) {
    if isReadOnly { throw .readOnlyState(path) }
  }

  /// Removes all traces of deleted rows. Failures are ignored: the next clean exit removes what is left.
  func purge() {
    try? withConnection { connection throws(SQLiteError) in if !isReadOnly { try connection.purge() } }
  }

  /// Closes the database when the process ends. Removes the names of accounts wiped since the last clean exit, which
  /// hosts could read until now, and waits for other processes only for that. The last process leaves no write-ahead
  /// log. A later use opens the database again.
  func close() {
    opened.withLock { opened in
      if let connection = opened?.connection, !isReadOnly, (try? connection.hasNamesToForget()) == true {
        let forget = { () throws(SQLiteError) in try connection.forgetNamesInEvents() }
        if (try? connection.write(forget)) != nil { try? connection.purge() }
      }
      opened = nil
    }
  }

  /// `nil` for a state that was never changed.
  func time() throws(MAMError) -> StateTime? {
    try withConnection { connection throws(SQLiteError) in try connection.stateTime }
  }

  func load() throws(MAMError) -> StoredState {
    try withRows { connection, rows throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in
        try rows.begin(connection)
        return try StoredState(from: connection, rows)
      }
    }
  }

  /// Reads what a change at this time would see, without a change.
  func inspect<Result: Sendable>(
    at time: StateTime, _ body: @Sendable (StoreTransaction) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try withRows { connection, rows throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in try body(StoreTransaction(connection, rows, time: time)) }
    }
  }

  func events(_ query: EventQuery) throws(MAMError) -> EventPage {
    try withConnection { connection throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in try connection.events(query) }
    }
  }

  func newestEvent() throws(MAMError) -> Int64 {
    try withConnection { connection throws(SQLiteError) in try connection.newestEvent }
  }

  /// Changes everything or nothing; durable on return. `clock` and `uptime` are what a clock says. The time of a change
  /// is never before that of an earlier change, even one by another process. This is the commit point of the call that
  /// makes the change: a call that is stopped before it changes nothing.
  func change<Result: Sendable>(
    at clock: Timestamp, _ uptime: Uptime? = nil, _ body: @Sendable (StoreTransaction) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try checkWritable()
    return try withRows { connection, rows throws(ChangeFailure) in
      try rows.following { () throws(ChangeFailure) in
        try connection.write { () throws(ChangeFailure) in
          let result = try ChangeFailure.ofDatabase { () throws(SQLiteError) in
            let (time, jump) = try connection.time(by: clock, uptime)
            let transaction = try StoreTransaction(connection, rows, time: time, jump: jump)
            let result = try body(transaction)
            try transaction.finish()
            return result
          }
          guard CommitPoint.current?.pass() ?? true else { throw .stopped }
          return result
        }
      }
    }
  }

  /// Durably notes work in progress, or what was found on the disk. A note is not the effect of a call, so it is no
  /// commit point. A read-only state keeps it in memory. It must not change what `KnownRows` keeps: accounts, their
  /// documents and wipes, and names.
  @discardableResult
  func note<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try withConnection { connection throws(SQLiteError) in
      try connection.write { () throws(SQLiteError) in try body(connection) }
    }
  }

  func read<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try withConnection(body)
  }

  /// Used after a close and, for a copy, after another process has changed the database.
  private func openAgain<Failure: StoreFailure>(_: Failure.Type) throws(Failure) -> Opened {
    do throws(SQLiteError) {
      return try Self.open(path, migrations, isReadOnly: isReadOnly)
    } catch {
      throw Failure(error)
    }
  }

  func withConnection<Result: Sendable>(
    _ body: (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try withRows { connection, _ throws(SQLiteError) in try body(connection) }
  }

  private func withRows<Result: Sendable, Failure: StoreFailure>(
    _ body: (Connection, KnownRows) throws(Failure) -> Result
  ) throws(MAMError) -> Result {
    do throws(Failure) {
      let result = try opened.withLockInTime { opened throws(Failure) -> Result in
        if let opened, opened.connection.isUpToDate { return try body(opened.connection, opened.rows) }
        let new = try openAgain(Failure.self)
        opened = new
        return try body(new.connection, new.rows)
      }
      if let result { return result }
    } catch {
      throw error.asMAMError(path: path)
    }
    throw .storeBusy(path)
  }
}

/// An error of using the store.
private protocol StoreFailure: SQLiteFailure {
  func asMAMError(path: String) -> MAMError
}

extension SQLiteError: StoreFailure {
  fileprivate func asMAMError(path: String) -> MAMError { MAMError(self, path: path) }
}

/// An error of changing the store.
private enum ChangeFailure: SQLiteFailure, StoreFailure {
  case database(SQLiteError)
  case stopped

  init(_ error: SQLiteError) { self = .database(error) }

  static func ofDatabase<Result>(_ body: () throws(SQLiteError) -> Result) throws(ChangeFailure) -> Result {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw .database(error)
    }
  }

  func asMAMError(path: String) -> MAMError {
    switch self {
    case .database(let error): MAMError(error, path: path)
    case .stopped: .cancelled
    }
  }
}

extension MAMError {
  static func storeBusy(_ path: String) -> MAMError {
    MAMError(.storeUnavailable, "another process has locked the state for too long", hint: "Call again", path: path)
  }

  init(_ error: SQLiteError, path: String) {
    switch error.reason {
    case .full:
      self.init(.diskFull, "the disk is full; nothing was changed", hint: "Free some space and call again", path: path)
    case .corrupt, .notADatabase:
      self.init(
        .damaged, "the state is damaged: \(error.message)",
        hint: "Move the database and the files beside it (-wal, -shm) away; accounts must then enroll again",
        path: path)
    case .newerSchema(let found, let known):
      self.init(
        .newerSchema,
        """
        a newer version of mambridge has opened this state: its schema has version \(found), but this program supports \
        only \(known)
        """,
        hint: """
          Use the newer version of mambridge, restore a copy of the folder from before the upgrade, or choose another \
          folder with --state
          """, path: path)
    case .busy:
      self = .storeBusy(path)
    case .readOnly:
      self.init(
        .storeUnavailable, "the state cannot be written: \(error.message)",
        hint: "Give this user write access to the folder, or choose another one with --state", path: path)
    default:
      self.init(
        .storeUnavailable, "the state cannot be used: \(error.message)",
        hint: "Choose another folder with --state", path: path)
    }
  }
}

extension Store {
  /// Random bytes that stay the same for the life of the store, from which the pseudonyms in the log are made. Written
  /// only once, so that a store can be opened on a full disk.
  func salt() throws(MAMError) -> [UInt8] {
    let known = try withConnection { connection throws(SQLiteError) in try connection.fact("salt") }
    if let known { return Array(known.utf8) }
    return Array(try makeSalt().utf8)
  }

  private func makeSalt() throws(MAMError) -> String {
    let new = Self.randomDigits()
    return try withConnection { connection throws(SQLiteError) in
      try connection.insert(Entry("salt", new), ifAbsentFrom: StoreSchema.facts)
      return try connection.fact("salt") ?? new
    }
  }

  /// 32 hexadecimal digits that nobody can guess. From the kernel, because OpenSSL's generator takes milliseconds to start.
  static func randomDigits() -> String {
    Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }
}
