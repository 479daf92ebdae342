import Model
import Policy
import SQLite
import Support

/// One change of the store, with the events that it causes.
struct StoreTransaction {
  let connection: Connection
  /// The time of the change and of its events.
  var now: Timestamp
  /// Whoever wants to know which events it causes.
  var appended: AppendedEvents?
  /// What may hide the policies that are stored.
  var testing = PolicyTesting()
  var deliveries = CompiledDeliveries()

  func accounts() throws(SQLiteError) -> [StoredAccount] { try connection.accounts() }

  /// Adds an account behind the others, or changes the one at its position; its documents are replaced. The position.
  @discardableResult
  func save(_ account: StoredAccount) throws(SQLiteError) -> Int {
    let position = try saveWithoutDocuments(account)
    try save(account.documents, at: position)
    return position
  }

  /// The same where the documents are what is stored already. The position.
  @discardableResult
  func saveWithoutDocuments(_ account: StoredAccount) throws(SQLiteError) -> Int {
    let position = account.position > 0 ? account.position : try nextPosition()
    let sql = """
      INSERT INTO accounts
        (position, account_id, identity, tenant_id, enrolled_at, is_mdm, status_code, status_text, checked_in_at,
         contacted_at, due_at, failures, platform, device_revision, clock_status, clock_updated, clock_told,
         sign_in_refused, sign_in_due_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (position) DO UPDATE SET account_id = excluded.account_id, identity = excluded.identity,
        tenant_id = excluded.tenant_id, enrolled_at = excluded.enrolled_at, is_mdm = excluded.is_mdm,
        status_code = excluded.status_code, status_text = excluded.status_text, checked_in_at = excluded.checked_in_at,
        contacted_at = excluded.contacted_at, due_at = excluded.due_at, failures = excluded.failures,
        platform = excluded.platform, device_revision = excluded.device_revision, clock_status = excluded.clock_status,
        clock_updated = excluded.clock_updated, clock_told = excluded.clock_told,
        sign_in_refused = excluded.sign_in_refused, sign_in_due_at = excluded.sign_in_due_at
      """
    try connection.run(
      sql, position, account.account.accountId ?? "", account.account.identity ?? "",
      account.tenantId ?? "", account.enrolledAt?.milliseconds ?? 0, account.isMDM,
      account.status?.statusCode.sdkValue ?? 0, account.status?.errorString ?? "",
      account.checkedInAt?.milliseconds ?? 0, account.contactedAt?.milliseconds ?? 0,
      account.dueAt?.milliseconds ?? 0, account.failures, account.platform.rawValue, account.deviceRevision,
      account.clock?.status.rawValue ?? "", account.clock?.updated?.milliseconds ?? 0,
      account.toldClock?.rawValue ?? "", account.isSignInRefused, account.signInDueAt?.milliseconds ?? 0)
    return position
  }

  func remove(_ account: StoredAccount) throws(SQLiteError) {
    try connection.run("DELETE FROM accounts WHERE position = ?", account.position)
  }

  func directory() throws(SQLiteError) -> AccountDirectory { AccountDirectory(try connection.directory()) }

  /// Remembers which names belong to which object ids, but for wiped accounts. An id whose name now belongs to another is
  /// forgotten.
  func learn(_ news: AccountDirectory) throws(SQLiteError) -> AccountDirectory {
    let known = try directory()
    let forgotten = try forgottenAccounts(besides: news)
    let sql = """
      INSERT INTO directory (account_id, identity) VALUES (?, ?)
      ON CONFLICT (account_id) DO UPDATE SET identity = excluded.identity
      """
    for (accountId, identity) in news.identities
    where known.identities[accountId] != identity && !forgotten.contains(accountId) {
      if let former = known.accountId(of: AccountReference(identity)), news.identities[former] == nil {
        try connection.run("DELETE FROM directory WHERE account_id = ?", former)
      }
      try connection.run(sql, accountId, identity)
    }
    return try directory()
  }

  /// Numbers follow each other without gaps in each store.
  func append(_ event: CoreEvent) throws(SQLiteError) {
    let sql = "INSERT INTO events (seq, time, type, body) SELECT coalesce(max(seq), 0) + 1, ?, ?, ? FROM events"
    try connection.run(sql, now.milliseconds, event.type, event.body)
    appended?.append(event)
  }

  func finish() throws(SQLiteError) {
    let sql = """
      INSERT INTO facts (name, value) VALUES ('time', ?)
      ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))
      """
    try connection.run(sql, String(now.milliseconds))
    try dropOldEvents()
  }

  private func save(_ documents: [StoredAccount.DocumentKind: [String]], at position: Int) throws(SQLiteError) {
    try connection.run("DELETE FROM documents WHERE account = ?", position)
    for (kind, bodies) in documents {
      for (index, body) in bodies.enumerated() {
        try connection.run(
          "INSERT INTO documents (account, kind, position, body) VALUES (?, ?, ?, ?)", position, kind.rawValue,
          index, body)
      }
    }
  }

  private func nextPosition() throws(SQLiteError) -> Int {
    try connection.first("SELECT coalesce(max(position), 0) + 1 FROM accounts") { row throws(SQLiteError) in
      try row.value(0)
    } ?? 1
  }

  /// The newest one stays in any case: the next number comes from it.
  private func dropOldEvents() throws(SQLiteError) {
    let sql = """
      DELETE FROM events WHERE seq < (SELECT max(seq) FROM events)
        AND (seq <= (SELECT max(seq) FROM events) - ? OR time < ?)
      """
    try connection.run(sql, StoreSchema.keptEvents, now.milliseconds - StoreSchema.keptMilliseconds)
  }
}

/// What a change of the store needs to know of test policies beside those that it holds itself.
struct PolicyTesting: Sendable {
  /// The one that the core is started with.
  var configured: TestSettings?
  /// The device's.
  var platform = DevicePlatform.ios
}
