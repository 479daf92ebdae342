import Model
import SQLite
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
  }

  let core: Core
  let reference: AccountReference
  let window: String?
  let session: LaunchSession
  let manner: Manner
  private(set) var end = LaunchEnd()

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
    if manner == .asking, end.findings.contains(where: \.isMendedBySource), core.state.device.networkAvailable {
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
    end = LaunchEnd(try core.launchFindings(of: account, foregroundSince: session.foregroundSince))
    end.isWiped = account.isWiping
    return account
  }

  /// What a check-in took away is wiped: then nothing is left to look at.
  private mutating func checkIn() async throws(MAMError) {
    _ = try await core.enrollment.attemptAndFollowUp(reference)
    if try look() == nil { end.isWiped = true }
  }

  private mutating func wipe() async throws(MAMError) {
    let rule = end.findings.first { $0.outcome == .wipe }
    let cause = rule.map { "\($0.setting.rawValue): \($0.result.text)" } ?? ""
    _ = try await core.enrollment.wipe(reference, .conditionalLaunch(cause))
    end.isWiped = true
  }

  private func noteUse() throws(MAMError) {
    guard end.verdict == .allow, session.isInUse, let account = core.state.account(reference) else { return }
    let use = try core.use(of: account, foregroundSince: session.foregroundSince)
    if let activity = use.used(signedInAt: core.state.signIns.time(of: account.account)) {
      try core.set(activity, of: account)
    }
  }
}

/// The steps that ask.
extension LaunchRun {
  /// All warnings are one question.
  private mutating func warn() async throws(MAMError) {
    let notices = end.warnings.compactMap(\.result.notice)
    guard let first = notices.first, manner == .asking else { return }
    let text = notices.map { $0.text() }.joined(separator: "\n")
    if session.hasAccepted(text, of: reference) { return acceptWarnings() }
    switch try await settle(.warning, title: first.title.text(), message: text) {
    case .accepted:
      session.accept(text, of: reference)
      acceptWarnings()
    case .canceled: cancel(.warn, into: .block)
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

  private mutating func askForPIN() async throws(MAMError) {
    guard let account = core.state.account(reference), let setting = account.policy?.effective.pinSetting else {
      return
    }
    let use = try core.use(of: account, foregroundSince: session.foregroundSince)
    let step = try await core.pinStep(
      for: account, window: window, isRecheckDue: use.isRecheckDue, mayAsk: mayAsk)
    end.add(LaunchFinding(.pinRequired, true, policyID: setting.policyID, step.result))
    switch step {
    case .challenge(let challenge): end.ask(challenge)
    case .canceled: end.cancel()
    case .wipe:
      try await core.enrollment.finishWipes(of: reference)
      end.isWiped = true
    case .notRequired, .passed: break
    }
  }

  /// One sign-in is enough for all rules that want one.
  private mutating func letSignIn() async throws(MAMError) {
    guard let finding = end.signIn, let notice = finding.result.notice else { return }
    switch try await settle(.credentials, title: notice.title.text(), message: notice.text()) {
    case .accepted: end.turn(.challenge, into: .passed, "The user has signed in.") { $0.setting != .pinRequired }
    case .canceled:
      cancelSignIn()
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

  private enum Answer {
    case accepted, canceled
    case open(Challenge)
  }

  /// What the user says: since the last call, or asked for now.
  private func settle(
    _ kind: Challenge.Kind, title: String, message: String
  ) async throws(MAMError) -> Answer {
    if let answer = try answer(kind, message) { return answer }
    let challenge = try core.challenges.open(kind, about: reference, in: window, title: title, message: message)
    guard mayAsk else { return .open(challenge) }
    switch try await core.challenges.ask(challenge) {
    case .unanswered: return .open(challenge)
    case .closed, .canceled: return try answer(kind, message) ?? .canceled
    }
  }

  /// An accepted warning holds for other processes too, until its challenge expires; all else is told once.
  private func answer(_ kind: Challenge.Kind, _ message: String) throws(MAMError) -> Answer? {
    let stored = try core.challenges.all(about: reference).last { stored in
      stored.outcome != nil && stored.challenge.kind == kind && stored.challenge.message == message
    }
    guard let stored, let outcome = stored.outcome else { return nil }
    switch outcome {
    case .accepted where kind == .warning || manner == .silent: return .accepted
    case .accepted:
      try remove(stored.challenge)
      return .accepted
    case .canceled where manner == .silent: return nil
    case .canceled:
      try remove(stored.challenge)
      return .canceled
    }
  }

  private func remove(_ challenge: Challenge) throws(MAMError) {
    try core.refresh().store.note { connection throws(SQLiteError) in try connection.remove(challenge) }
  }
}

extension LaunchFinding {
  /// Whether it keeps the user out, and the policy source may say something else by now.
  fileprivate var isMendedBySource: Bool { dependsOnSource && [.warn, .block, .wipe].contains(outcome) }
}

extension EffectivePolicy {
  /// Nil where no PIN is wanted.
  fileprivate var pinSetting: Setting? { value(of: .pinRequired) == .bool(true) ? settings[.pinRequired] : nil }
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
  fileprivate var result: LaunchCheckResult {
    switch self {
    case .notRequired: .passed(.null, "No PIN is asked for: the device has one of its own.")
    case .passed: .passed(.null, "The user has entered the PIN.")
    case .challenge(let challenge):
      LaunchCheckResult(
        actual: .null, outcome: .challenge, text: challenge.kind.textOfPIN, notice: nil)
    case .canceled: LaunchCheckResult(actual: .null, outcome: .block, text: "The user has canceled.", notice: nil)
    case .wipe(let message):
      .failed(
        .null, .wipe, "The PIN was entered wrongly too often", UserNotice(title: .wipedTitle, message: message))
    }
  }
}
