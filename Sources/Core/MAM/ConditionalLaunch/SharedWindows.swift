import Model
import Policy

/// Windows that show several accounts.
extension Windows {
  /// Shows several accounts in a window. Runs the conditional launch of each managed account in turn. The host is asked
  /// to hide those that may not be shown, and the window shows the rest. Names of one account count once, a single
  /// account is shown as by `show(_:)`, and an empty list shows no user.
  ///
  /// `revision` is the number of the call: if a later call has set the window, the window keeps what it got. Throws
  /// `challenge` like `show(_:)`.
  package func show(
    _ references: [AccountReference], window: String?, of identities: Identities, in session: LaunchSession,
    revision: Int
  ) async throws(MAMError) -> SwitchIdentityResult {
    try live.refresh()
    let accounts = live.state.directory.folding(references)
    guard accounts.count > 1 else {
      return try await show(
        accounts.first ?? .noUser, window: window, of: identities, in: session, revision: revision)
    }
    guard live.state.allowsSeveralAccounts else { return .notAllowed }
    let name = window ?? Identities.main
    try identities.checkWindow(name, showing: accounts)
    let round = try await launch(accounts, window: name, of: identities, in: session)
    switch round.outcome {
    case .failed: return .failed
    case .switchedToNobody: break
    case .hidden:
      guard identities.revision(ofWindow: name) < revision else { return .canceled }
      try identities.setWindow(name, accounts: accounts.filter { !round.hidden.contains($0) }, revision: revision)
    }
    return round.hasFailedElsewhere ? .failed : .success
  }

  /// Runs the conditional launch of each account of a view whose window came to the foreground, and blocks those that
  /// may not be shown. The report has the worst verdict, and the rules of all accounts up to the first that waits for its
  /// user.
  package func didBecomeActive(
    _ view: SharedView, window: String?, of identities: Identities, in session: LaunchSession
  ) async throws(MAMError) -> ConditionalLaunch {
    try live.refresh()
    let round = try await launch(
      view.accounts, window: window ?? Identities.main, of: identities, in: session, isRepeated: true)
    return ConditionalLaunch(joining: round.ends.map { $0.report(in: live.language) })
  }

  /// What the launches of all accounts of a view came to.
  private struct Round {
    var ends: [LaunchEnd] = []
    var hidden: [AccountReference] = []
    /// The outcome in the window itself.
    var outcome = Blocks.Outcome.hidden
    /// Whether the host still shows a blocked account in another window.
    var hasFailedElsewhere = false
  }

  /// With `isRepeated`, an open challenge ends the round instead of being an error.
  private func launch(
    _ accounts: [AccountReference], window: String, of identities: Identities, in session: LaunchSession,
    isRepeated: Bool = false
  ) async throws(MAMError) -> Round {
    var round = Round()
    for (reference, companions) in accounts.inTurn {
      let end = try await launches.run(
        live.state.account(reference), beside: companions, window: window, in: session, .asking)
      round.ends.append(end)
      if end.verdict == .allow { continue }
      if let open = end.awaited {
        if isRepeated { return round }
        throw .challenge(open)
      }
      // A wipe is no block: the account goes away with its data.
      if end.isWiped {
        alertUser(to: end, in: window)
        round.hidden.append(reference)
        for name in identities.windows(showing: reference, live.state.directory) {
          identities.hide(reference, inWindow: name, live.state.directory)
        }
        continue
      }
      try await block(reference, end, in: window, of: identities, &round)
      guard case .hidden = round.outcome else { break }
    }
    identities.forgetHidden(inWindow: window)
    return round
  }

  /// Asks the host for each window that shows the account, this one first. A call that is repeated after a challenge
  /// does not ask again.
  private func block(
    _ reference: AccountReference, _ end: LaunchEnd, in window: String, of identities: Identities,
    _ round: inout Round
  ) async throws(MAMError) {
    let reason = end.blockReason(mayCancel: !live.state.settings.bool(.multiIdentityCancelDisabled))
    let isNew = try blocks.note(live.state.named(reference), reason)
    let shown = identities.windows(showing: reference, live.state.directory)
    round.hidden.append(reference)
    if isNew || shown.contains(window) || !identities.hasHidden(reference, inWindow: window, live.state.directory) {
      alertUser(to: end, in: window)
      round.outcome = try await blocks.hide(reference, reason, in: window, of: identities)
      identities.noteHidden(reference, inWindow: window)
    }
    for other in shown where other != window {
      let outcome = try await blocks.hide(reference, reason, in: other, of: identities)
      if case .failed = outcome { round.hasFailedElsewhere = true }
    }
  }
}

extension [AccountReference] {
  /// Each with those after it, which an answer about it may also serve.
  var inTurn: [(reference: AccountReference, companions: [AccountReference])] {
    enumerated().map { index, reference in (reference, Array(self[(index + 1)...])) }
  }
}
