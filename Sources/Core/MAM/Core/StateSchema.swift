import SQLite
import Vault

/// The tables of both databases; each room declares its own. Times are milliseconds since 1970, with 0 for never.
///
/// A new column names the migration that adds it, which is the last released one plus 1. Set `version` to that number
/// too.
enum StateSchema {
  /// An app's state.db.
  static let app = Migrations(
    version: 14,
    of: [
      StoreSchema.facts, StoredAccount.table, StoredDocument.table, StoreSchema.directory, StoredEvent.table,
      StoreSchema.overrides, OwnedFileEntry.table, TemporaryFileEntry.table, ProviderOwner.table, StoredChallenge.table,
      SignIns.table, StoredWipe.table, BegunOperation.table, StoreSchema.testPolicies, StoreSchema.forgottenAccounts,
      AccountBlocks.table, ScreenUse.table, StoredRegistration.table, StoredReport.table, StateTime.table,
    ],
    and: [
      // A UUID (version 4), so that the event numbers of two stores cannot be confused.
      2: """
      INSERT INTO facts (name, value)
      SELECT 'stream', substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-4' || substr(digits, 14, 3) || '-'
        || substr('89ab', (random() & 3) + 1, 1) || substr(digits, 18, 3) || '-' || substr(digits, 21)
      FROM (SELECT lower(hex(randomblob(16))) AS digits);
      """,
      14: EnrolledElsewhere.migration + StateTime.migration + AccountDirectory.migration,
    ])

  /// device.db, which all apps of a state folder share.
  static let device = Migrations(
    version: 4, of: [DeviceRecord.table, StoredActivity.table, StoredPIN.table, StoredPINHash.table],
    and: [
      // The level of the program that stored it, which is not that of this program.
      4: #"DELETE FROM device WHERE name = 'sdkVersion' AND value = '"19.2.0"'"#
    ])
}
