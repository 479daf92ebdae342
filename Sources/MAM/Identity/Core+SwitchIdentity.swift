import Model

extension Core {
  /// Shows an account in a window, when it may be shown there and its conditional launch allows it; otherwise the window
  /// keeps its identity. Nil takes the window's own identity back, so that the process's holds.
  ///
  /// What the user has to answer and no host asks is the error `challenge`: the call is to be repeated.
  package func setUIIdentity(
    _ reference: AccountReference?, window: String?, of identities: Identities, in session: LaunchSession
  ) async throws(MAMError) -> SwitchIdentityResult {
    try refresh()
    guard reference.map(state.mayShow) ?? true else { return .notAllowed }
    let account = reference ?? processIdentity
    let shown = account.map { state.account($0) } ?? state.effectiveAccount
    let end = try await launch(shown, window: window, in: session, .asking)
    if end.verdict == .allow {
      try identities.setWindow(window, reference)
      return .success
    }
    if let open = end.challenges.first, !end.isOver { throw .challenge(open) }
    tell(end, in: window)
    return end.isCanceled && !end.isWiped && !state.settings.bool(.multiIdentityCancelDisabled) ? .canceled : .failed
  }

  /// Tells the user of a window why an account is not shown. Nothing depends on what is chosen, so nobody waits for it.
  private func tell(_ end: LaunchEnd, in window: String?) {
    guard !end.isCanceled || end.isWiped, let notice = end.decisive?.result.notice else { return }
    let alert = HostAlert(notice, window: window, in: language)
    Task { [host] in _ = await host.showAlert(alert) }
  }
}
