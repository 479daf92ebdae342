import Model
import Policy

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
