import Model
import SQLite
import Support

/// The registration of an account with a policy source outside of this process.
///
/// It is made before the source is first asked about the account, and ends with the enrollment. Its secret lets the
/// source wipe an account that can no longer sign in, so it is needed even when there is no token.
struct StoredRegistration: Equatable, Sendable {
  /// A UUID.
  var id: String
  var account: Account
  /// The secret, sealed under the store key.
  var sealed: [UInt8]

  static let table = Table(
    "registrations", since: 13,
    blank: StoredRegistration(id: "", account: Account(accountId: nil, identity: nil), sealed: [])
  ) { registration, column in
    column("id", &registration.id, .key)
    registration.account.visit(&column)
    column("secret", &registration.sealed)
  }
}

/// What a policy source must still be told about a registration. It outlives the registration, so it has the secret,
/// too.
struct StoredReport: Equatable, Sendable {
  /// What the source is told; `running` is not told.
  enum Outcome: String, Storable { case running, done, left }

  var registration: String
  /// The operation that was carried out; "" if the account has left.
  var operation: String
  var sealed: [UInt8]
  var outcome = Outcome.running
  var time = Timestamp.never
  /// When the source is told, or told again.
  var dueAt = Timestamp.never
  var failures = 0

  static let table = Table(
    "source_reports", since: 13, blank: StoredReport(registration: "", operation: "", sealed: [])
  ) { report, column in
    column("registration", &report.registration, .key)
    column("operation", &report.operation, .key)
    column("secret", &report.sealed)
    column("outcome", &report.outcome)
    column("time", &report.time)
    column("due_at", &report.dueAt)
    column("failures", &report.failures, .hasDefault)
  }
}

/// Registrations, found by the names of their accounts.
struct RegisteredAccounts: Sendable {
  private var ofIds: [String: StoredRegistration] = [:]
  /// The names of accounts with an id, and of those without one.
  private var ofNames: [String: StoredRegistration] = [:]
  private var ofMereNames: [String: StoredRegistration] = [:]

  init(_ all: [StoredRegistration] = []) {
    for registration in all {
      let (accountId, name) = (registration.account.accountId, registration.account.identity?.lowercasedASCII)
      if let accountId { ofIds.keepFirst(registration, of: accountId.lowercasedASCII) }
      guard let name else { continue }
      if accountId == nil {
        ofMereNames.keepFirst(registration, of: name)
      } else {
        ofNames.keepFirst(registration, of: name)
      }
    }
  }

  /// The registration of an account under any of its names. As with `Account.sharesName`, the object ids decide if both
  /// are known.
  func registration(of account: Account) -> StoredRegistration? {
    let name = account.identity?.lowercasedASCII
    let named = account.accountId.map { ofIds[$0.lowercasedASCII] } ?? name.flatMap { ofNames[$0] }
    return named ?? name.flatMap { ofMereNames[$0] }
  }
}

extension [String: StoredRegistration] {
  fileprivate mutating func keepFirst(_ registration: StoredRegistration, of name: String) {
    if self[name] == nil { self[name] = registration }
  }
}

extension Connection {
  /// The registration of an account under any of its names.
  func registration(of account: Account) throws(SQLiteError) -> StoredRegistration? {
    try registrations().registration(of: account)
  }

  func registrations() throws(SQLiteError) -> RegisteredAccounts {
    RegisteredAccounts(try all(StoredRegistration.table, "ORDER BY id"))
  }

  /// When the policy source must next be told something; `nil` if there is nothing to tell.
  var nextReport: Timestamp? {
    get throws(SQLiteError) {
      let running = StoredReport.Outcome.running.rawValue
      let sql = "SELECT due_at FROM source_reports WHERE outcome != '\(running)' ORDER BY due_at LIMIT 1"
      return try value(sql).map { Timestamp(milliseconds: $0) }
    }
  }
}

extension StoreTransaction {
  /// Keeps the names of the registration up to date with those of its account.
  func nameRegistration(of account: Account) throws(SQLiteError) {
    guard var registration = try connection.registration(of: account), registration.account != account else { return }
    registration.account = account
    try connection.save(registration, to: StoredRegistration.table)
  }

  /// Notes that an operation of the source has begun.
  func beginReport(on operation: String, of account: Account) throws(SQLiteError) {
    guard let registration = try connection.registration(of: account) else { return }
    let report = StoredReport(registration: registration.id, operation: operation, sealed: registration.sealed)
    try connection.insert(report, ifAbsentFrom: StoredReport.table)
  }

  /// Notes that the operations that have begun for the account are done.
  func finishReports(of account: Account) throws(SQLiteError) {
    guard let registration = try connection.registration(of: account) else { return }
    try finishReports(on: registration)
  }

  private func finishReports(on registration: StoredRegistration) throws(SQLiteError) {
    try connection.run(
      "UPDATE source_reports SET outcome = ?, time = ?, due_at = ? WHERE registration = ? AND outcome = ?",
      StoredReport.Outcome.done.rawValue, now.milliseconds, now.milliseconds, registration.id,
      StoredReport.Outcome.running.rawValue)
  }

  /// Ends the registration of an account that is no longer enrolled. The source is told later.
  func endRegistration(of account: Account) throws(SQLiteError) {
    guard let registration = try connection.registration(of: account) else { return }
    try finishReports(on: registration)
    let report = StoredReport(
      registration: registration.id, operation: "", sealed: registration.sealed, outcome: .left, time: now, dueAt: now)
    try connection.insert(report, ifAbsentFrom: StoredReport.table)
    try connection.run("DELETE FROM registrations WHERE id = ?", registration.id)
  }
}
