import SQLite

/// The tables of an app's state.db that hold names and values, and how long events are kept.
enum StoreSchema {
  static let facts = Table("facts", key: "name", value: "value")
  /// User principal names by object id.
  static let directory = Table("directory", key: "account_id", value: "identity")
  /// Overrides of settings by name, as JSON texts.
  static let overrides = Table("overrides", since: 3, key: "name", value: "value")
  /// Policies for tests, as JSON texts by the name of their account; "" for every account.
  static let testPolicies = Table("test_policies", since: 8, key: "account", value: "policy")
  /// Accounts that were wiped and are not registered. Their names are not kept, even if the policy source lists them.
  static let forgottenAccounts = Table("forgotten_accounts", since: 11, blank: "") { accountId, column in
    column("account_id", &accountId, .key)
  }

  /// The limits for events that are kept; the first limit that is passed counts. A gap tells readers that events are
  /// gone. The next change removes old events, but never the newest one.
  static let keptEvents = 10_000
  static let keptMilliseconds: Int64 = 30 * 24 * 3600 * 1000
}
