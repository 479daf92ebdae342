import Model
import Policy
import Support

/// Runs the conditional launch of accounts, and remembers when their data was last in use.
package struct ConditionalLaunches: Sendable {
  let live: LiveState
  let checks: LaunchChecks
  let blocks: Blocks
  let challenges: Challenges
  let pins: PINs
  let wipes: Wipes
  let enrollment: Enrollment
  let prospects: Prospects

  /// Evaluates what the policy of an account requires of the device, the app and the user before the account's data is
  /// shown. Asks the user if necessary, and wipes the data if a rule requires it. `reference` defaults to the effective
  /// account.
  package func evaluate(
    of reference: AccountReference?, window: String?, in session: LaunchSession
  ) async throws(MAMError) -> ConditionalLaunch {
    try live.refresh()
    let account = reference.map { live.state.account($0) } ?? live.state.effectiveAccount
    return try await run(account, window: window, in: session, .asking).report(in: live.language)
  }

  /// Evaluates the accounts of a view as one launch, up to the first that waits for its user: with the worst verdict,
  /// and the rules of all.
  package func evaluate(
    of view: SharedView, window: String?, in session: LaunchSession
  ) async throws(MAMError) -> ConditionalLaunch {
    try live.refresh()
    var launches: [ConditionalLaunch] = []
    for (reference, companions) in view.accounts.inTurn {
      let end = try await run(
        live.state.account(reference), beside: companions, window: window, in: session, .asking)
      launches.append(end.report(in: live.language))
      if end.awaited != nil { break }
    }
    return ConditionalLaunch(joining: launches)
  }

  /// Runs the rules of an account's policy, including the PIN and the sign-in, and ends the block of an account that
  /// passes. First of all, throws 4001 if a required policy is missing. For `companions`, see `UserQuestion`; for
  /// `notes`, see `LaunchRun`.
  func run(
    _ account: AccountState?, beside companions: [AccountReference] = [], window: String?, in session: LaunchSession,
    _ manner: LaunchRun.Manner, noting notes: LaunchNotes? = nil
  ) async throws(MAMError) -> LaunchEnd {
    try live.state.checkPolicyIsThere()
    guard let account, let reference = account.reference else { return LaunchEnd() }
    guard account.isManaged else { return try endWithoutRules(account) }
    var run = LaunchRun(self, reference, beside: companions, window: window, session, manner, noting: notes)
    let end = try await run.run()
    if end.verdict == .allow { try endBlock(of: live.state.named(reference), manner) }
    try log(end, of: account)
    return end
  }

  /// An account without a policy has no rules, but a wipe of it may be on hold, which has hidden the account.
  private func endWithoutRules(_ account: AccountState) throws(MAMError) -> LaunchEnd {
    if let hold = account.hold, let reason = account.heldWipe {
      return LaunchEnd([LaunchFinding(waitingFor: reason.text, hold)])
    }
    if live.state.blocks.reason(of: account.account) == .conditionalLaunchBlocked {
      try blocks.end(of: account.account)
    }
    return LaunchEnd()
  }

  /// Ends the block of an account whose rules have passed. A launch that does not ask the user ends no block that the
  /// user caused.
  private func endBlock(of account: Account, _ manner: LaunchRun.Manner) throws(MAMError) {
    guard manner == .asking || live.state.blocks.reason(of: account) == .conditionalLaunchBlocked else { return }
    try blocks.end(of: account)
  }

  /// What `evaluate` would end with now, found without asking anybody or changing anything; `nil` for an account without
  /// a policy.
  func forecast(of account: AccountState, in session: LaunchSession) throws(MAMError) -> LaunchEnd? {
    guard account.isManaged else { return nil }
    return try LaunchForecast(self, account, in: session).end
  }

  /// Answers a challenge of any kind. If the answer leads to a wipe, the wipe is done when this returns.
  package func answer(_ id: String, with answer: ChallengeAnswer) async throws(MAMError) -> ChallengeReply {
    let account = try challenges.open(id).challenge.account?.reference
    let reply = try await challenges.answer(id, with: answer)
    if let account { try await wipes.finishUnlessInUse(of: account) }
    return reply
  }

  private func log(_ end: LaunchEnd, of account: AccountState?) throws(MAMError) {
    traceRules(of: end, account)
    guard let rule = end.decisive, let account = account?.account else { return }
    try live.refresh().log.write(
      .warning, .conditionalLaunch,
      """
      conditional launch of \(personal: account): \(public: end.verdict.rawValue), \(public: rule.name.text). \
      \(public: rule.result.text)
      """)
  }
}

extension ConditionalLaunches {
  private func traceRules(of end: LaunchEnd, _ account: AccountState?) {
    guard live.verbose.isOn, let account = account?.account else { return }
    let line = Trace(live: live)
    for rule in end.findings {
      line(.conditionalLaunch) {
        """
        conditional launch of \(personal: account): \(public: rule.name.text) \(public: rule.outcome.rawValue). \
        \(public: rule.result.text)
        """
      }
    }
    line(.conditionalLaunch) {
      "conditional launch of \(personal: account): \(public: end.verdict.rawValue), open challenges: \(end.challenges.count)"
    }
  }
}

extension ConditionalLaunch {
  /// The launches of several accounts as one.
  init(joining launches: [ConditionalLaunch]) {
    self.init(
      verdict: launches.map(\.verdict).max() ?? .allow, rules: launches.flatMap(\.rules),
      challenges: launches.flatMap(\.challenges), host: .current)
  }
}

extension LaunchEnd {
  /// What the user must answer before the launch can end.
  var awaited: Challenge? { isOver ? nil : challenges.first }

  func report(in language: Language) -> ConditionalLaunch {
    ConditionalLaunch(
      verdict: verdict, rules: findings.map { $0.report(in: language) }, challenges: challenges, host: .current)
  }
}

extension ConditionalLaunches {
  /// For each account that was in use, starts the period after which the PIN and the credentials are checked again.
  package func didLeaveForeground(_ left: LeftForeground) throws(MAMError) {
    try live.refresh()
    for account in live.state.managedAccounts {
      let isShown = account.reference.map(left.hasShown) ?? false
      let use = try checks.use(of: account, isShown: isShown, at: left.at ?? live.now)
      if let activity = use.ended { try checks.activities.note(activity, of: account.account) }
    }
  }
}
