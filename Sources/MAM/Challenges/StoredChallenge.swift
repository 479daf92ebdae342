import Model
import SQLite
import Support

/// A challenge as the store holds it.
struct StoredChallenge: Sendable {
  enum Outcome: String, Sendable { case accepted, canceled }

  let challenge: Challenge
  /// Nil while it is open.
  let outcome: Outcome?
  /// Who signed in by the answer; nil where nobody did.
  let signedIn: AccountReference?
}

extension Connection {
  /// Those that have not expired, in the order of their making, answered ones too.
  func challenges(at now: Timestamp) throws(SQLiteError) -> [StoredChallenge] {
    let sql = """
      SELECT id, kind, account_id, identity, window, title, message, expires, outcome, signed_in FROM challenges
      WHERE expires > ? ORDER BY position
      """
    let rows = try query(sql, now.milliseconds) { row throws(SQLiteError) in try StoredChallenge(row) }
    return rows.compactMap { $0 }
  }

  func add(_ challenge: Challenge) throws(SQLiteError) {
    let sql = """
      INSERT INTO challenges (id, kind, account_id, identity, window, title, message, expires)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
    try run(
      sql, challenge.id, challenge.kind.rawValue, challenge.accountId ?? "", challenge.identity ?? "",
      challenge.window ?? "", challenge.title, challenge.message, challenge.expires?.milliseconds ?? Int64.max)
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
    guard try connection.challenges(at: now).contains(where: { $0.challenge.id == challenge.id && $0.outcome == nil })
    else { return false }
    let sql = "UPDATE challenges SET outcome = ?, signed_in = ?, expires = ? WHERE id = ?"
    try connection.run(
      sql, outcome.rawValue, signedIn?.reference?.text ?? "", expires.milliseconds, challenge.id)
    try connection.removeExpiredChallenges(at: now)
    return true
  }
}

extension StoredChallenge {
  /// Nil for a kind that this version does not know.
  fileprivate init?(_ row: Row) throws(SQLiteError) {
    guard let kind = Challenge.Kind(rawValue: try row.value(1)) else { return nil }
    let expires: Int64 = try row.value(7)
    challenge = Challenge(
      id: try row.value(0), kind: kind, accountId: try row.text(2), identity: try row.text(3),
      window: try row.text(4), title: try row.value(5), message: try row.value(6),
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
