import Policy
import SQLite
import Vault

/// The tables of an app's state.db. Times are milliseconds since 1970, 0 for never.
///
/// A new column names the migration that adds it, the last released one plus 1. Set `version` to that number too.
enum StoreSchema {
  static let migrations = Migrations(
    version: 11,
    of: [
      facts, StoredAccount.table, StoredDocument.table, directory, StoredEvent.table, overrides,
      OwnedFileEntry.table, TemporaryFileEntry.table, ProviderOwner.table, StoredChallenge.table, SignIns.table,
      StoredWipe.table, BegunOperation.table, testPolicies, forgottenAccounts,
    ],
    and: [
      // A UUID (version 4), so that numbers of events of two stores cannot be confused.
      2: """
      INSERT INTO facts (name, value)
      SELECT 'stream', substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-4' || substr(digits, 14, 3) || '-'
        || substr('89ab', (random() & 3) + 1, 1) || substr(digits, 18, 3) || '-' || substr(digits, 21)
      FROM (SELECT lower(hex(randomblob(16))) AS digits);
      """
    ])

  static let facts = Table("facts", key: "name", value: "value")
  /// User principal names by object id.
  static let directory = Table("directory", key: "account_id", value: "identity")
  /// Overrides of settings by name, as JSON texts.
  static let overrides = Table("overrides", since: 3, key: "name", value: "value")
  /// Policies for tests, as JSON texts by the name of their account; "" for every account.
  static let testPolicies = Table("test_policies", since: 8, key: "account", value: "policy")
  /// Accounts that were wiped and are not registered: their names are not kept, whoever else lists them.
  static let forgottenAccounts = Table("forgotten_accounts", since: 11, blank: "") { accountId, column in
    column("account_id", &accountId, .key)
  }

  /// What is kept of the events: whichever of the two is passed first. Readers learn by a gap what they came too late
  /// for. Old ones go with the next change, the newest one never.
  static let keptEvents = 10_000
  static let keptMilliseconds: Int64 = 30 * 24 * 3600 * 1000
}
