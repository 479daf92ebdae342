import Model
import Policy
import SQLite
import Support

extension Activity {
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

extension ConditionalLaunches: NameKeeper {
  func forgetName(of account: Account, in services: CoreServices) throws(MAMError) {
    let identity = account.identity?.lowercasedASCII ?? ""
    _ = try services.device.write { connection throws(SQLiteError) in
      try connection.run("DELETE FROM activity WHERE account = ?", identity)
    }
  }
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
