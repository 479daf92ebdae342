import Model
import SQLite
import Tenancy

/// Lets a user sign in, and then enrolls the account.
///
/// The user is the named account, or else the user that the device is managed for, or else whoever signs in. The steps
/// are: the host acquires a token without asking the user; the host asks the user for a token; the host prompts for
/// credentials. If the host can do none of these, the result is a challenge. A named user of a policy source that signs
/// in its users signs in there instead.
///
/// A policy source of files accepts any token that is not empty. The token is not kept, only the time of the sign-in.
package struct Login: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let ongoing: OngoingEnrollments
  let source: TenantSource
  let tokens: EnrollmentTokens
  let enrollment: Enrollment
  let challenges: Challenges

  /// Returns 208 if the account is already enrolled, without asking anybody; 219 if the user cancels; 203 for another
  /// user or an empty token. 219 and 203 do not register the account. For a registered account, tries the enrollment
  /// again.
  package func loginAndEnroll(
    _ reference: AccountReference?, in window: String?
  ) async throws(MAMError) -> EnrollmentStatus {
    try live.refresh()
    let wanted = reference ?? source.managedUser
    if let wanted, wanted.kind == .noUser || live.state.account(wanted)?.isEnrolled == true {
      if let status = try enrollment.checkIns.statusWithoutAttempt(wanted) { return status }
    }
    let question = question(wanted, window)
    if let answered = try challenges.answers(to: question).last {
      return try await conclude(after: answered, wanted)
    }
    if let wanted, await tokens.areOfSource() { return try await signInAtSource(wanted, window) }
    if let status = try await askHost(wanted, window) { return status }
    throw .challenge(try challenges.open(question))
  }

  private func question(_ wanted: AccountReference?, _ window: String?) -> UserQuestion {
    UserQuestion(
      kind: .credentials, reference: wanted, window: window,
      notice: UserNotice(.account(.signInTitle), .account(.signInMessage)))
  }

  /// Signs in through the host and enrolls. `nil` if no host can ask the user. `wanted` is `nil` for any user.
  func askHost(_ wanted: AccountReference?, _ window: String?) async throws(MAMError) -> EnrollmentStatus? {
    if let wanted { ongoing.begin(wanted) }
    defer { if let wanted { ongoing.end(wanted) } }
    switch await signIn(wanted, window) {
    case .value(let credentials): return try await enroll(credentials, wanted)
    case .canceled: return try refuse(wanted, .loginCanceled, EnrollmentText.loginCanceled)
    case .unavailable: return nil
    }
  }

  private func signInAtSource(
    _ wanted: AccountReference, _ window: String?
  ) async throws(MAMError) -> EnrollmentStatus {
    ongoing.begin(wanted)
    defer { ongoing.end(wanted) }
    let grants = try await tokens.signingIn(await tokens.collect(for: [wanted]), in: window)
    let account = source.fullAccount(of: wanted)
    if grants.fault(for: account)?.kind == .signInCanceled {
      return try refuse(wanted, .loginCanceled, EnrollmentText.loginCanceled)
    }
    let status = try await enrollment.attemptAndFollowUp(wanted, with: grants)
    if status.didSucceed, let account = live.state.account(wanted)?.account {
      try live.commit { transaction throws(SQLiteError) in try transaction.noteSignIn(of: account) }
    }
    return status
  }

  private func conclude(
    after answered: StoredChallenge, _ wanted: AccountReference?
  ) async throws(MAMError) -> EnrollmentStatus {
    guard answered.outcome == .accepted, let user = wanted ?? answered.signedIn else {
      return try refuse(wanted, .loginCanceled, EnrollmentText.loginCanceled, removing: answered.challenge)
    }
    let status = try await enrollment.attemptAndFollowUp(user)
    // If the process ends before this, the challenge expires by itself.
    try challenges.withdraw([answered.challenge])
    return status
  }

  private func signIn(
    _ wanted: AccountReference?, _ window: String?, askingSilently attempts: [Bool] = [true, false]
  ) async -> HostAnswer<Credentials> {
    if let wanted {
      for silent in attempts {
        let answer = await token(of: wanted, silent: silent)
        guard answer == .unavailable else { return answer }
      }
    }
    let identity = wanted.map { source.fullAccount(of: $0).identity ?? $0.text }
    return await hosts.current.promptForCredentials(
      identity: identity, window: window, message: AccountMessage.signInMessage.text(in: live.language))
  }

  private func token(of wanted: AccountReference, silent: Bool) async -> HostAnswer<Credentials> {
    let account = source.fullAccount(of: wanted)
    let resource = await tokens.requirement()?.resource ?? TenantAuthentication.usualResource
    switch await hosts.current.acquireToken(for: account, resource: resource, silent: silent) {
    case .value(let token): return .value(Credentials(userPrincipalName: wanted.text, token: token.token))
    case .canceled: return .canceled
    case .unavailable: return .unavailable
    }
  }

  private func enroll(
    _ credentials: Credentials, _ wanted: AccountReference?
  ) async throws(MAMError) -> EnrollmentStatus {
    switch try await accept(credentials, wanted) {
    case .tokens(let tokens):
      let user = wanted ?? AccountReference(credentials.userPrincipalName)
      return try await enrollment.attemptAndFollowUp(user, with: tokens)
    case .refused(let text): return try refuse(wanted, .authRequired, text)
    }
  }

  private enum Acceptance: Sendable {
    case tokens(TokenGrants)
    /// The text says why the sign-in does not count.
    case refused(String)
  }

  /// Notes a sign-in, and gets the tokens for the attempt that follows.
  private func accept(_ credentials: Credentials, _ wanted: AccountReference?) async throws(MAMError) -> Acceptance {
    let user = AccountReference(credentials.userPrincipalName)
    switch source.check(credentials.token, of: user, wanting: wanted) {
    case .signedIn(let account):
      try live.commit { transaction throws(SQLiteError) in try transaction.noteSignIn(of: account) }
      return .tokens(await tokens.grants(of: credentials.token, for: wanted ?? user))
    case .refused(let text): return .refused(text.text(in: .english))
    }
  }

  /// Ends a request without an attempt to enroll.
  private func refuse(
    _ wanted: AccountReference?, _ code: EnrollmentStatusCode, _ text: String, removing challenge: Challenge? = nil
  ) throws(MAMError) -> EnrollmentStatus {
    let account = wanted.map { source.fullAccount(of: $0) } ?? Account(accountId: nil, identity: nil)
    let status = EnrollmentStatus(account, code, text)
    try live.commit { transaction throws(SQLiteError) in
      if let challenge { try transaction.connection.remove(challenge) }
      try transaction.append(.enrollmentRequestWithStatus(status))
    }
    try live.refresh().log.write("log in", status)
    return status
  }
}

/// An attempt for which the user may be asked to sign in.
extension Login {
  enum Attempt: Sendable {
    case ended(EnrollmentStatus)
    case canceled
  }

  /// Checks in or enrolls an account. If the policy source needs a token that is not there without the user, and
  /// `mayAskUser` is true, lets the user sign in first: at the source, if it signs in users, or else through the host.
  /// Throws `challenge` if nobody asks the user. Another user's token changes nothing.
  func attempt(_ reference: AccountReference, mayAskUser: Bool) async throws(MAMError) -> Attempt {
    var grants = await enrollment.grants(forAttempt: reference)
    guard mayAskUser else { return .ended(try await enrollment.attemptAndFollowUp(reference, with: grants)) }
    grants = try await tokens.signingIn(grants)
    let account = source.fullAccount(of: reference)
    if grants.fault(for: account)?.kind == .signInCanceled { return .canceled }
    if grants.isRefused(for: account) { return try await attemptAfterSignIn(reference, account) }
    let status = try await enrollment.attemptAndFollowUp(reference, with: grants)
    guard status.lacksToken, status.statusCode != .loginCanceled else {
      return status.lacksToken ? .canceled : .ended(status)
    }
    return grants.origin == .source ? .ended(status) : try await attemptAfterSignIn(reference, account)
  }

  private func attemptAfterSignIn(
    _ reference: AccountReference, _ account: Account
  ) async throws(MAMError) -> Attempt {
    let question = question(reference, nil)
    if let answered = try challenges.answers(to: question).last {
      try challenges.withdraw([answered.challenge])
      guard answered.outcome == .accepted else { return .canceled }
      return .ended(try await enrollment.attemptAndFollowUp(reference))
    }
    switch await signIn(reference, nil, askingSilently: [false]) {
    case .canceled: return .canceled
    case .unavailable: throw .challenge(try challenges.open(question))
    case .value(let credentials):
      switch try await accept(credentials, reference) {
      case .tokens(let tokens):
        return .ended(try await enrollment.attemptAndFollowUp(reference, with: tokens))
      case .refused(let text): return .ended(EnrollmentStatus(account, .authRequired, text))
      }
    }
  }
}

/// Judges sign-ins for all calls that ask for a sign-in.
struct SignInJudge: ChallengeJudge {
  let live: LiveState
  let source: TenantSource
  let pins: PINs
  let checks: LaunchChecks
  let wipes: Wipes

  func judge(_ answer: ChallengeAnswer, to stored: StoredChallenge) throws(MAMError) -> Judgement {
    let challenge = stored.challenge
    guard !stored.isOfSource else {
      throw MAMError(
        .wrongAnswer, "the user signs in at \(challenge.verificationUri ?? ""), and the challenge then ends by itself",
        hint: "Repeat the call that ended with the challenge when the user has signed in, or answer with canceled")
    }
    guard case .credentials(let token, let name) = answer else { throw .wrongAnswer("accessToken", to: challenge) }
    let wanted = challenge.account?.reference
    guard let user = name.map({ AccountReference($0) }) ?? wanted else {
      throw MAMError(
        .wrongAnswer, "the challenge names no account, and the answer does not say who has signed in",
        hint: "Pass userPrincipalName with accessToken")
    }
    switch source.check(token, of: user, wanting: wanted) {
    case .signedIn(let account):
      return .right(signedIn: account, next: try pins.resetExhausted(of: account, in: challenge.window))
    case .refused(let text): return .wrong(text)
    }
  }

  /// Wipes the account if the user canceled the sign-in that is due because the app was offline for too long. The wipe
  /// is done when this returns.
  func didCancel(_ stored: StoredChallenge) async throws(MAMError) {
    guard stored.message == UserText(.account(.offlineWipeMessage)),
      let reference = stored.challenge.account?.reference, let account = live.state.account(reference),
      try checks.findings(of: account).contains(where: \.isLastSignIn)
    else { return }
    _ = try await wipes.wipe(reference, account.offlineSignInCanceled)
  }
}

/// Judges whether the user accepts warnings.
struct WarningJudge: ChallengeJudge {
  func judge(_ answer: ChallengeAnswer, to stored: StoredChallenge) throws(MAMError) -> Judgement {
    guard case .acceptance(let isAccepted) = answer else { throw .wrongAnswer("accepted", to: stored.challenge) }
    return isAccepted ? .right(signedIn: nil, next: nil) : .canceled
  }
}
