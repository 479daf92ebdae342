import SQLite

/// The tables of an app's state.db. Times are milliseconds since 1970, 0 for never.
enum StoreSchema {
  static let migrations = Migrations([
    """
    CREATE TABLE facts (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE accounts (
      position INTEGER PRIMARY KEY NOT NULL,
      account_id TEXT NOT NULL DEFAULT '',
      identity TEXT NOT NULL DEFAULT '',
      tenant_id TEXT NOT NULL DEFAULT '',
      enrolled_at INTEGER NOT NULL DEFAULT 0,
      is_mdm INTEGER NOT NULL DEFAULT 0,
      status_code INTEGER NOT NULL DEFAULT 0,
      status_text TEXT NOT NULL DEFAULT '',
      checked_in_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE documents (
      account INTEGER NOT NULL REFERENCES accounts(position) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      position INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (account, kind, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE directory (
      account_id TEXT PRIMARY KEY NOT NULL,
      identity TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE events (
      seq INTEGER PRIMARY KEY NOT NULL,
      time INTEGER NOT NULL,
      type TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    """
  ])

  /// What is kept of the events: whichever of the two is passed first.
  static let keptEvents = 10_000
  static let keptMilliseconds: Int64 = 30 * 24 * 3600 * 1000
}
