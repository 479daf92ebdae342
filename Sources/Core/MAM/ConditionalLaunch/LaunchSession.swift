import Model
import Policy
import Support

/// The windows that one host has reported, and the warnings that its user has accepted. The session ends with the
/// host's connection, so an app that starts again shows its warnings again.
///
/// It keeps no time: how long an account was not used is decided by what the device has stored, and by the time of the
/// state, which a host's report may precede.
package final class LaunchSession: Sendable {
  private struct State {
    /// The windows in the foreground.
    var windows: Set<String> = []
    /// The keys of the accounts that were shown, as allowed, while at least one window has been in the foreground.
    var shown: Set<String> = []
    /// Whether the host has ever reported that a window came to or left the foreground.
    var isTold = false
    /// The accepted warnings of each account, by its key.
    var acceptedWarnings: [String: Set<UserText>] = [:]
  }

  private let state = Lock(State())

  package init() {}

  /// Whether a check counts as use of the account: always, unless the host has reported that it is in the background.
  var isInUse: Bool { state.withLock { !$0.isTold || !$0.windows.isEmpty } }

  /// A window that comes to the foreground twice has left it meanwhile, although the host did not report that.
  package func enter(_ window: String?) throws(MAMError) {
    try state.withLock { state throws(MAMError) in
      let window = window ?? Identities.main
      try Identities.check(window, count: state.windows.count, isKnown: state.windows.contains(window))
      state.isTold = true
      state.windows.remove(window)
      if state.windows.isEmpty { state.shown = [] }
      state.windows.insert(window)
    }
  }

  /// Returns the stay in the foreground that ends; `nil` while other windows are in the foreground. `now` is `nil` if
  /// the time is not known yet.
  package func leave(_ window: String?, at now: Timestamp?) -> LeftForeground? {
    state.withLock { state in
      state.isTold = true
      state.windows.remove(window ?? Identities.main)
      guard state.windows.isEmpty else { return nil }
      defer { state.shown = [] }
      return LeftForeground(shown: state.shown, at: now)
    }
  }

  /// Notes that an account may be shown. Has no effect while no window is in the foreground.
  func show(_ account: AccountReference) {
    state.withLock { state in
      if !state.windows.isEmpty { state.shown.insert(account.key) }
    }
  }

  /// Whether the account was shown, as allowed, in the present stay in the foreground.
  func isShowing(_ account: AccountReference) -> Bool { state.withLock { $0.shown.contains(account.key) } }

  func accept(_ warning: UserText, of account: AccountReference) {
    state.withLock { _ = $0.acceptedWarnings[account.key, default: []].insert(warning) }
  }

  func hasAccepted(_ warning: UserText, of account: AccountReference) -> Bool {
    state.withLock { $0.acceptedWarnings[account.key]?.contains(warning) ?? false }
  }
}

/// A stay in the foreground that has ended.
package struct LeftForeground: Sendable {
  /// The keys of the accounts that were shown.
  fileprivate let shown: Set<String>
  /// `nil` for now.
  let at: Timestamp?

  func hasShown(_ account: AccountReference) -> Bool { shown.contains(account.key) }
}

/// Decides which account a window shows.
package struct Windows: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let identity: ProcessIdentity
  let launches: ConditionalLaunches
  let blocks: Blocks

  /// Shows an account in a window if it may be shown there and its conditional launch allows it; otherwise the window
  /// keeps its identity. `nil` removes the window's own identity, so that the identity of the process applies.
  ///
  /// Throws `challenge` if the user must answer a question and no host asks it; answer the challenge and repeat the
  /// call. For `revision`, see `Identities.setWindow`.
  package func show(
    _ reference: AccountReference?, window: String?, of identities: Identities, in session: LaunchSession,
    revision: Int? = nil
  ) async throws(MAMError) -> SwitchIdentityResult {
    try live.refresh()
    guard reference.map(live.state.mayShow) ?? true else { return .notAllowed }
    let account = reference ?? identity.reference
    let shown = account.map { live.state.account($0) } ?? live.state.effectiveAccount
    let end = try await launches.run(shown, window: window, in: session, .asking)
    if end.verdict == .allow {
      try identities.setWindow(window, reference, revision: revision)
      return .success
    }
    if let open = end.awaited { throw .challenge(open) }
    alertUser(to: end, in: window)
    let mayCancel = !live.state.settings.bool(.multiIdentityCancelDisabled)
    return end.isCanceled && !end.isWiped && mayCancel ? .canceled : .failed
  }

  /// Runs the conditional launch of the account in a window that came to the foreground. If the user cancels, asks the
  /// host to show nobody there. If the host does not, the window keeps its identity, and the policy still applies.
  package func didBecomeActive(
    _ reference: AccountReference?, window: String?, of identities: Identities, in session: LaunchSession
  ) async throws(MAMError) -> ConditionalLaunch {
    try live.refresh()
    let account = reference.map { live.state.account($0) } ?? live.state.effectiveAccount
    let end = try await launches.run(account, window: window, in: session, .asking)
    if end.isCanceled, !live.state.settings.bool(.multiIdentityCancelDisabled) {
      try await showNobody(in: window ?? Identities.main, of: identities)
    }
    return end.report(in: live.language)
  }

  private func showNobody(in window: String, of identities: Identities) async throws(MAMError) {
    let nobody = live.state.named(.noUser)
    let isSwitched = await hosts.current.identitySwitchRequired(
      to: nobody, window: window, reason: .cancelConditionalLaunch)
    guard isSwitched else { return }
    try identities.setWindow(window, .noUser)
  }

  /// Tells the user of a window why an account is not shown. Does not wait for the user's choice, because nothing
  /// depends on it.
  func alertUser(to end: LaunchEnd, in window: String?) {
    guard !end.isCanceled || end.isWiped, let notice = end.decisive?.result.notice else { return }
    let alert = HostAlert(notice, window: window, in: live.language)
    Task(executorPreference: BlockingExecutor.shared) { [hosts] in _ = await hosts.current.showAlert(alert) }
  }
}
