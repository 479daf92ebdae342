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
  private let migrations: Migrations
  /// Whether changes are refused: questions are answered from a copy in memory, which keeps what is noted.
  private let isReadOnly: Bool
  /// Nil while there is no file. Held while SQLite works and waits for others, unlike other locks: nothing on the reading
  /// thread takes it, and nobody waits for it without end.
  private let connection = Lock<Connection?>(nil)

  init(path: String, migrations: Migrations, isReadOnly: Bool = false) {
    self.path = path
    self.migrations = migrations
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

  /// Members are JSON texts, so that one which this version does not know or cannot read is left out alone.
  fileprivate init(from connection: Connection) throws(SQLiteError) {
    let values = try connection.dictionary(Self.table)
    self.init(device: Device(stored: values), revision: values[Self.revisionName].flatMap { Int64($0) } ?? 0)
  }

  fileprivate func save(to connection: Connection) throws(SQLiteError) {
    var values = (device.jsonValue.objectValue ?? [:]).members.map { ($0.name, $0.value.jsonText) }
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
    platform != other.platform || networkAvailable && !other.networkAvailable
  }
}
