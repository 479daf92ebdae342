import Model
import SQLite
import Support

/// A challenge in the store.
struct StoredChallenge: Sendable {
  enum Outcome: String, Storable { case accepted, canceled }

  /// The challenge, with its texts in the language of the reader.
  private(set) var challenge: Challenge
  private var title: UserMessage
  private(set) var message: UserText
  /// `nil` while the challenge is open.
  private(set) var outcome: Outcome?
  /// The account that signed in with the answer; `nil` if none did.
  private(set) var signedIn: AccountReference?
  private var companionList = ""
  /// The text of a sign-in at the policy source, which the source has written; `nil` for other challenges.
  private var sourceText: String?

  fileprivate init(_ challenge: Challenge, _ question: UserQuestion) {
    self.challenge = challenge
    (title, message) = (question.notice.title, question.notice.message)
    companionList = question.companions.asList
    sourceText = question.signIn?.message
  }

  /// See `UserQuestion`.
  var companions: [AccountReference] { companionList.split(separator: "\n").map { AccountReference(String($0)) } }

  /// An open challenge has no outcome; answers are never stored. A challenge that was read has no texts before
  /// `inLanguage`.
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
    column("companions", &stored.companionList, .hasDefault, since: 12)
    column("verification_uri", &stored.challenge.verificationUri, since: 14)
    column("user_code", &stored.challenge.userCode, since: 14)
    column("source_text", &stored.sourceText, since: 14)
    stored.challenge.expires = expires == .distantFuture ? nil : expires
  }

  private static var blank: StoredChallenge {
    let message = UserMessage.alert(.ok)
    return StoredChallenge(
      Challenge(
        id: "", kind: .warning, accountId: nil, identity: nil, window: nil, title: "", message: "", expires: .never),
      UserQuestion(kind: .warning, reference: nil, window: nil, notice: UserNotice(message, message)))
  }

  fileprivate func inLanguage(_ language: Language) -> StoredChallenge {
    var told = self
    told.challenge.title = title.text(in: language)
    told.challenge.message = sourceText ?? message.text(in: language)
    return told
  }
}

extension [AccountReference] {
  fileprivate var asList: String { map(\.text).joined(separator: "\n") }
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
  /// The challenges that have not expired, including answered ones, oldest first.
  func challenges(at now: Timestamp, in language: Language) throws(SQLiteError) -> [StoredChallenge] {
    try all(StoredChallenge.table, "WHERE expires > ? ORDER BY position", now.milliseconds)
      .map { $0.inLanguage(language) }
  }

  /// Stores the challenge, unless an open one asks the same question. Returns the one that is open now.
  func open(
    _ new: Challenge, of question: UserQuestion, _ directory: AccountDirectory, at now: Timestamp, in language: Language
  ) throws(SQLiteError) -> Challenge {
    try removeExpiredChallenges(at: now)
    let open = try challenges(at: now, in: language).first { stored in
      stored.outcome == nil && stored.challenge.isAbout(question.reference, directory) && stored.asks(question)
    }
    if let open {
      try setCompanions(question.companions, of: open)
      return open.challenge
    }
    try insert(StoredChallenge(new, question), into: StoredChallenge.table)
    return new
  }

  /// The companions are those of the question that was asked last.
  private func setCompanions(_ companions: [AccountReference], of stored: StoredChallenge) throws(SQLiteError) {
    guard stored.companions != companions else { return }
    try run("UPDATE challenges SET companions = ? WHERE id = ?", companions.asList, stored.challenge.id)
  }

  func remove(_ challenge: Challenge) throws(SQLiteError) {
    try run("DELETE FROM challenges WHERE id = ?", challenge.id)
  }

  func removeExpiredChallenges(at now: Timestamp) throws(SQLiteError) {
    try run("DELETE FROM challenges WHERE expires <= ?", now.milliseconds)
  }
}

extension StoreTransaction {
  /// Stores the outcome of a challenge until `expires`, for the call that asked the question. Returns false if the
  /// challenge is no longer open.
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
  /// `nil` if the challenge is about no account.
  var account: Account? {
    accountId == nil && identity == nil ? nil : Account(accountId: accountId, identity: identity)
  }

  /// Whether the challenge is about this account; for `nil`, whether it is about no account.
  func isAbout(_ reference: AccountReference?, _ directory: AccountDirectory) -> Bool {
    guard let reference else { return account == nil }
    return account.map { AccountKey($0).isNamed(reference, directory) } ?? false
  }
}
