import Model
import Policy
import SQLite
import Support

/// When the data of accounts was last in use on this device.
struct Activities: Sendable {
  let live: LiveState

  /// `nil` if the data was never in use in an app of the publisher.
  func last(of account: Account) throws(MAMError) -> Activity? {
    guard let key = Activity.Key(account, of: live.configuration.stateFolder) else { return nil }
    return try live.refresh().device.activity(of: key)
  }

  func note(_ activity: Activity, of account: Account) throws(MAMError) {
    guard let key = Activity.Key(account, of: live.configuration.stateFolder) else { return }
    try live.refresh().device.set(activity, of: key)
  }
}

/// A record in `device.db` of when the data of an account was last in use in the apps of a publisher.
struct StoredActivity: Sendable {
  var key: Activity.Key
  var activity: Activity

  static let table = Table(
    "activity", since: 2,
    blank: StoredActivity(
      key: Activity.Key(publisher: "", account: ""), activity: Activity(since: .never, usedAt: .never))
  ) { stored, column in
    column("publisher", &stored.key.publisher, .key)
    column("account", &stored.key.account, .key)
    column("since", &stored.activity.since)
    column("used_at", &stored.activity.usedAt)
  }
}

extension Activity {
  /// The publisher and the account that the activity belongs to.
  struct Key: Sendable {
    var publisher: String
    var account: String
  }
}

extension Activity.Key {
  /// `nil` if the account has neither an id nor a name.
  init?(_ account: Account, of folder: StateFolder) {
    guard let name = account.accountId ?? account.identity else { return nil }
    self.init(publisher: folder.publisher, account: name.lowercasedASCII)
  }
}

extension Activities: NameKeeper {
  func forgetName(of account: Account, in services: CoreServices) throws(MAMError) {
    let identity = account.identity?.lowercasedASCII ?? ""
    _ = try services.device.write { connection throws(SQLiteError) in
      try connection.run("DELETE FROM activity WHERE account = ?", identity)
    }
  }
}

extension DeviceStore {
  fileprivate func activity(of key: Activity.Key) throws(MAMError) -> Activity? {
    try read { connection throws(SQLiteError) in
      try connection.first(StoredActivity.table, "WHERE publisher = ? AND account = ?", key.publisher, key.account)
    }??.activity
  }

  fileprivate func set(_ activity: Activity, of key: Activity.Key) throws(MAMError) {
    try note { connection throws(SQLiteError) in
      try connection.save(StoredActivity(key: key, activity: activity), to: StoredActivity.table)
    }
  }
}
