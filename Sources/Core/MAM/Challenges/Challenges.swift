import Model
import SQLite
import Support

/// Asks questions that only the user can answer.
///
/// A question is stored as a challenge, and the host asks its user. If no host can ask, the call that needs the answer
/// ends with the challenge as its error. Any process may then answer the challenge, and the host repeats the call.
///
/// The store keeps whether an answer was right, but never the answer. Challenges and outcomes expire by the core's
/// clock.
package struct Challenges: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let screens: Screens
  let source: TenantSource
  let judges: any ChallengeJudges

  fileprivate static let lifetimeMilliseconds: Int64 = 15 * 60_000
  /// After this many wrong answers, the host is not asked again.
  private static let tries = 5

  /// The outcome of a question.
  enum Outcome: Equatable, Sendable {
    case accepted
    case canceled
    /// No answer can help any longer, or no answer is needed.
    case over
    /// No host can ask, or its user has not answered.
    case open(Challenge)
  }

  /// Returns the outcome that was stored since the last call, or else asks the user now. A cancel is returned once.
  ///
  /// Without `takingAnswer`, a stored outcome is kept for a later call, and a stored cancel does not count yet. With
  /// `notes`, asks nobody, and leaves it to these to store the challenge.
  func ask(
    _ question: UserQuestion, takingAnswer: Bool, askingHost: Bool, noting notes: LaunchNotes? = nil
  ) async throws(MAMError) -> Outcome {
    let outcome: Outcome
    switch try answers(to: question).last?.outcome {
    case .accepted: outcome = .accepted
    case .canceled where takingAnswer: outcome = .canceled
    case .canceled, nil:
      if let notes { return .open(try note(question, in: notes)) }
      let challenge = try open(question)
      outcome = askingHost ? try await ask(challenge) : .open(challenge)
    }
    if takingAnswer, outcome == .canceled || outcome == .accepted && question.acceptance.isOnce {
      try withdraw(about: question.reference) { $0.outcome != nil && $0.asks(question) }
    }
    return outcome
  }

  /// Lets the host ask its user, and ask again after a wrong answer. The outcome stays stored for whoever asked the
  /// question.
  func ask(_ challenge: Challenge) async throws(MAMError) -> Outcome {
    var asked = challenge
    do throws(MAMError) {
      for _ in 0..<Self.tries {
        guard let answer = await hosts.current.answer(to: asked, in: live.language) else { break }
        switch try await judge(answer, to: try open(challenge.id)) {
        case .right: return .accepted
        case .wrong(let text): asked = try repeated(challenge, because: text)
        case .over: return .over
        case .canceled: return .canceled
        }
      }
      return .open(challenge)
    } catch {
      guard error.code == .challengeNotOpen else { throw error }
      // Another process or call has answered or withdrawn the challenge.
      switch try all().first(where: { $0.challenge.id == challenge.id })?.outcome {
      case .accepted: return .accepted
      case .canceled: return .canceled
      case nil: return .over
      }
    }
  }

  /// The open challenge that asks this question. Creates one if there is none.
  func open(_ question: UserQuestion) throws(MAMError) -> Challenge {
    let services = try live.refresh()
    let new = challenge(asking: question)
    let (directory, now, language) = (live.state.directory, live.now, live.language)
    let challenge = try services.store.note { connection throws(SQLiteError) in
      try connection.open(new, of: question, directory, at: now, in: language)
    }
    screens.show(challenge)
    return try judges.complete(challenge)
  }

  private func note(_ question: UserQuestion, in notes: LaunchNotes) throws(MAMError) -> Challenge {
    let challenge = challenge(asking: question)
    notes.add(question, as: challenge)
    return try judges.complete(challenge)
  }

  private func challenge(asking question: UserQuestion) -> Challenge {
    let account = question.reference.map { source.fullAccount(of: $0) }
    return Challenge(
      id: Store.randomDigits(), kind: question.kind, accountId: account?.accountId,
      identity: account?.identity, window: question.window, title: question.notice.title.text(in: live.language),
      message: question.signIn?.message ?? question.notice.message.text(in: live.language),
      expires: question.signIn.map(expiry(of:)) ?? expiry, verificationUri: question.signIn?.verificationUri,
      userCode: question.signIn.flatMap { $0.userCode.isEmpty ? nil : $0.userCode })
  }

  /// The challenges that asked this question and have an outcome that counts, oldest first.
  func answers(to question: UserQuestion) throws(MAMError) -> [StoredChallenge] {
    try all(about: question.reference).filter { $0.answers(question) }
  }

  /// Withdraws what the user has accepted in answer to a question with this notice.
  func withdrawAnswers(to notice: UserNotice, about reference: AccountReference) throws(MAMError) {
    try withdraw(about: reference) { $0.outcome == .accepted && $0.message == notice.message }
  }

  /// The challenges about an account that have not expired, including answered ones.
  func all(about reference: AccountReference?) throws(MAMError) -> [StoredChallenge] {
    let all = try all()
    let directory = live.state.directory
    return all.filter { $0.challenge.isAbout(reference, directory) }
  }

  /// Every challenge that has not expired, with its outcome if it was answered.
  func all() throws(MAMError) -> [StoredChallenge] {
    let services = try live.refresh()
    let (now, language) = (live.now, live.language)
    return try services.store.read { connection throws(SQLiteError) in
      try connection.challenges(at: now, in: language)
    }
  }

  /// The open challenge with this id. Throws `challengeNotOpen` if there is none.
  func open(_ id: String) throws(MAMError) -> StoredChallenge {
    guard let open = try all().first(where: { $0.challenge.id == id && $0.outcome == nil }) else { throw Self.notOpen }
    return open
  }

  /// Returns whether the user canceled a challenge about the account since the last call. A cancel is returned once.
  @discardableResult
  func takeCancel(about reference: AccountReference) throws(MAMError) -> Bool {
    try withdraw(about: reference) { $0.outcome == .canceled }
  }

  /// Withdraws the open challenges of these kinds, because nothing needs their answers any longer.
  func withdraw(_ kinds: Set<Challenge.Kind>, about reference: AccountReference) throws(MAMError) {
    try withdraw(about: reference) { $0.outcome == nil && kinds.contains($0.challenge.kind) }
  }

  /// Returns whether there was a challenge to withdraw.
  @discardableResult
  private func withdraw(
    about reference: AccountReference?, where isUnwanted: (StoredChallenge) -> Bool
  ) throws(MAMError) -> Bool {
    let unwanted = try all(about: reference).filter(isUnwanted).map(\.challenge)
    try withdraw(unwanted)
    return !unwanted.isEmpty
  }

  func withdraw(_ challenges: [Challenge]) throws(MAMError) {
    guard !challenges.isEmpty else { return }
    try live.refresh().store.note { connection throws(SQLiteError) in
      for challenge in challenges { try connection.remove(challenge) }
    }
    screens.settle()
  }

  static let notOpen = MAMError(
    .challengeNotOpen, "no challenge with this id is open: it is unknown, was answered, or has expired",
    hint: "Repeat the call that ended with the challenge; it continues, or returns a new challenge")
}

/// Answers, and their effects.
extension Challenges {
  /// Answers a challenge. A wrong answer leaves the challenge open. If two processes answer at once, the first answer
  /// counts.
  func answer(_ id: String, with answer: ChallengeAnswer) async throws(MAMError) -> ChallengeReply {
    let stored = try open(id)
    switch try await judge(answer, to: stored) {
    case .right(_, let next): return ChallengeReply(accepted: true, challenge: next)
    case .wrong(let text):
      return ChallengeReply(accepted: false, challenge: try repeated(stored.challenge, because: text))
    case .over(let next): return ChallengeReply(accepted: false, challenge: next)
    case .canceled: return ChallengeReply(accepted: false)
    }
  }

  /// Lets the judge of the challenge decide, and stores the outcome.
  private func judge(
    _ answer: ChallengeAnswer, to stored: StoredChallenge
  ) async throws(MAMError) -> Judgement {
    let challenge = stored.challenge
    let judge = judges.judge(of: challenge.kind)
    let judgement: Judgement =
      if case .canceled = answer { .canceled } else { try await judge.judge(answer, to: stored) }
    switch judgement {
    case .right(let account, _): try close(challenge, .accepted, signedIn: account)
    case .wrong: log(challenge, "was answered incorrectly")
    case .over:
      try withdraw([challenge])
      log(challenge, "can no longer be answered")
    case .canceled:
      try close(challenge, .canceled, signedIn: nil)
      try await judge.didCancel(stored)
    }
    return judgement
  }

  /// The challenge as it is asked after a wrong answer. `text` tells the user what was wrong.
  private func repeated(_ challenge: Challenge, because text: UserText) throws(MAMError) -> Challenge {
    var repeated = try judges.complete(challenge)
    repeated.message = text.text(in: live.language)
    return repeated
  }

  private func close(
    _ challenge: Challenge, _ outcome: StoredChallenge.Outcome, signedIn: Account?
  ) throws(MAMError) {
    let expires = expiry
    let isClosed = try live.commit { transaction throws(SQLiteError) in
      guard try transaction.close(challenge, outcome, signedIn: signedIn, expires: expires) else { return false }
      if let signedIn { try transaction.noteSignIn(of: signedIn) }
      return true
    }
    guard isClosed else { throw Self.notOpen }
    screens.settle()
    log(challenge, outcome == .accepted ? "was answered" : "was canceled")
  }

  private func log(_ challenge: Challenge, _ outcome: StaticString) {
    guard let log = try? live.refresh().log else { return }
    let account = challenge.account ?? Account(accountId: nil, identity: nil)
    log.write(
      .info, .conditionalLaunch,
      "the challenge \(public: challenge.kind.rawValue) of \(personal: account) \(outcome)")
  }

  /// Closes a challenge as canceled by the user.
  func cancel(_ challenge: Challenge) throws(MAMError) { try close(challenge, .canceled, signedIn: nil) }

  private var expiry: Timestamp { live.now.advanced(by: Self.lifetimeMilliseconds) }

  /// When a sign-in expires by the core's clock, which may differ from that of the source.
  private func expiry(of signIn: SignInPrompt) -> Timestamp {
    live.now.advanced(by: max(0, signIn.expires.milliseconds - SystemClock().now.milliseconds))
  }
}

extension StoredChallenge {
  /// `nil` while the challenge is open.
  var answeredAt: Timestamp? {
    outcome == nil ? nil : challenge.expires?.advanced(by: -Challenges.lifetimeMilliseconds)
  }
}

extension MAMError {
  /// The error of a call that needs an answer of the user and found no host that can ask.
  static func challenge(_ challenge: Challenge) -> MAMError {
    var error = MAMError(
      .challenge, "the user must answer a challenge first: \(challenge.kind.rawValue)",
      hint: "Ask the user, pass the answer to conditionalLaunch.answer, and repeat this call")
    error.challenge = challenge
    return error
  }
}
