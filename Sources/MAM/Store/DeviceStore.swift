import Glibc
import JSON
import Model
import Policy
import SQLite
import Support

/// The device as it is stored, with the number of times that it changed in a way that accounts must ask again for.
struct DeviceRecord: Equatable, Sendable {
  var device = Device()
  /// Rises with another platform, and with a network that is there again.
  var revision: Int64 = 0
}

/// What hosts told of the device, and the PINs of its users, for all apps of the state folder. Used only by work that may
/// block.
///
/// The file is made by the first change: until then nobody pays for it.
final class DeviceStore: Sendable {
  private let path: String
  /// Whether changes are refused: questions are answered from a copy in memory, which keeps what is noted.
  private let isReadOnly: Bool
  /// Nil while there is no file. Held while SQLite works and waits for others, unlike other locks: nothing on the reading
  /// thread takes it, and nobody waits for it without end.
  private let connection = Lock<Connection?>(nil)

  init(path: String, isReadOnly: Bool = false) {
    self.path = path
    self.isReadOnly = isReadOnly
  }

  func load() throws(MAMError) -> DeviceRecord {
    guard access(path, F_OK) == 0 else { return DeviceRecord() }
    return try withConnection { connection throws(SQLiteError) in try DeviceRecord(from: connection) }
  }

  /// All of it or nothing; durable when this returns.
  func change(_ body: @Sendable (inout Device) -> Void) throws(MAMError) -> DeviceRecord {
    try checkWritable()
    return try withConnection { connection throws(SQLiteError) in
      try connection.write { () throws(SQLiteError) in
        let old = try DeviceRecord(from: connection)
        var new = old
        body(&new.device)
        if new.device.needsCheckIn(after: old.device) { new.revision += 1 }
        try new.save(to: connection)
        return new
      }
    }
  }

  /// Nil while nothing was ever stored.
  func read<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result? {
    guard isReadOnly || access(path, F_OK) == 0 else { return nil }
    return try withConnection { connection throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in try body(connection) }
    }
  }

  /// All of it or nothing; durable when this returns.
  func write<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try checkWritable()
    return try note(body)
  }

  func purge() {
    guard !isReadOnly, access(path, F_OK) == 0 else { return }
    _ = try? withConnection { connection throws(SQLiteError) in try connection.purge() }
  }

  /// Lets go of the database when the process ends; the last one leaves no log.
  func close() { connection.withLock { $0 = nil } }

  private func checkWritable() throws(MAMError) {
    if isReadOnly { throw .readOnlyState(path) }
  }

  /// As `write`; in a read-only state kept in memory.
  func note<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    try withConnection { connection throws(SQLiteError) in
      try connection.write { () throws(SQLiteError) in try body(connection) }
    }
  }

  private func withConnection<Result: Sendable>(
    _ body: (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result {
    let result = try connection.withLockInTime { connection throws(MAMError) -> Result in
      if connection == nil { try StateTrust.checkDatabase(path) }
      do throws(SQLiteError) {
        if let connection, connection.isUpToDate { return try body(connection) }
        let new = try Connection.open(path, isReadOnly: isReadOnly)
        try Self.migrations.apply(to: new)
        connection = new
        return try body(new)
      } catch {
        throw MAMError(error, path: path)
      }
    }
    if let result { return result }
    throw .storeBusy(path)
  }

  private static let migrations = Migrations([
    """
    CREATE TABLE device (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    Activity.migration,

    // PINs by publisher and user, without the PINs: these are sealed hashes, the newest that of the PIN in use where
    // is_set. Times are milliseconds since 1970, 0 for never.
    """
    CREATE TABLE pins (
      id INTEGER PRIMARY KEY NOT NULL,
      publisher TEXT NOT NULL,
      account_id TEXT NOT NULL DEFAULT '',
      identity TEXT NOT NULL DEFAULT '',
      salt BLOB NOT NULL,
      cost INTEGER NOT NULL,
      block_size INTEGER NOT NULL,
      parallelism INTEGER NOT NULL,
      is_set INTEGER NOT NULL DEFAULT 0,
      tries INTEGER NOT NULL DEFAULT 0,
      tried_at INTEGER NOT NULL DEFAULT 0,
      set_at INTEGER NOT NULL DEFAULT 0,
      typed_at INTEGER NOT NULL DEFAULT 0,
      active_at INTEGER NOT NULL DEFAULT 0,
      unfit_form TEXT NOT NULL DEFAULT '',
      wiped_apps TEXT NOT NULL DEFAULT ''
    ) STRICT;

    CREATE TABLE pin_hashes (
      position INTEGER PRIMARY KEY NOT NULL,
      pin INTEGER NOT NULL REFERENCES pins(id) ON DELETE CASCADE,
      sealed BLOB NOT NULL
    ) STRICT;
    """,
  ])
}

extension DeviceRecord {
  private static let revisionName = "$revision"

  /// Members are JSON texts, so that one which this version does not know or cannot read is left out alone.
  fileprivate init(from connection: Connection) throws(SQLiteError) {
    var values: [String: String] = [:]
    try connection.forEachRow("SELECT name, value FROM device") { row throws(SQLiteError) in
      values[try row.value(0)] = try row.value(1, as: String.self)
    }
    self.init(device: Device(stored: values), revision: values[Self.revisionName].flatMap { Int64($0) } ?? 0)
  }

  fileprivate func save(to connection: Connection) throws(SQLiteError) {
    var values = (device.jsonValue.objectValue ?? [:]).members.map { ($0.name, $0.value.jsonText) }
    values.append((Self.revisionName, String(revision)))
    let sql = "INSERT INTO device (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    for (name, value) in values { try connection.run(sql, name, value) }
  }
}

extension Device {
  fileprivate init(stored values: [String: String]) {
    self.init()
    var members = jsonValue.objectValue ?? [:]
    for name in members.names {
      guard let text = values[name], let value = try? JSONValue(parsing: text) else { continue }
      let former = members[name]
      members[name] = value
      if let device = try? Device.decode(JSONDocument(parsing: members.jsonText).root) {
        self = device
      } else {
        members[name] = former
      }
    }
  }

  fileprivate func needsCheckIn(after other: Device) -> Bool {
    platform != other.platform || networkAvailable && !other.networkAvailable
  }
}
