import Model
import SQLite
import Support

/// A challenge as the store holds it.
struct StoredChallenge: Sendable {
  enum Outcome: String, Sendable { case accepted, canceled }

  /// In the language of who reads it.
  let challenge: Challenge
  let message: UserText
  /// Nil while it is open.
  let outcome: Outcome?
  /// Who signed in by the answer; nil where nobody did.
  let signedIn: AccountReference?
}

extension Connection {
  /// Those that have not expired, in the order of their making, answered ones too.
  func challenges(at now: Timestamp, in language: Language) throws(SQLiteError) -> [StoredChallenge] {
    let sql = """
      SELECT id, kind, account_id, identity, window, title, message, expires, outcome, signed_in FROM challenges
      WHERE expires > ? ORDER BY position
      """
    let rows = try query(sql, now.milliseconds) { row throws(SQLiteError) in try StoredChallenge(row, in: language) }
    return rows.compactMap { $0 }
  }

  func add(_ challenge: Challenge, telling notice: UserNotice) throws(SQLiteError) {
    let sql = """
      INSERT INTO challenges (id, kind, account_id, identity, window, title, message, expires)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
    try run(
      sql, challenge.id, challenge.kind.rawValue, challenge.accountId ?? "", challenge.identity ?? "",
      challenge.window ?? "", notice.title.key, notice.message.stored, challenge.expires?.milliseconds ?? Int64.max)
  }

  func remove(_ challenge: Challenge) throws(SQLiteError) {
    try run("DELETE FROM challenges WHERE id = ?", challenge.id)
  }

  func removeExpiredChallenges(at now: Timestamp) throws(SQLiteError) {
    try run("DELETE FROM challenges WHERE expires <= ?", now.milliseconds)
  }
}

extension StoreTransaction {
  /// Its outcome stays until `expires`, for the call that it was made for. False where it is not open any more.
  func close(
    _ challenge: Challenge, _ outcome: StoredChallenge.Outcome, signedIn: Account?, expires: Timestamp
  ) throws(SQLiteError) -> Bool {
    let sql = """
      UPDATE challenges SET outcome = ?, signed_in = ?, expires = ? WHERE id = ? AND outcome = '' AND expires > ?
      """
    let closed = try connection.run(
      sql, outcome.rawValue, signedIn?.reference?.text ?? "", expires.milliseconds, challenge.id, now.milliseconds)
    if closed > 0 { try connection.removeExpiredChallenges(at: now) }
    return closed > 0
  }
}

extension StoredChallenge {
  /// Nil for a kind or a message that this version does not know.
  fileprivate init?(_ row: Row, in language: Language) throws(SQLiteError) {
    guard let kind = Challenge.Kind(rawValue: try row.value(1)),
      let title = UserMessage(key: try row.value(5)), let message = UserText(stored: try row.value(6))
    else { return nil }
    self.message = message
    let expires: Int64 = try row.value(7)
    challenge = Challenge(
      id: try row.value(0), kind: kind, accountId: try row.text(2), identity: try row.text(3),
      window: try row.text(4), title: title.text(in: language), message: message.text(in: language),
      expires: expires == Int64.max ? nil : Timestamp(milliseconds: expires))
    outcome = Outcome(rawValue: try row.value(8))
    signedIn = try row.text(9).map { AccountReference($0) }
  }
}

extension Challenge {
  /// Nil where it names nobody.
  var account: Account? {
    accountId == nil && identity == nil ? nil : Account(accountId: accountId, identity: identity)
  }

  /// Whether it is about that account; nil for nobody in particular.
  func isAbout(_ reference: AccountReference?, _ directory: AccountDirectory) -> Bool {
    guard let reference else { return account == nil }
    return account.map { AccountKey($0).isNamed(reference, directory) } ?? false
  }
}
