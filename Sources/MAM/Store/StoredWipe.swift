import Model
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
  /// marked, its reason stays.
  func beginWipe(of position: Int, _ reason: WipeReason) throws(SQLiteError) {
    try connection.insert(Entry(position, StoredWipe(reason: reason)), ifAbsentFrom: StoredWipe.table)
    try connection.run("UPDATE accounts SET due_at = 0, failures = 0 WHERE position = ?", position)
  }

  func setAnswer(_ answer: StoredWipe.Answer, of position: Int) throws(SQLiteError) {
    try connection.run("UPDATE wipes SET answer = ? WHERE account = ?", answer.rawValue, position)
  }

  /// The account while its wipe is not done; then `nil`.
  func wiping(_ position: Int) throws(SQLiteError) -> StoredAccount? {
    try accounts().first { $0.position == position && $0.wipe != nil }
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
package enum WipeReason: Hashable, Sendable {
  /// The host unenrolls the account.
  case host
  /// An administrator requested a single wipe.
  case administrator
  /// An administrator blocks the account in the app: it stays registered, but its check-ins are refused.
  case administratorBlock
  /// A rule of the account's policy, such as a minimum version: its name and what it found.
  case conditionalLaunch(String)

  static let tooManyWrongPINs = conditionalLaunch(PINMessage.retriesWipe.english)

  static let offlineSignInCanceled = conditionalLaunch(
    "periodOfflineBeforeWipeIsEnforced: The app was offline for too long, and the user did not sign in.")

  /// Whether the account stays registered after the wipe.
  var keepsRegistration: Bool { self == .administratorBlock }

  var text: String {
    switch self {
    case .host: "the host unenrolls the account"
    case .administrator: "an administrator requested the wipe"
    case .administratorBlock: "an administrator wipes the account and blocks the user"
    case .conditionalLaunch(let rule): "the policy requires the wipe: \(rule)"
    }
  }
}

extension WipeReason {
  mutating func visit(_ column: inout Columns) {
    var (name, detail) = stored
    column("reason", &name)
    column("detail", &detail, .hasDefault)
    self = WipeReason(stored: name, detail: detail)
  }

  private var stored: (name: String, detail: String) {
    switch self {
    case .host: ("host", "")
    case .administrator: ("administrator", "")
    case .administratorBlock: ("administratorBlock", "")
    case .conditionalLaunch(let rule): ("conditionalLaunch", rule)
    }
  }

  /// A name of a later version counts as `host`: the data is removed in any case.
  private init(stored name: String, detail: String) {
    switch name {
    case "administrator": self = .administrator
    case "administratorBlock": self = .administratorBlock
    case "conditionalLaunch": self = .conditionalLaunch(detail)
    default: self = .host
    }
  }
}
