import Model
import Policy
import Support

/// One conditional launch of one account, step by step: the rules about device, app and account; then warnings, the PIN
/// and the sign-in, each of which may ask the user.
///
/// What blocks because the policy source was away is tried to be mended by a check-in first. What nobody answers stays
/// open as a challenge; the steps after it are then looked at without asking.
struct LaunchRun: Sendable {
  enum Manner: Sendable {
    /// The host may be asked, and the run counts as use.
    case asking
    /// Only tells how it stands.
    case silent
    /// The launch of the application: asks nobody and opens every challenge. A wipe is marked, for `Wipes.finishDue`.
    case launching
  }

  let core: Core
  let reference: AccountReference
  let window: String?
  let session: LaunchSession
  let manner: Manner
  var end = LaunchEnd()

  init(_ core: Core, _ reference: AccountReference, window: String?, _ session: LaunchSession, _ manner: Manner) {
    self.core = core
    self.reference = reference
    self.window = window
    self.session = session
    self.manner = manner
  }

  /// An account without policy has no rules, and may be shown.
  mutating func run() async throws(MAMError) -> LaunchEnd {
    guard try look() != nil else { return end }
    if manner != .silent, end.findings.contains(where: \.isMendedBySource), core.state.device.networkAvailable {
      try await checkIn()
    }
    if !end.isOver { try await warn() }
    if !end.isOver { try await askForPIN() }
    if !end.isOver { try await letSignIn() }
    if end.finds(.wipe), !end.isWiped { try await wipe() }
    if manner == .asking { try noteUse() }
    return end
  }

  /// Looks at all rules anew. Nil for an account without policy.
  private mutating func look() throws(MAMError) -> AccountState? {
    try core.refresh()
    guard let account = core.state.account(reference), account.isManaged else { return nil }
    end = LaunchEnd(try core.conditionalLaunch.findings(of: account, foregroundSince: session.foregroundSince))
    end.isWiped = account.isWiping
    return account
  }

  /// What a check-in took away is wiped: then nothing is left to look at.
  private mutating func checkIn() async throws(MAMError) {
    if manner == .launching {
      _ = try core.enrollment.attempt(reference)
    } else {
      _ = try await core.enrollment.attemptAndFollowUp(reference)
    }
    if try look() == nil { end.isWiped = true }
  }

  /// The cancel of a sign-in has wiped already.
  private mutating func wipe() async throws(MAMError) {
    end.isWiped = true
    try core.refresh()
    guard core.state.account(reference) != nil else { return }
    let rule = end.findings.first { $0.outcome == .wipe }
    let cause = rule.map { "\($0.setting.rawValue): \($0.result.text)" } ?? ""
    _ = try core.wipes.mark(reference, .conditionalLaunch(cause))
    if manner != .launching { try await core.wipes.goOn(of: reference) }
  }

  private func noteUse() throws(MAMError) {
    guard end.verdict == .allow, session.isInUse, let account = core.state.account(reference) else { return }
    let use = try core.conditionalLaunch.use(of: account, foregroundSince: session.foregroundSince)
    if let activity = use.used(signedInAt: core.state.signIns.time(of: account.account)) {
      try core.conditionalLaunch.note(activity, of: account)
    }
  }
}

extension LaunchFinding {
  /// Whether it keeps the user out, and the policy source may say something else by now.
  fileprivate var isMendedBySource: Bool { dependsOnSource && [.warn, .block, .wipe].contains(outcome) }
}

/// The steps that ask.
extension LaunchRun {
  /// All warnings are one question.
  mutating func warn() async throws(MAMError) {
    let notices = end.warnings.compactMap(\.result.notice)
    guard let first = notices.first, manner != .silent else { return }
    let notice = UserNotice(first.title, UserText(lines: notices.map(\.message)))
    if session.hasAccepted(notice.message, of: reference) { return acceptWarnings() }
    switch try await ask(.warning, notice, .lasting) {
    case .accepted:
      session.accept(notice.message, of: reference)
      acceptWarnings()
    case .canceled, .over: cancel(.warn, into: .block)
    case .open(let challenge): end.ask(challenge)
    }
  }

  private mutating func acceptWarnings() {
    for finding in end.warnings {
      end.turn(.warn, into: .accepted, "\(finding.result.text) The user has accepted that.") {
        $0.setting == finding.setting
      }
    }
  }

  private mutating func cancel(_ outcome: LaunchOutcome, into new: LaunchOutcome) {
    end.turn(outcome, into: new, "The user has canceled.")
    end.cancel()
  }

  mutating func askForPIN() async throws(MAMError) {
    guard let account = core.state.account(reference), let setting = account.policy?.effective.pinSetting else {
      return
    }
    let use = try core.conditionalLaunch.use(of: account, foregroundSince: session.foregroundSince)
    let step = try await core.pins.step(
      for: account, window: window, isRecheckDue: use.isRecheckDue, mayAsk: mayAsk)
    end.add(LaunchFinding(.pinRequired, true, policyID: setting.policyID, step.result))
    switch step {
    case .challenge(let challenge): end.ask(challenge)
    case .canceled: end.cancel()
    case .wipe:
      if manner != .launching { try await core.wipes.goOn(of: reference) }
      end.isWiped = true
    case .notRequired, .passed: break
    }
  }

  /// One sign-in is enough for all rules that want one.
  mutating func letSignIn() async throws(MAMError) {
    guard let finding = end.signIn, let notice = finding.result.notice else { return }
    switch try await ask(.credentials, notice, .once) {
    case .accepted: end.turn(.challenge, into: .passed, "The user has signed in.") { $0.setting != .pinRequired }
    case .canceled, .over: cancelSignIn()
    case .open(let challenge): end.ask(challenge)
    }
  }

  /// Who was offline for too long and does not sign in loses the data.
  private mutating func cancelSignIn() {
    let text = "The app was offline for too long, and the user did not sign in: the account's data is removed."
    end.turn(.challenge, into: .wipe, text) { $0.setting == .periodOfflineBeforeWipeIsEnforced }
    cancel(.challenge, into: .block)
  }

  private var mayAsk: Bool { manner == .asking && end.challenges.isEmpty }

  /// What the user says: since the last call, or asked for now.
  private func ask(
    _ kind: Challenge.Kind, _ notice: UserNotice, _ acceptance: UserQuestion.Acceptance
  ) async throws(MAMError) -> Challenges.Outcome {
    let question = UserQuestion(
      kind: kind, reference: reference, window: window, notice: notice, acceptance: acceptance)
    return try await core.challenges.ask(question, takingAnswer: manner == .asking, askingHost: mayAsk)
  }
}

extension EffectivePolicy {
  /// Nil where no PIN is wanted.
  var pinSetting: Setting? { value(of: .pinRequired) == .bool(true) ? settings[.pinRequired] : nil }
}

extension Challenge.Kind {
  /// Why the PIN asks for it.
  fileprivate var textOfPIN: String {
    switch self {
    case .setPIN: "The user has no PIN yet, and is asked to choose one."
    case .changePIN: "The PIN has expired or does not follow the policy any more: the user is asked for another one."
    case .credentials: "The PIN was entered wrongly too often: the user is asked to sign in, and then for another one."
    case .enterPIN, .warning: "The user is asked for the PIN."
    }
  }
}

extension PINStep {
  /// As one of the rules of a conditional launch.
  var result: LaunchCheckResult {
    switch self {
    case .notRequired: .pinNotRequired
    case .passed: .pinPassed
    case .challenge(let challenge): .pinChallenge(challenge.kind)
    case .canceled: LaunchCheckResult(actual: .null, outcome: .block, text: "The user has canceled.", notice: nil)
    case .wipe: .pinWipe
    }
  }
}

extension LaunchCheckResult {
  fileprivate static let pinNotRequired = passed(.null, "No PIN is asked for: the device has one of its own.")
  fileprivate static let pinPassed = passed(.null, "The user has entered the PIN.")

  fileprivate static func pinChallenge(_ kind: Challenge.Kind) -> Self {
    Self(actual: .null, outcome: .challenge, text: kind.textOfPIN, notice: nil)
  }

  fileprivate static let pinWipe = failed(
    .null, .wipe, "The PIN was entered wrongly too often", UserNotice(.alert(.wipedTitle), .pin(.retriesWipe)))

  /// Nil where the device's own PIN is enough.
  static func pin(_ demand: PINDemand?) -> Self {
    guard let demand else { return .pinNotRequired }
    if demand == .wipe { return .pinWipe }
    return demand.kind.map { .pinChallenge($0) } ?? .pinPassed
  }
}
