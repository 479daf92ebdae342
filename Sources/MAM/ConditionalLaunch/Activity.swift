import Model
import SQLite
import Support

/// When the data of an account was last in use, in any app of one publisher.
struct Activity: Equatable, Sendable {
  /// Since when there was no pause that was too long.
  var since: Timestamp
  var usedAt: Timestamp

  /// Whether the pause since the last use is too long: then PIN and credentials are asked for again. A clock that was
  /// set back proves nothing. `period` is nil where no pause is too long.
  func isOver(at now: Timestamp, _ period: ISODuration?) -> Bool {
    guard let period else { return false }
    return now < usedAt || usedAt.advanced(by: period.milliseconds) <= now
  }

  /// Whose it is, as `device.db` names it.
  struct Key: Sendable {
    let publisher: String
    let account: String

    /// Nil for an account without name.
    init?(_ account: Account, of folder: StateFolder) {
      guard let name = account.accountId ?? account.identity else { return nil }
      publisher = folder.publisher
      self.account = name.lowercasedASCII
    }
  }

  static let migration = """
    CREATE TABLE activity (
      publisher TEXT NOT NULL,
      account TEXT NOT NULL,
      since INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      PRIMARY KEY (publisher, account)
    ) STRICT, WITHOUT ROWID;
    """
}

extension DeviceStore {
  /// Nil where it was never in use.
  func activity(of key: Activity.Key) throws(MAMError) -> Activity? {
    try read { connection throws(SQLiteError) in try connection.activity(of: key) } ?? nil
  }

  func set(_ activity: Activity, of key: Activity.Key) throws(MAMError) {
    try note { connection throws(SQLiteError) in try connection.set(activity, of: key) }
  }
}

extension Connection {
  func activity(of key: Activity.Key) throws(SQLiteError) -> Activity? {
    let sql = "SELECT since, used_at FROM activity WHERE publisher = ? AND account = ?"
    return try first(sql, key.publisher, key.account) { row throws(SQLiteError) in
      Activity(
        since: Timestamp(milliseconds: try row.value(0)), usedAt: Timestamp(milliseconds: try row.value(1)))
    }
  }

  func set(_ activity: Activity, of key: Activity.Key) throws(SQLiteError) {
    let sql = """
      INSERT INTO activity (publisher, account, since, used_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (publisher, account) DO UPDATE SET since = excluded.since, used_at = excluded.used_at
      """
    try run(sql, key.publisher, key.account, activity.since.milliseconds, activity.usedAt.milliseconds)
  }
}
