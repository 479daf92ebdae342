import SQLite

/// A wipe that is marked and not done.
struct StoredWipe: Hashable, Sendable {
  /// Who removes the files.
  enum Answer: Int, Sendable { case notAsked, core, host }

  var reason: WipeReason
  var answer = Answer.notAsked
}

extension Connection {
  /// By the position of the account.
  func wipes() throws(SQLiteError) -> [Int: StoredWipe] {
    var wipes: [Int: StoredWipe] = [:]
    try forEachRow("SELECT account, reason, detail, answer FROM wipes") { row throws(SQLiteError) in
      let reason = WipeReason(stored: try row.value(1), detail: try row.value(2))
      wipes[try row.value(0)] = StoredWipe(reason: reason, answer: .init(rawValue: try row.value(3)) ?? .notAsked)
    }
    return wipes
  }
}

extension StoreTransaction {
  /// From now on nothing of the account can be read here, and whoever comes next goes on with it. The first reason
  /// stands.
  func beginWipe(of position: Int, _ reason: WipeReason) throws(SQLiteError) {
    let (name, detail) = reason.stored
    try connection.run(
      "INSERT OR IGNORE INTO wipes (account, reason, detail) VALUES (?, ?, ?)", position, name, detail)
    try connection.run("UPDATE accounts SET due_at = 0, failures = 0 WHERE position = ?", position)
  }

  func setAnswer(_ answer: StoredWipe.Answer, of position: Int) throws(SQLiteError) {
    try connection.run("UPDATE wipes SET answer = ? WHERE account = ?", answer.rawValue, position)
  }

  /// The account whose wipe is not done; nil when it is.
  func wiping(_ position: Int) throws(SQLiteError) -> StoredAccount? {
    try accounts().first { $0.position == position && $0.wipe != nil }
  }

  /// Ends what the account has, and tells what changed by it.
  func endEnrollment(of account: StoredAccount) throws(SQLiteError) {
    let before = try accountState(of: account)
    try forgetSignIn(of: account.account)
    if before.isManaged { try append(.policyDidChange(account.account)) }
    if !before.appConfig.isEmpty { try append(.appConfigDidChange(account.account)) }
    if before.isEnrolled { try endAccountOverrides() }
  }
}
