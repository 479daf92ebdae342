import Model
import Policy
import SQLite

/// A wipe that is marked but not done.
struct StoredWipe: Hashable, Sendable {
  /// Who removes the files.
  enum Answer: Int, Storable { case notAsked, core, host }

  var reason: WipeReason
  var answer = Answer.notAsked

  /// Wipes by the position of the account.
  static let table = Table("wipes", since: 7, blank: Entry(0, StoredWipe(reason: .host))) { wipe, column in
    column("account", &wipe.key, .key, references: "accounts(position) ON DELETE CASCADE")
    wipe.value.reason.visit(&column)
    column("answer", &wipe.value.answer, .hasDefault)
  }
}

extension StoreTransaction {
  /// From now on, this app can read nothing of the account, and any process may continue the wipe. If a wipe is already
  /// marked, its reason stays. While wipes are on hold, only a host begins one; any other is noted, and blocks the account.
  func beginWipe(of position: Int, _ reason: WipeReason) throws(SQLiteError) {
    if try wiping(position) == nil, let account = try accounts().account(at: position) {
      guard account.hold == nil || reason.cause == .host else { return try holdWipe(of: account, reason) }
      try noteWipe(LastWipe(accountId: account.account.accountId, begunAt: now, cause: reason.cause, text: reason.text))
      appended?.begin(account.account, reason)
    }
    try connection.insert(Entry(position, StoredWipe(reason: reason)), ifAbsentFrom: StoredWipe.table)
    try connection.run("UPDATE accounts SET due_at = 0, failures = 0 WHERE position = ?", position)
    rows.didChange(position)
  }

  private func holdWipe(of account: StoredAccount, _ reason: WipeReason) throws(SQLiteError) {
    guard account.heldWipe == nil else { return }
    var account = account
    account.heldWipe = reason
    try saveWithoutDocuments(account)
    try block(account.account, .conditionalLaunchBlocked)
  }

  func setAnswer(_ answer: StoredWipe.Answer, of position: Int) throws(SQLiteError) {
    try connection.run("UPDATE wipes SET answer = ? WHERE account = ?", answer.rawValue, position)
    rows.didChange(position)
  }

  /// The account while its wipe is not done; then `nil`.
  func wiping(_ position: Int) throws(SQLiteError) -> StoredAccount? {
    try accounts().account(at: position).flatMap { $0.wipe == nil ? nil : $0 }
  }

  /// Ends the enrollment of the account, and appends the events of what that changed.
  func endEnrollment(of account: StoredAccount) throws(SQLiteError) {
    let before = try accountState(of: account)
    try forgetSignIn(of: account.account)
    try forgetBlock(of: account.account)
    if before.isManaged {
      try append(.policyDidChange(account.account))
      try append(.managementRemoved(account.account))
    }
    if !before.appConfig.isEmpty { try append(.appConfigDidChange(account.account)) }
    if before.isEnrolled { try endAccountOverrides() }
  }
}

/// Why the data of an account is removed from an app.
package struct WipeReason: Hashable, Sendable {
  let cause: WipeCause
  /// What the cause is about: for a rule, its setting, what it found, and the policy with its file; for an administrator,
  /// the request. Names no user.
  let detail: String

  init(_ cause: WipeCause, _ detail: String = "") {
    self.cause = cause
    self.detail = detail
  }

  static let host = WipeReason(.host)

  /// `request` is when and for what the wipe was requested; empty if that is not known.
  static func administrator(_ request: String = "") -> WipeReason { WipeReason(.administrator, request) }

  /// The account stays registered, but its check-ins are refused.
  static func administratorBlock(_ request: String = "") -> WipeReason { WipeReason(.administratorBlock, request) }

  /// `origin` is the policy that sets the setting.
  static func rule(_ setting: SettingName, _ found: String, of origin: String?) -> WipeReason {
    let found = found.hasSuffix(".") ? String(found.dropLast()) : found
    return WipeReason(.policy, "\(setting.rawValue): \(found)" + (origin.map { " (\($0))" } ?? ""))
  }

  /// Whether the account stays registered after the wipe.
  var keepsRegistration: Bool { cause == .administratorBlock }

  var isOfWrongPINs: Bool {
    cause == .policy && detail.hasPrefix(SettingName.appActionIfMaximumPinRetriesExceeded.rawValue + ":")
  }

  /// Whether a launch decides about it, and not a check-in.
  var isOfLaunch: Bool {
    cause == .policy && !detail.hasPrefix(SettingName.appActionIfUnableToAuthenticateUser.rawValue + ":")
  }

  var text: String {
    let requested = detail.isEmpty ? "" : ": \(detail)"
    return switch cause {
    case .host: "the host unenrolls the account"
    case .administrator: "an administrator requested the wipe\(requested)"
    case .administratorBlock: "an administrator wipes the account and blocks the user\(requested)"
    case .policy: "the policy requires the wipe: \(detail)"
    }
  }
}

extension WipeReason {
  /// A cause of a later version counts as `host`: the data is removed in any case.
  mutating func visit(_ column: inout Columns) {
    var (name, detail) = (cause.rawValue, detail)
    column("reason", &name)
    column("detail", &detail, .hasDefault)
    self = WipeReason(WipeCause(rawValue: name) ?? .host, detail)
  }
}
