/// The migrations as they were released. They are never edited; those of a new release are added.
enum ReleasedSchema {
  static let state = [
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

    """
    CREATE TABLE test_policies (
      account TEXT PRIMARY KEY NOT NULL,
      policy TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    """
    ALTER TABLE accounts ADD COLUMN sign_in_refused INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN sign_in_due_at INTEGER NOT NULL DEFAULT 0;
    """,

    """
    ALTER TABLE owned_files ADD COLUMN is_encrypted INTEGER NOT NULL DEFAULT 0;
    """,

    """
    CREATE TABLE forgotten_accounts (
      account_id TEXT PRIMARY KEY NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    """
    CREATE TABLE blocked_accounts (
      name TEXT PRIMARY KEY NOT NULL,
      reason TEXT NOT NULL DEFAULT 'notBlocked'
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE screen_uses (
      position INTEGER PRIMARY KEY NOT NULL,
      window TEXT NOT NULL,
      account_id TEXT NOT NULL DEFAULT '',
      identity TEXT NOT NULL DEFAULT '',
      challenge TEXT NOT NULL,
      owner TEXT NOT NULL,
      expires INTEGER NOT NULL
    ) STRICT;

    ALTER TABLE challenges ADD COLUMN companions TEXT NOT NULL DEFAULT '';
    """,

    """
    ALTER TABLE accounts ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN etag TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN etag_version TEXT NOT NULL DEFAULT '';

    CREATE TABLE registrations (
      id TEXT PRIMARY KEY NOT NULL,
      account_id TEXT NOT NULL DEFAULT '',
      identity TEXT NOT NULL DEFAULT '',
      secret BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE source_reports (
      registration TEXT NOT NULL,
      operation TEXT NOT NULL,
      secret BLOB NOT NULL,
      outcome TEXT NOT NULL,
      time INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (registration, operation)
    ) STRICT, WITHOUT ROWID;
    """,

    """
    ALTER TABLE accounts ADD COLUMN former_identity TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN counted_contact_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN sign_in_owed_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN is_blocked INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN hold_why TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN hold_since INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN held_wipe TEXT NOT NULL DEFAULT '';
    ALTER TABLE accounts ADD COLUMN held_wipe_detail TEXT NOT NULL DEFAULT '';

    ALTER TABLE events ADD COLUMN cause TEXT NOT NULL DEFAULT '';

    ALTER TABLE challenges ADD COLUMN verification_uri TEXT NOT NULL DEFAULT '';
    ALTER TABLE challenges ADD COLUMN user_code TEXT NOT NULL DEFAULT '';
    ALTER TABLE challenges ADD COLUMN source_text TEXT NOT NULL DEFAULT '';

    CREATE TABLE clock (
      id INTEGER PRIMARY KEY NOT NULL,
      now INTEGER NOT NULL,
      counted INTEGER NOT NULL,
      clock INTEGER NOT NULL,
      boot TEXT NOT NULL,
      uptime INTEGER NOT NULL,
      jumped_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    INSERT INTO facts (name, value)
    SELECT 'enrolledElsewhere', 'true' WHERE EXISTS (SELECT 1 FROM accounts WHERE enrolled_at <> 0);

    INSERT INTO clock (id, now, counted, clock, boot, uptime, jumped_at)
    SELECT 1, CAST(value AS INTEGER), CAST(value AS INTEGER), CAST(value AS INTEGER), '', 0, 0
    FROM facts WHERE name = 'time';
    DELETE FROM facts WHERE name = 'time';

    DELETE FROM directory
    WHERE account_id NOT IN (
        SELECT lower(account_id) FROM accounts UNION SELECT lower(identity) FROM accounts
        UNION SELECT account FROM test_policies)
      AND lower(identity) NOT IN (SELECT lower(identity) FROM accounts UNION SELECT account FROM test_policies)
      AND NOT EXISTS (
        SELECT 1 FROM facts WHERE name IN ('allowedAccounts', 'mdmEnrolledAccount')
          AND instr(lower(value), directory.account_id) > 0);
    """,
  ]

  static let device = [
    """
    CREATE TABLE device (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,

    """
    CREATE TABLE activity (
      publisher TEXT NOT NULL,
      account TEXT NOT NULL,
      since INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      PRIMARY KEY (publisher, account)
    ) STRICT, WITHOUT ROWID;
    """,

    """
    CREATE TABLE pins (
      id INTEGER PRIMARY KEY NOT NULL,
      publisher TEXT NOT NULL,
      account_id TEXT NOT NULL DEFAULT '',
      identity TEXT NOT NULL DEFAULT '',
      salt BLOB NOT NULL,
      cost INTEGER NOT NULL,
      block_size INTEGER NOT NULL,
      parallelism INTEGER NOT NULL,
      is_set INTEGER NOT NULL DEFAULT 0,
      tries INTEGER NOT NULL DEFAULT 0,
      tried_at INTEGER NOT NULL DEFAULT 0,
      set_at INTEGER NOT NULL DEFAULT 0,
      typed_at INTEGER NOT NULL DEFAULT 0,
      active_at INTEGER NOT NULL DEFAULT 0,
      unfit_form TEXT NOT NULL DEFAULT '',
      wiped_apps TEXT NOT NULL DEFAULT ''
    ) STRICT;

    CREATE TABLE pin_hashes (
      position INTEGER PRIMARY KEY NOT NULL,
      pin INTEGER NOT NULL REFERENCES pins(id) ON DELETE CASCADE,
      sealed BLOB NOT NULL
    ) STRICT;
    """,

    """
    DELETE FROM device WHERE name = 'sdkVersion' AND value = '"19.2.0"';
    """,
  ]
}
