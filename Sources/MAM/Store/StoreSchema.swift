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
    """,

    // A UUID (version 4), so that numbers of events of two stores cannot be confused.
    """
    INSERT INTO facts (name, value)
    SELECT 'stream', substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-4' || substr(digits, 14, 3) || '-'
      || substr('89ab', (random() & 3) + 1, 1) || substr(digits, 18, 3) || '-' || substr(digits, 21)
    FROM (SELECT lower(hex(randomblob(16))) AS digits);
    """,

    """
    CREATE TABLE overrides (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    // Files with an owner, as last met; where `is_marked`, the file itself says whose it is. Temporary files that may
    // have to be removed. Owners of what file providers name, as in a header.
    """
    CREATE TABLE owned_files (
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      born INTEGER NOT NULL DEFAULT 0,
      path TEXT NOT NULL,
      owner BLOB NOT NULL,
      is_marked INTEGER NOT NULL,
      PRIMARY KEY (device, inode)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE temporary_files (
      id INTEGER PRIMARY KEY NOT NULL,
      folder TEXT NOT NULL,
      target TEXT NOT NULL
    ) STRICT;

    CREATE TABLE provider_owners (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      owner BLOB NOT NULL,
      PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID;
    """,

    // due_at 0 is at once: what was stored before there were due times checks in when it is opened.
    """
    ALTER TABLE accounts ADD COLUMN contacted_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN platform TEXT NOT NULL DEFAULT 'ios';
    ALTER TABLE accounts ADD COLUMN device_revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN clock_status TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN clock_updated INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN clock_told TEXT NOT NULL DEFAULT '';
    """,

    // Questions to users, without outcome while they are open; no answer is kept. When users last proved who they are,
    // under each name of theirs in lower case.
    """
    CREATE TABLE challenges (
      position INTEGER PRIMARY KEY NOT NULL,
      id TEXT UNIQUE NOT NULL,
      kind TEXT NOT NULL,
      account_id TEXT NOT NULL DEFAULT '',
      identity TEXT NOT NULL DEFAULT '',
      window TEXT NOT NULL DEFAULT '',
      title TEXT NOT NULL,
      message TEXT NOT NULL,
      expires INTEGER NOT NULL DEFAULT 0,
      outcome TEXT NOT NULL DEFAULT '',
      signed_in TEXT NOT NULL DEFAULT ''
    ) STRICT;

    CREATE TABLE sign_ins (
      name TEXT PRIMARY KEY NOT NULL,
      time INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    // Wipes that are not done; answer is what the host said: 0 nothing yet, 1 the core is to remove the files, 2 it has
    // removed them itself. The wipes of administrators that were begun, so that none is begun twice.
    """
    CREATE TABLE wipes (
      account INTEGER PRIMARY KEY NOT NULL REFERENCES accounts(position) ON DELETE CASCADE,
      reason TEXT NOT NULL,
      detail TEXT NOT NULL DEFAULT '',
      answer INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE begun_operations (
      user TEXT NOT NULL,
      app TEXT NOT NULL,
      requested TEXT NOT NULL,
      PRIMARY KEY (user, app, requested)
    ) STRICT, WITHOUT ROWID;
    """,

    // Policies for tests by the name of their account; '' for every account.
    """
    CREATE TABLE test_policies (
      account TEXT PRIMARY KEY NOT NULL,
      policy TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    // Whether the policy source's last answer refused the user, and since when a sign-in is needed because the app had
    // been away for too long.
    """
    ALTER TABLE accounts ADD COLUMN sign_in_refused INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN sign_in_due_at INTEGER NOT NULL DEFAULT 0;
    """,

    // Whether the file is encrypted, so that one without its header is known to have lost it. 0 for files that were not
    // met since.
    """
    ALTER TABLE owned_files ADD COLUMN is_encrypted INTEGER NOT NULL DEFAULT 0;
    """,

    // Accounts that were wiped and are not registered: their names are not kept, whoever else lists them.
    """
    CREATE TABLE forgotten_accounts (
      account_id TEXT PRIMARY KEY NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
  ])

  /// What is kept of the events: whichever of the two is passed first. Readers learn by a gap what they came too late
  /// for. Old ones go with the next change, the newest one never.
  static let keptEvents = 10_000
  static let keptMilliseconds: Int64 = 30 * 24 * 3600 * 1000
}
