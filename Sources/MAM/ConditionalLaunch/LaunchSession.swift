import Model
import Policy
import Support

/// What one run of a host has told of its windows, and what its user has accepted. Ends with the host's connection: an
/// app that starts again is warned again.
package final class LaunchSession: Sendable {
  private struct State {
    var windows: Set<String> = []
    /// Since when a window is in the foreground; nil while none is.
    var foregroundSince: Timestamp?
    /// Whether the host tells of its windows at all.
    var isTold = false
    /// By account.
    var acceptedWarnings: [String: Set<UserText>] = [:]
  }

  private let state = Lock(State())

  package init() {}

  var foregroundSince: Timestamp? { state.withLock { $0.foregroundSince } }

  /// Whether a check counts as use: always, unless the host has told that it is in the background.
  var isInUse: Bool { state.withLock { !$0.isTold || $0.foregroundSince != nil } }

  package func enter(_ window: String?, at now: Timestamp) throws(MAMError) {
    try state.withLock { state throws(MAMError) in
      let window = window ?? Identities.main
      try Identities.check(window, count: state.windows.count, isKnown: state.windows.contains(window))
      state.isTold = true
      state.windows.insert(window)
      state.foregroundSince = state.foregroundSince ?? now
    }
  }

  /// How the foreground was left by that; nil while other windows are still there.
  package func leave(_ window: String?, at now: Timestamp) -> LeftForeground? {
    state.withLock { state in
      state.isTold = true
      state.windows.remove(window ?? Identities.main)
      guard state.windows.isEmpty else { return nil }
      return LeftForeground(since: state.foregroundSince.take(), at: now)
    }
  }

  func accept(_ warning: UserText, of account: AccountReference) {
    state.withLock { _ = $0.acceptedWarnings[account.key, default: []].insert(warning) }
  }

  func hasAccepted(_ warning: UserText, of account: AccountReference) -> Bool {
    state.withLock { $0.acceptedWarnings[account.key]?.contains(warning) ?? false }
  }
}

/// The end of a stay in the foreground.
package struct LeftForeground: Sendable {
  /// Nil where its beginning was never told.
  let since: Timestamp?
  let at: Timestamp
}

/// Which account a window shows.
package struct Windows: Sendable {
  let core: Core

  /// Shows an account in a window, when it may be shown there and its conditional launch allows it; otherwise the window
  /// keeps its identity. Nil takes the window's own identity back, so that the process's holds.
  ///
  /// What the user has to answer and no host asks is the error `challenge`: the call is to be repeated.
  package func show(
    _ reference: AccountReference?, window: String?, of identities: Identities, in session: LaunchSession
  ) async throws(MAMError) -> SwitchIdentityResult {
    try core.refresh()
    guard reference.map(core.state.mayShow) ?? true else { return .notAllowed }
    let account = reference ?? core.processIdentity
    let shown = account.map { core.state.account($0) } ?? core.state.effectiveAccount
    let end = try await core.conditionalLaunch.run(shown, window: window, in: session, .asking)
    if end.verdict == .allow {
      try identities.setWindow(window, reference)
      return .success
    }
    if let open = end.challenges.first, !end.isOver { throw .challenge(open) }
    tell(end, in: window)
    let mayCancel = !core.state.settings.bool(.multiIdentityCancelDisabled)
    return end.isCanceled && !end.isWiped && mayCancel ? .canceled : .failed
  }

  /// Evaluates what a window shows that came into the foreground. After a cancel the host is asked to show nobody there; a
  /// window whose host does not keeps its identity, and with it the policy.
  package func didBecomeActive(
    _ reference: AccountReference?, window: String?, of identities: Identities, in session: LaunchSession
  ) async throws(MAMError) -> ConditionalLaunch {
    try core.refresh()
    let account = reference.map { core.state.account($0) } ?? core.state.effectiveAccount
    let end = try await core.conditionalLaunch.run(account, window: window, in: session, .asking)
    if end.isCanceled, !core.state.settings.bool(.multiIdentityCancelDisabled) {
      try await showNobody(in: window ?? Identities.main, of: identities)
    }
    return end.report(in: core.language)
  }

  private func showNobody(in window: String, of identities: Identities) async throws(MAMError) {
    let nobody = core.state.named(.noUser)
    let isSwitched = await core.host.identitySwitchRequired(
      to: nobody, window: window, reason: .cancelConditionalLaunch)
    guard isSwitched else { return }
    try identities.setWindow(window, .noUser)
  }

  /// Tells the user of a window why an account is not shown. Nothing depends on what is chosen, so nobody waits for it.
  private func tell(_ end: LaunchEnd, in window: String?) {
    guard !end.isCanceled || end.isWiped, let notice = end.decisive?.result.notice else { return }
    let alert = HostAlert(notice, window: window, in: core.language)
    Task { [core] in _ = await core.host.showAlert(alert) }
  }
}
