import Model
import Policy
import SQLite
import Support

/// All that the store holds, at one moment.
struct StoredState: Sendable {
  let accounts: [StoredAccount]
  /// User principal names by object id, as far as they are known.
  let directory: [String: String]
  /// The latest moment that was ever seen: time does not run back behind it.
  let latestTime: Timestamp?
  /// Nil when the administrator set none.
  let allowedAccounts: [Account]?
  /// The number of the newest event; 0 when there was none yet.
  let newestEvent: Int64
  /// Overrides of settings by name, as JSON text.
  let overrides: [String: String]
  let signIns: SignIns
  /// JSON texts by the name of the account; "" for every account.
  let testPolicies: [String: String]

  init(from connection: Connection) throws(SQLiteError) {
    accounts = try connection.accounts()
    directory = try connection.directory()
    latestTime = try connection.latestTime
    allowedAccounts = try connection.allowedAccounts
    newestEvent = try connection.newestEvent
    overrides = try connection.texts("SELECT name, value FROM overrides")
    signIns = try connection.signIns()
    testPolicies = try connection.testPolicies()
  }
}

extension Connection {
  func accounts() throws(SQLiteError) -> [StoredAccount] {
    let sql = """
      SELECT position, account_id, identity, tenant_id, enrolled_at, is_mdm, status_code, status_text, checked_in_at,
        contacted_at, due_at, failures, platform, device_revision, clock_status, clock_updated, clock_told,
        sign_in_refused, sign_in_due_at
      FROM accounts ORDER BY position
      """
    let wipes = try wipes()
    return try query(sql) { row throws(SQLiteError) in
      var account = try StoredAccount(row)
      account.wipe = wipes[account.position]
      account.documents = try documents(of: account.position)
      return account
    }
  }

  func directory() throws(SQLiteError) -> [String: String] {
    try texts("SELECT account_id, identity FROM directory")
  }

  /// The second column by the first.
  func texts(_ sql: String) throws(SQLiteError) -> [String: String] {
    var texts: [String: String] = [:]
    try forEachRow(sql) { row throws(SQLiteError) in
      texts[try row.value(0)] = try row.value(1, as: String.self)
    }
    return texts
  }

  var latestTime: Timestamp? {
    get throws(SQLiteError) { try fact("time").flatMap { Int64($0) }.map(Timestamp.init(milliseconds:)) }
  }

  func fact(_ name: String) throws(SQLiteError) -> String? {
    try first("SELECT value FROM facts WHERE name = ?", name) { row throws(SQLiteError) in try row.value(0) }
  }

  private func documents(of position: Int) throws(SQLiteError) -> [StoredAccount.DocumentKind: [String]] {
    let sql = "SELECT kind, body FROM documents WHERE account = ? ORDER BY kind, position"
    var documents: [StoredAccount.DocumentKind: [String]] = [:]
    try forEachRow(sql, position) { row throws(SQLiteError) in
      guard let kind = StoredAccount.DocumentKind(rawValue: try row.value(0)) else { return }
      documents[kind, default: []].append(try row.value(1))
    }
    return documents
  }
}

extension StoredAccount {
  fileprivate init(_ row: Row) throws(SQLiteError) {
    let account = Account(accountId: try row.text(1), identity: try row.text(2))
    self.init(
      position: try row.value(0), account: account, tenantId: try row.text(3), enrolledAt: try row.time(4),
      isMDM: try row.value(5), checkedInAt: try row.time(8), contactedAt: try row.time(9), dueAt: try row.time(10),
      failures: try row.value(11), platform: DevicePlatform(rawValue: try row.value(12)) ?? .ios,
      deviceRevision: try row.value(13), toldClock: ClockStatus(rawValue: try row.value(16)),
      isSignInRefused: try row.value(17), signInDueAt: try row.time(18))
    clock = ClockStatus(rawValue: try row.value(14)).map { ClockEntry(status: $0) }
    clock?.updated = try row.time(15)
    status = EnrollmentStatusCode(sdkValue: try row.value(6)).map { code in
      EnrollmentStatus(accountId: account.accountId, identity: account.identity, statusCode: code)
    }
    status?.errorString = try row.text(7)
  }
}

extension Row {
  /// Nil for the empty text, which stands for what is not known.
  func text(_ column: Int) throws(SQLiteError) -> String? {
    let text: String = try value(column)
    return text.isEmpty ? nil : text
  }

  /// Nil for 0, which stands for never.
  fileprivate func time(_ column: Int) throws(SQLiteError) -> Timestamp? {
    let milliseconds: Int64 = try value(column)
    return milliseconds == 0 ? nil : Timestamp(milliseconds: milliseconds)
  }
}
