import Model
import Policy
import Support

/// One conditional launch of one account. First, it evaluates the rules about the device, the app and the account. Then
/// come the warnings, the PIN and the sign-in, which may each ask the user.
///
/// If a failed rule depends on the policy source, or the source refused the user, a check-in is tried first, if there is
/// a network. A question that nobody answers stays open as a challenge; the steps after it are then evaluated without
/// asking the user.
struct LaunchRun: Sendable {
  enum Manner: Sendable {
    /// May ask the host. The run counts as use of the account.
    case asking
    /// Asks nobody, does not check in, and does not count as use. Opens challenges, and may wipe.
    case silent
    /// The launch of the app. Asks nobody, but opens every challenge. Marks a wipe, and leaves the rest to
    /// `Wipes.finishDue`.
    case launching
  }

  let launches: ConditionalLaunches
  let reference: AccountReference
  /// See `UserQuestion`.
  let companions: [AccountReference]
  let window: String?
  let session: LaunchSession
  let manner: Manner
  /// Collects the challenges of a launch; without it, each is stored when it is opened.
  let notes: LaunchNotes?
  var end = LaunchEnd()

  init(
    _ launches: ConditionalLaunches, _ reference: AccountReference, beside companions: [AccountReference],
    window: String?, _ session: LaunchSession, _ manner: Manner, noting notes: LaunchNotes? = nil
  ) {
    self.launches = launches
    self.reference = reference
    self.companions = companions
    self.window = window
    self.session = session
    self.manner = manner
    self.notes = notes
  }

  private var live: LiveState { launches.live }

  /// Runs all steps. An account without a policy has no rules, so its data may be shown.
  mutating func run() async throws(MAMError) -> LaunchEnd {
    guard let account = try look() else { return end }
    if manner != .silent, end.isMendedByCheckIn(of: account), live.state.device.networkAvailable { try await checkIn() }
    if !end.isOver { try await warn() }
    if !end.isOver { try await askForPIN() }
    if !end.isOver { try await letSignIn() }
    if end.finds(.wipe), !end.isWiped { try await wipe() }
    try noteHold()
    if manner == .asking { try noteUse() }
    return end
  }

  /// Evaluates all rules again. `nil` if the account has no policy.
  private mutating func look() throws(MAMError) -> AccountState? {
    try live.refresh()
    guard let account = live.state.account(reference), account.isManaged else { return nil }
    end = LaunchEnd(try launches.checks.findings(of: account, in: session), held: account.hold)
    end.isWiped = account.isWiping
    return account
  }

  /// Checks in. If the account has no policy afterwards, no rule is left; its data is removed only if the check-in says
  /// so.
  private mutating func checkIn() async throws(MAMError) {
    let status: EnrollmentStatus
    if manner == .launching {
      // Otherwise the next check-in is due anyway.
      guard let attempt = try await launches.enrollment.attemptAtStart(reference) else { return }
      status = attempt
    } else {
      status = try await launches.enrollment.attemptAndFollowUp(reference)
    }
    guard try look() == nil else { return }
    if status.access == .block { end.isWiped = true } else { end = LaunchEnd() }
  }

  /// Wipes the account, unless the cancel of a sign-in has done so already. Blocks it if wipes are on hold since this run
  /// has begun.
  private mutating func wipe() async throws(MAMError) {
    try live.refresh()
    let rule = end.findings.first { $0.outcome == .wipe }
    if let account = live.state.account(reference), let rule, let setting = rule.setting {
      _ = try launches.wipes.mark(reference, account.wipeReason(setting, rule.result.text))
      if let hold = live.state.account(reference)?.hold { return end.hold(by: hold) }
    }
    end.isWiped = true
    if manner != .launching { try await launches.wipes.finishUnlessInUse(of: reference) }
  }

  /// Notes that a wipe waits because wipes are on hold, or that none does any longer.
  private func noteHold() throws(MAMError) {
    guard let account = live.state.account(reference), account.hold != nil, !account.isWiping else { return }
    if let rule = end.heldRule, let setting = rule.setting, let text = rule.heldText {
      guard account.heldWipe == nil else { return }
      _ = try launches.wipes.mark(reference, account.wipeReason(setting, text))
    } else if account.heldWipe?.cause == .policy, end.verdict == .allow {
      try launches.wipes.forgetHeld(reference)
    }
  }

  private func noteUse() throws(MAMError) {
    guard end.verdict == .allow, session.isInUse, let account = live.state.account(reference) else { return }
    let use = try launches.checks.use(of: account, in: session)
    if use.isRecheckDue { try spendAnswers(of: account) }
    let activity = use.used(signedInAt: live.state.signIns.time(of: account.account))
    try launches.checks.activities.note(activity, of: account.account)
    session.show(reference)
  }

  /// What the user answered before this use does not serve the next use that must be checked.
  private func spendAnswers(of account: AccountState) throws(MAMError) {
    try launches.pins.spendAnswer(of: account)
    guard end.findings.contains(where: { $0.setting == .organizationalCredentialsRequired }) else { return }
    try launches.challenges.withdrawAnswers(to: CredentialsCheck.notice, about: reference)
  }
}

/// The steps that may ask the user.
extension LaunchRun {
  /// Asks the user to accept all warnings in one question.
  mutating func warn() async throws(MAMError) {
    guard let notice = end.warning, manner != .silent else { return }
    if session.hasAccepted(notice.message, of: reference) { return end.acceptWarnings() }
    switch try await ask(.warning, notice, .lasting) {
    case .accepted:
      session.accept(notice.message, of: reference)
      end.acceptWarnings()
    case .canceled, .over: end.declineWarnings()
    case .open(let challenge): end.ask(challenge)
    }
  }

  mutating func askForPIN() async throws(MAMError) {
    guard let account = live.state.account(reference), let setting = account.policy?.effective.pinSetting else {
      return
    }
    let use = try launches.checks.use(of: account, in: session)
    let step = try await launches.pins.step(
      for: account, beside: companions, window: window, isRecheckDue: use.isRecheckDue, mayAsk: mayAsk,
      noting: notes)
    if let hold = live.state.account(reference)?.hold { end.hold(by: hold) }
    end.add(
      LaunchFinding(
        .pinRequired, true, policyID: setting.policyID,
        step.result(because: use.recheckCause(enteredAt: try launches.pins.lastEntry(of: account)))))
    switch step {
    case .challenge(let challenge): end.ask(challenge)
    case .canceled: end.cancel()
    case .wipe where live.state.account(reference)?.hold != nil: break
    case .wipe:
      if manner != .launching { try await launches.wipes.finishUnlessInUse(of: reference) }
      end.isWiped = true
    case .notRequired, .passed: break
    }
  }

  mutating func letSignIn() async throws(MAMError) {
    guard let finding = end.signIn, let notice = finding.result.notice else { return }
    switch try await ask(.credentials, notice, .once(since: launches.checks.oldestSignIn(of: reference))) {
    case .accepted: end.acceptSignIn()
    case .canceled, .over: end.declineSignIn()
    case .open(let challenge): end.ask(challenge)
    }
  }

  private var mayAsk: Bool { manner == .asking && end.challenges.isEmpty }

  /// Returns the user's answer since the last call, or else asks now.
  private func ask(
    _ kind: Challenge.Kind, _ notice: UserNotice, _ acceptance: UserQuestion.Acceptance
  ) async throws(MAMError) -> Challenges.Outcome {
    let question = UserQuestion(
      kind: kind, reference: reference, window: window, notice: notice, acceptance: acceptance)
    return try await launches.challenges.ask(
      question, takingAnswer: manner == .asking, askingHost: mayAsk, noting: notes)
  }
}

extension EffectivePolicy {
  /// The setting that requires a PIN; `nil` if the policy requires none.
  var pinSetting: Setting? { value(of: .pinRequired) == .bool(true) ? settings[.pinRequired] : nil }
}

extension Challenge.Kind {
  /// Why this challenge is needed for the PIN. `cause` is why a PIN that was entered before no longer counts.
  fileprivate func textOfPIN(_ cause: String?) -> String {
    switch self {
    case .setPIN: "The user has no PIN yet, and is asked to choose one."
    case .changePIN: "The PIN has expired or no longer follows the policy: the user is asked to choose another PIN."
    case .credentials: "A wrong PIN was entered too often: the user is asked to sign in and to choose another PIN."
    case .enterPIN, .warning: "The user is asked to enter the PIN" + (cause.map { ": \($0)." } ?? ".")
    }
  }
}

extension PINStep {
  /// The result of the step as a rule of a conditional launch. `cause` is why the PIN is checked again.
  func result(because cause: String?) -> LaunchCheckResult {
    switch self {
    case .notRequired: .pinNotRequired
    case .passed: .pinPassed
    case .challenge(let challenge): .pinChallenge(challenge.kind, cause)
    case .canceled: LaunchCheckResult(actual: .null, outcome: .block, text: "The user canceled.", notice: nil)
    case .wipe: .pinWipe
    }
  }
}

extension LaunchCheckResult {
  fileprivate static let pinNotRequired = passed(.null, "The device has its own PIN, so no PIN is required.")
  fileprivate static let pinPassed = passed(.null, "The user entered the PIN.")

  fileprivate static func pinChallenge(_ kind: Challenge.Kind, _ cause: String?) -> Self {
    Self(actual: .null, outcome: .challenge, text: kind.textOfPIN(cause), notice: nil)
  }

  fileprivate static let pinWipe = failed(
    .null, .wipe, "A wrong PIN was entered too often", UserNotice(.alert(.wipedTitle), .pin(.retriesWipe)))

  /// The result for a demand; pass `nil` if the device's PIN is enough. `cause` is why the PIN is checked again.
  static func pin(_ demand: PINDemand?, because cause: String?) -> Self {
    guard let demand else { return .pinNotRequired }
    if demand == .wipe { return .pinWipe }
    return demand.kind.map { .pinChallenge($0, cause) } ?? .pinPassed
  }
}
