import Model
import Policy

/// What a conditional launch of an account would end with now. Follows the steps of `LaunchRun`, but asks nobody and
/// changes nothing: it takes the answers that the user has given since the last call, as that run would, and foresees
/// the check-in with which that run would begin.
struct LaunchForecast {
  private let launches: ConditionalLaunches
  private let session: LaunchSession
  private var account: AccountState
  private(set) var end = LaunchEnd()

  /// `session` is what the host said about its windows and its user accepted.
  init(_ launches: ConditionalLaunches, _ account: AccountState, in session: LaunchSession) throws(MAMError) {
    self.launches = launches
    self.session = session
    self.account = account
    try look()
    if end.isMendedByCheckIn(of: account), launches.live.state.device.networkAvailable { try foreseeCheckIn() }
    if !end.isOver { try foreseeWarnings() }
    if !end.isOver { try foreseePIN() }
    if !end.isOver { try foreseeSignIn() }
  }

  private mutating func look() throws(MAMError) {
    end = LaunchEnd(try launches.checks.findings(of: account, in: session), held: account.hold)
    end.isWiped = account.isWiping
  }

  private mutating func foreseeCheckIn() throws(MAMError) {
    guard let prospect = try launches.prospects.prospect(of: account) else { return }
    account = prospect.state
    if prospect.isWipe { end.isWiped = true } else { try look() }
  }

  private mutating func foreseeWarnings() throws(MAMError) {
    guard let reference = account.reference, let notice = end.warning else { return }
    if session.hasAccepted(notice.message, of: reference) { return end.acceptWarnings() }
    switch try answer(.warning, notice, .lasting) {
    case .accepted: end.acceptWarnings()
    case .canceled: end.declineWarnings()
    case nil: break
    }
  }

  /// An answered PIN challenge has changed the stored PIN already.
  private mutating func foreseePIN() throws(MAMError) {
    guard let setting = account.policy?.effective.pinSetting, let reference = account.reference else { return }
    let use = try launches.checks.use(of: account, in: session)
    let demand = try launches.pins.required(of: reference)?.standing(isRecheckDue: use.isRecheckDue)
    end.add(
      LaunchFinding(
        .pinRequired, true, policyID: setting.policyID,
        .pin(demand, because: use.recheckCause(enteredAt: try launches.pins.lastEntry(of: account)))))
  }

  private mutating func foreseeSignIn() throws(MAMError) {
    guard let notice = end.signIn?.result.notice else { return }
    let since = launches.checks.oldestSignIn(of: account.reference)
    switch try answer(.credentials, notice, .once(since: since)) {
    case .accepted: end.acceptSignIn()
    case .canceled: end.declineSignIn()
    case nil: break
    }
  }

  /// The user's answer since the last call; `nil` if there is none.
  private func answer(
    _ kind: Challenge.Kind, _ notice: UserNotice, _ acceptance: UserQuestion.Acceptance
  ) throws(MAMError) -> StoredChallenge.Outcome? {
    let question = UserQuestion(
      kind: kind, reference: account.reference, window: nil, notice: notice, acceptance: acceptance)
    return try launches.challenges.answers(to: question).last?.outcome
  }
}

extension LaunchEnd {
  /// Whether a check-in may change the result: a rule that depends on the policy source has failed, or the source has
  /// refused the user, whose policy may be an old one.
  func isMendedByCheckIn(of account: AccountState) -> Bool {
    guard !isWiped else { return false }
    return account.isSignInRefused
      || findings.contains { $0.dependsOnSource && [.warn, .block, .wipe].contains($0.outcome) }
  }
}

/// What the user's answers change.
extension LaunchEnd {
  /// All warnings as one; `nil` if there are none.
  var warning: UserNotice? {
    let notices = warnings.compactMap(\.result.notice)
    return notices.first.map { UserNotice($0.title, UserText(lines: notices.map(\.message))) }
  }

  mutating func acceptWarnings() {
    for finding in warnings {
      turn(.warn, into: .accepted, "\(finding.result.text) The user accepted the warning.") {
        $0.setting == finding.setting
      }
    }
  }

  mutating func declineWarnings() { decline(.warn, into: .block) }

  /// One sign-in is enough for all rules that require one.
  mutating func acceptSignIn() {
    turn(.challenge, into: .passed, "The user has signed in.") { $0.setting != .pinRequired }
  }

  /// After too long a time offline, a declined sign-in removes the data.
  mutating func declineSignIn() {
    let text = """
      The app was offline for too long, and the user did not sign in: the account's data is removed from the app.
      """
    turn(.challenge, into: .wipe, text) { $0.isLastSignIn }
    decline(.challenge, into: .block)
  }

  private mutating func decline(_ outcome: LaunchOutcome, into new: LaunchOutcome) {
    turn(outcome, into: new, "The user canceled.")
    cancel()
  }
}
