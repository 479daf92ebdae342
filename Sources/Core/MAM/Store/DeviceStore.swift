import Glibc
import JSON
import Model
import Policy
import SQLite
import Support

/// The stored device, with a count of the changes that require accounts to check in again.
struct DeviceRecord: Equatable, Sendable {
  var device = Device()
  /// Increases when the platform or the management of the device changes, and when the network becomes available again.
  var revision: Int64 = 0
  /// The latest time of a manual clock in any app of the state folder; `nil` if none was used.
  var manualTime: Timestamp?
}

/// What hosts reported about the device, and the PINs of its users, for all apps of the state folder. Used only by work
/// that may block.
///
/// The first change creates the file; before that, the store costs nothing.
final class DeviceStore: Sendable {
  private let path: String
  private let migrations: Migrations
  /// Whether changes are refused. Questions are then answered from a copy in memory, and `note` changes only that copy.
  private let isReadOnly: Bool
  /// `nil` until the database is needed. Unlike other locks, this one is held while SQLite works and waits for others:
  /// no reading thread takes it, and nobody waits for it forever.
  private let connection = Lock<Connection?>(nil)
  /// The latest time that this process has shared.
  private let sharedTime = Lock<Timestamp?>(nil)

  init(path: String, migrations: Migrations, isReadOnly: Bool = false) {
    self.path = path
    self.migrations = migrations
    self.isReadOnly = isReadOnly
  }

  func load() throws(MAMError) -> DeviceRecord {
    guard access(path, F_OK) == 0 else { return DeviceRecord() }
    return try withConnection { connection throws(SQLiteError) in try DeviceRecord(from: connection) }
  }

  /// Changes everything or nothing; durable on return.
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

  /// Tells all apps to which time a manual clock was moved. Time never runs back.
  func share(_ time: Timestamp) throws(MAMError) {
    guard sharedTime.withLock({ $0.map { $0 < time } ?? true }) else { return }
    try note { connection throws(SQLiteError) in
      let known = try DeviceRecord(from: connection).manualTime
      guard known.map({ $0 < time }) ?? true else { return }
      try connection.save(Entry(DeviceRecord.timeName, String(time.milliseconds)), to: DeviceRecord.table)
    }
    sharedTime.withLock { $0 = time }
  }

  /// `nil` if nothing was ever stored.
  func read<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(MAMError) -> Result? {
    guard isReadOnly || access(path, F_OK) == 0 else { return nil }
    return try withConnection { connection throws(SQLiteError) in
      try connection.read { () throws(SQLiteError) in try body(connection) }
    }
  }

  /// Writes everything or nothing; durable on return.
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

  /// Closes the database when the process ends. The last process to close it leaves no write-ahead log.
  func close() { connection.withLock { $0 = nil } }

  private func checkWritable() throws(MAMError) {
    if isReadOnly { throw .readOnlyState(path) }
  }

  /// Like `write`, but a read-only state keeps the change in memory.
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
        try migrations.apply(to: new)
        connection = new
        return try body(new)
      } catch {
        throw MAMError(error, path: path)
      }
    }
    if let result { return result }
    throw .storeBusy(path)
  }
}

extension DeviceRecord {
  static let table = Table("device", key: "name", value: "value")

  private static let revisionName = "$revision"
  fileprivate static let timeName = "$time"

  /// Each member is a JSON text of its own, so that a member that this version does not know or cannot read is left out
  /// without the others.
  fileprivate init(from connection: Connection) throws(SQLiteError) {
    let values = try connection.dictionary(Self.table)
    self.init(
      device: Device(stored: values), revision: values[Self.revisionName].flatMap { Int64($0) } ?? 0,
      manualTime: values[Self.timeName].flatMap { Int64($0) }.map(Timestamp.init(milliseconds:)))
  }

  fileprivate func save(to connection: Connection) throws(SQLiteError) {
    var device = device.jsonValue.objectValue ?? [:]
    // The level of this program is left out, because the next program may have another.
    if self.device.sdkVersion == Device.implementedSDKVersion {
      device["sdkVersion"] = nil
      try connection.run("DELETE FROM device WHERE name = 'sdkVersion'")
    }
    var values = device.members.map { ($0.name, $0.value.jsonText) }
    values.append((Self.revisionName, String(revision)))
    for (name, value) in values { try connection.save(Entry(name, value), to: Self.table) }
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
    platform != other.platform || managementType != other.managementType || networkAvailable && !other.networkAvailable
  }
}
