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
