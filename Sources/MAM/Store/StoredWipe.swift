import SQLite

/// A wipe that is marked and not done.
struct StoredWipe: Hashable, Sendable {
  /// Who removes the files.
  enum Answer: Int, Storable { case notAsked, core, host }

  var reason: WipeReason
  var answer = Answer.notAsked

  /// By the position of the account.
  static let table = Table("wipes", since: 7, blank: Entry(0, StoredWipe(reason: .host))) { wipe, column in
    column("account", &wipe.key, .key, references: "accounts(position) ON DELETE CASCADE")
    wipe.value.reason.visit(&column)
    column("answer", &wipe.value.answer, .hasDefault)
  }
}

extension StoreTransaction {
  /// From now on nothing of the account can be read here, and whoever comes next goes on with it. The first reason
  /// stands.
  func beginWipe(of position: Int, _ reason: WipeReason) throws(SQLiteError) {
    try connection.insert(Entry(position, StoredWipe(reason: reason)), ifAbsentFrom: StoredWipe.table)
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
