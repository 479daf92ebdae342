import Model
import SQLite
import Support

/// Questions that only the user can answer, kept in the store: the call that needs the answer ends with the challenge
/// as its error, any process may answer, and the call is repeated.
///
/// An answer is never stored, only whether it was right. Both challenges and outcomes expire by the core's clock.
package struct Challenges: Sendable {
  let core: Core

  private static let lifetimeMilliseconds: Int64 = 15 * 60_000

  /// The open one of that kind about the account, nil for anybody; made when there is none. Warnings and sign-ins of
  /// another text are other ones, for what follows from the answer is another thing.
  func open(
    _ kind: Challenge.Kind, about reference: AccountReference?, in window: String?, telling notice: UserNotice
  ) throws(MAMError) -> Challenge {
    let services = try core.refresh()
    let account = reference.map { core.source.fullAccount(of: $0) }
    let new = Challenge(
      id: try services.store.randomDigits(), kind: kind, accountId: account?.accountId, identity: account?.identity,
      window: window, title: notice.title.text(in: core.language), message: notice.message.text(in: core.language),
      expires: expiry)
    let (directory, now, language) = (core.state.directory, core.now, core.language)
    return try services.store.note { connection throws(SQLiteError) in
      try connection.removeExpiredChallenges(at: now)
      let open = try connection.challenges(at: now, in: language).first { stored in
        stored.outcome == nil && stored.challenge.kind == kind && stored.challenge.isAbout(reference, directory)
          && (stored.message == notice.message || Challenge.Kind.pin.contains(kind))
      }
      if let open { return open.challenge }
      try connection.add(new, telling: notice)
      return new
    }
  }

  /// Those about the account that have not expired; answered ones too.
  func all(about reference: AccountReference?) throws(MAMError) -> [StoredChallenge] {
    let services = try core.refresh()
    let (directory, now, language) = (core.state.directory, core.now, core.language)
    let all = try services.store.read { connection throws(SQLiteError) in
      try connection.challenges(at: now, in: language)
    }
    return all.filter { $0.challenge.isAbout(reference, directory) }
  }

  /// Whether the user canceled one of these kinds since the call that it was made for. That is told once.
  func takeCancel(of kinds: Set<Challenge.Kind>, about reference: AccountReference) throws(MAMError) -> Bool {
    let canceled = try all(about: reference).filter { $0.outcome == .canceled && kinds.contains($0.challenge.kind) }
    try withdraw(canceled.map(\.challenge))
    return !canceled.isEmpty
  }

  /// Takes back what is open of these kinds: nothing needs the answer any more.
  func withdraw(_ kinds: Set<Challenge.Kind>, about reference: AccountReference) throws(MAMError) {
    let open = try all(about: reference).filter { $0.outcome == nil && kinds.contains($0.challenge.kind) }
    try withdraw(open.map(\.challenge))
  }

  func withdraw(_ challenges: [Challenge]) throws(MAMError) {
    guard !challenges.isEmpty else { return }
    try core.refresh().store.note { connection throws(SQLiteError) in
      for challenge in challenges { try connection.remove(challenge) }
    }
  }

  /// A wrong answer leaves it open. Answers of two processes at once: the first one counts.
  ///
  /// Who cancels the sign-in after too long a time offline loses the data: the wipe is done when this returns.
  package func answer(_ id: String, with answer: ChallengeAnswer) async throws(MAMError) -> ChallengeReply {
    let stored = try open(id)
    let challenge = stored.challenge
    switch try await judgement(of: answer, to: challenge) {
    case .right(let account, let next):
      try close(challenge, .accepted, signedIn: account)
      return ChallengeReply(accepted: true, challenge: next)
    case .wrong(let text):
      log(challenge, "was answered wrongly")
      var challenge = try core.pins.listingBiometrics(challenge)
      challenge.message = text.text(in: core.language)
      return ChallengeReply(accepted: false, challenge: challenge)
    case .over(let next):
      try withdraw([challenge])
      log(challenge, "cannot be answered any more")
      return ChallengeReply(accepted: false, challenge: next)
    case .canceled:
      try close(challenge, .canceled, signedIn: nil)
      try await wipeAfterCancel(of: stored)
      return ChallengeReply(accepted: false)
    }
  }

  /// As `answer`; a wipe that the answer led to is done when this returns.
  package func answerAndFollowUp(_ id: String, with answer: ChallengeAnswer) async throws(MAMError) -> ChallengeReply {
    let account = try open(id).challenge.account?.reference
    let reply = try await self.answer(id, with: answer)
    if let account { try await core.wipes.goOn(of: account) }
    return reply
  }

  private func judgement(of answer: ChallengeAnswer, to challenge: Challenge) async throws(MAMError) -> Judgement {
    if case .canceled = answer { return .canceled }
    return try await challenge.judge(in: core).judge(answer, to: challenge)
  }

  /// Only of the sign-in that an app asks for that was offline too long, and while that sign-in is still due.
  private func wipeAfterCancel(of stored: StoredChallenge) async throws(MAMError) {
    guard stored.challenge.kind == .credentials, stored.message == UserText(.account(.offlineWipeMessage)),
      let reference = stored.challenge.account?.reference, let account = core.state.account(reference),
      try core.conditionalLaunch.findings(of: account).contains(where: \.isOfflineSignIn)
    else { return }
    _ = try await core.wipes.wipe(reference, .offlineSignInCanceled)
  }

  private func open(_ id: String) throws(MAMError) -> StoredChallenge {
    let services = try core.refresh()
    let (now, language) = (core.now, core.language)
    let all = try services.store.read { connection throws(SQLiteError) in
      try connection.challenges(at: now, in: language)
    }
    guard let open = all.first(where: { $0.challenge.id == id && $0.outcome == nil }) else { throw Self.notOpen }
    return open
  }

  private func close(
    _ challenge: Challenge, _ outcome: StoredChallenge.Outcome, signedIn: Account?
  ) throws(MAMError) {
    let expires = expiry
    let isClosed = try core.commit { transaction throws(SQLiteError) in
      guard try transaction.close(challenge, outcome, signedIn: signedIn, expires: expires) else { return false }
      if let signedIn { try transaction.noteSignIn(of: signedIn) }
      return true
    }
    guard isClosed else { throw Self.notOpen }
    log(challenge, outcome == .accepted ? "was answered" : "was canceled")
  }

  private func log(_ challenge: Challenge, _ outcome: StaticString) {
    guard let log = try? core.refresh().log else { return }
    let account = challenge.account ?? Account(accountId: nil, identity: nil)
    log.write(
      .info, .conditionalLaunch,
      "the challenge \(public: challenge.kind.rawValue) of \(personal: account) \(outcome)")
  }

  private var expiry: Timestamp { core.now.advanced(by: Self.lifetimeMilliseconds) }

  static let notOpen = MAMError(
    .challengeNotOpen, "no challenge of this id is open: it is unknown, was answered, or has expired",
    hint: "Repeat the call that asked for it: that goes on, or gives a new one")
}

extension MAMError {
  /// What a call ends with that needs the user and found no host to ask.
  static func challenge(_ challenge: Challenge) -> MAMError {
    var error = MAMError(
      .challenge, "the user must be asked first: \(challenge.kind.rawValue)",
      hint: "Ask the user, give the answer to conditionalLaunch.answer, and repeat this call")
    error.challenge = challenge
    return error
  }
}
