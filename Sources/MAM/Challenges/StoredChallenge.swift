import Model
import SQLite
import Support

/// A challenge as the store holds it.
struct StoredChallenge: Sendable {
  enum Outcome: String, Storable { case accepted, canceled }

  /// In the language of who reads it.
  private(set) var challenge: Challenge
  private var title: UserMessage
  private(set) var message: UserText
  /// Nil while it is open.
  private(set) var outcome: Outcome?
  /// Who signed in by the answer; nil where nobody did.
  private(set) var signedIn: AccountReference?

  fileprivate init(_ challenge: Challenge, telling notice: UserNotice) {
    self.challenge = challenge
    (title, message) = (notice.title, notice.message)
  }

  /// Without an outcome while it is open; no answer is kept. A challenge that is read has no texts before `inLanguage`.
  static let table = Table("challenges", since: 6, blank: StoredChallenge.blank) { stored, column in
    var (position, expires) = (0, stored.challenge.expires ?? .distantFuture)
    column("position", &position, .numbered)
    column("id", &stored.challenge.id, .unique)
    column("kind", &stored.challenge.kind)
    column("account_id", &stored.challenge.accountId)
    column("identity", &stored.challenge.identity)
    column("window", &stored.challenge.window)
    column("title", &stored.title)
    column("message", &stored.message)
    column("expires", &expires, .hasDefault)
    column("outcome", &stored.outcome)
    column("signed_in", &stored.signedIn)
    stored.challenge.expires = expires == .distantFuture ? nil : expires
  }

  private static var blank: StoredChallenge {
    let message = UserMessage.alert(.ok)
    return StoredChallenge(
      Challenge(
        id: "", kind: .warning, accountId: nil, identity: nil, window: nil, title: "", message: "", expires: .never),
      telling: UserNotice(message, message))
  }

  fileprivate func inLanguage(_ language: Language) -> StoredChallenge {
    var told = self
    told.challenge.title = title.text(in: language)
    told.challenge.message = message.text(in: language)
    return told
  }
}

extension Challenge.Kind: Storable {}

extension UserMessage: Storable {
  package var stored: String { key }
  package init?(stored: String) { self.init(key: stored) }
}

extension UserText: Storable {}

extension AccountReference: Storable {
  package var stored: String { text }
  package init?(stored: String) { self.init(stored) }
}

extension Connection {
  /// Those that have not expired, in the order of their making, answered ones too.
  func challenges(at now: Timestamp, in language: Language) throws(SQLiteError) -> [StoredChallenge] {
    try all(StoredChallenge.table, "WHERE expires > ? ORDER BY position", now.milliseconds)
      .map { $0.inLanguage(language) }
  }

  func add(_ challenge: Challenge, telling notice: UserNotice) throws(SQLiteError) {
    try insert(StoredChallenge(challenge, telling: notice), into: StoredChallenge.table)
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
