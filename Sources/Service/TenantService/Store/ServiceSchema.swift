import Database

/// The tables of the tenant service. Times are milliseconds since 1970. Texts compare by their bytes.
extension DatabaseSchema {
  package static let tenant = DatabaseSchema([
    Step(sqlite: tables(.sqlite) + indexes, postgreSQL: tables(.postgreSQL) + indexes),
    Step(sqlite: acceptedEdition(.sqlite), postgreSQL: acceptedEdition(.postgreSQL)),
    Step(sqlite: editions(.sqlite), postgreSQL: editions(.postgreSQL)),
    Step(sqlite: wipeHold(.sqlite), postgreSQL: wipeHold(.postgreSQL)),
  ])

  private static func tables(_ engine: DatabaseEngine) -> [String] {
    let isSQLite = engine == .sqlite
    let (text, bytes, integer) =
      isSQLite ? ("TEXT", "BLOB", "INTEGER") : (#"TEXT COLLATE "C""#, "BYTEA", "BIGINT")
    let numbered = isSQLite ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    let end = isSQLite ? " STRICT" : ""
    return [
      """
      CREATE TABLE snapshot (
        generation \(integer) NOT NULL PRIMARY KEY,
        digest \(bytes) NOT NULL,
        body \(bytes) NOT NULL,
        published \(integer) NOT NULL
      )\(end)
      """,
      """
      CREATE TABLE registration (
        id \(text) NOT NULL PRIMARY KEY,
        secret_hash \(bytes) NOT NULL,
        tenant_id \(text) NOT NULL,
        user_id \(text) NOT NULL,
        app_id \(text) NOT NULL,
        device_tag \(text) NOT NULL,
        facts \(text) NOT NULL,
        flagged \(integer) NOT NULL,
        applied \(text) NOT NULL,
        etag \(text),
        revision \(integer) NOT NULL,
        created \(integer) NOT NULL,
        last_sync \(integer) NOT NULL,
        ended \(integer),
        end_reason \(text)
      )\(end)
      """,
      """
      CREATE TABLE operation (
        id \(text) NOT NULL PRIMARY KEY,
        kind \(text) NOT NULL,
        tenant_id \(text) NOT NULL,
        user_id \(text) NOT NULL,
        app_id \(text),
        device_tag \(text),
        ordered_by \(text) NOT NULL,
        ordered \(integer) NOT NULL,
        canceled \(integer),
        entry \(text)
      )\(end)
      """,
      """
      CREATE TABLE operation_target (
        operation_id \(text) NOT NULL REFERENCES operation (id),
        registration_id \(text) NOT NULL REFERENCES registration (id),
        state \(text) NOT NULL,
        outcome \(text),
        changed \(integer) NOT NULL,
        PRIMARY KEY (operation_id, registration_id)
      )\(end)
      """,
      """
      CREATE TABLE user_turn (
        user_id \(text) NOT NULL PRIMARY KEY,
        turn \(integer) NOT NULL
      )\(end)
      """,
      """
      CREATE TABLE audit (
        seq \(numbered),
        time \(integer) NOT NULL,
        actor \(text) NOT NULL,
        action \(text) NOT NULL,
        subject \(text) NOT NULL,
        outcome \(text) NOT NULL
      )\(end)
      """,
    ]
  }

  private static func acceptedEdition(_ engine: DatabaseEngine) -> [String] {
    let isSQLite = engine == .sqlite
    let (text, bytes, integer) = isSQLite ? ("TEXT", "BLOB", "INTEGER") : (#"TEXT COLLATE "C""#, "BYTEA", "BIGINT")
    return [
      """
      CREATE TABLE accepted_edition (
        revision \(integer) NOT NULL PRIMARY KEY,
        body \(bytes) NOT NULL,
        wanted \(bytes),
        held \(text) NOT NULL,
        generation \(integer) NOT NULL
      )\(isSQLite ? " STRICT" : "")
      """
    ]
  }

  private static func editions(_ engine: DatabaseEngine) -> [String] {
    let isSQLite = engine == .sqlite
    let (text, bytes, integer) = isSQLite ? ("TEXT", "BLOB", "INTEGER") : (#"TEXT COLLATE "C""#, "BYTEA", "BIGINT")
    return [
      """
      CREATE TABLE edition (
        number \(integer) NOT NULL PRIMARY KEY,
        time \(integer) NOT NULL,
        actor \(text) NOT NULL,
        digest \(bytes) NOT NULL,
        size \(integer) NOT NULL,
        body \(bytes) NOT NULL,
        source \(bytes)
      )\(isSQLite ? " STRICT" : "")
      """
    ]
  }

  /// At most one row, with the number 1.
  private static func wipeHold(_ engine: DatabaseEngine) -> [String] {
    let isSQLite = engine == .sqlite
    let (text, integer) = isSQLite ? ("TEXT", "INTEGER") : (#"TEXT COLLATE "C""#, "BIGINT")
    return [
      """
      CREATE TABLE wipe_hold (
        number \(integer) NOT NULL PRIMARY KEY CHECK (number = 1),
        why \(text) NOT NULL,
        actor \(text) NOT NULL,
        since \(integer) NOT NULL
      )\(isSQLite ? " STRICT" : "")
      """
    ]
  }

  private static let indexes = [
    """
    CREATE UNIQUE INDEX registration_place ON registration (tenant_id, user_id, app_id, device_tag) WHERE ended IS NULL
    """,
    "CREATE INDEX registration_device ON registration (user_id, device_tag)",
    "CREATE INDEX registration_sync ON registration (last_sync) WHERE ended IS NULL",
    "CREATE INDEX operation_user ON operation (user_id)",
    "CREATE INDEX operation_target_registration ON operation_target (registration_id)",
    "CREATE INDEX operation_target_pending ON operation_target (registration_id) WHERE state = 'pending'",
    "CREATE INDEX audit_time ON audit (time)",
  ]
}
