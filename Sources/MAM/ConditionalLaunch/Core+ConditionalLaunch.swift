import Model
import Policy
import Support

extension Core {
  /// What the policy of an account asks of device, app and user before its data is shown, and what came of it; nil for
  /// whoever holds where no identity is set. What the user has to answer is asked for; a rule that wipes wipes.
  package func evaluateLaunch(
    of reference: AccountReference?, window: String?, in session: LaunchSession
  ) async throws(MAMError) -> ConditionalLaunch {
    try refresh()
    let account = reference.map { state.account($0) } ?? state.effectiveAccount
    return try await launch(account, window: window, in: session, .asking).report(in: language)
  }

  /// The rules of an account's policy, PIN and sign-in included. Before all of them stands that a required policy is
  /// there, without which this throws 4001.
  func launch(
    _ account: AccountState?, window: String?, in session: LaunchSession, _ manner: LaunchRun.Manner
  ) async throws(MAMError) -> LaunchEnd {
    try state.checkPolicyIsThere()
    guard let reference = account?.reference, account?.isManaged == true else { return LaunchEnd() }
    var run = LaunchRun(self, reference, window: window, session, manner)
    let end = try await run.run()
    try log(end, of: account)
    return end
  }

  /// What the rules of an account's policy find now, the PIN left out. Asks nobody and changes nothing;
  /// `foregroundSince` as in `AccountUse`.
  func launchFindings(
    of account: AccountState, foregroundSince: Timestamp? = nil
  ) throws(MAMError) -> [LaunchFinding] {
    guard let rules = account.policy?.launch else { return [] }
    let use = try use(of: account, foregroundSince: foregroundSince)
    let signIn = state.signIns.time(of: account.account)
    return rules.findings(
      LaunchFacts(account, state.device, signedInAt: signIn, isSignInFresh: use.isFresh(signIn), at: use.now))
  }

  /// How the conditional launch of an account stands now, PIN included. Asks nobody and changes nothing. Nil for an
  /// account without policy.
  func launchStanding(of account: AccountState) throws(MAMError) -> LaunchEnd? {
    guard account.isManaged else { return nil }
    var end = LaunchEnd(try launchFindings(of: account))
    end.isWiped = account.isWiping
    if let finding = try pinFinding(of: account) { end.add(finding) }
    return end
  }

  private func log(_ end: LaunchEnd, of account: AccountState?) throws(MAMError) {
    traceRules(of: end, account)
    guard let rule = end.decisive, let account = account?.account else { return }
    try refresh().log.write(
      .warning, .conditionalLaunch,
      """
      conditional launch of \(personal: account): \(public: end.verdict.rawValue), \(public: rule.setting.rawValue). \
      \(public: rule.result.text)
      """)
  }
}

extension Core {
  private func traceRules(of end: LaunchEnd, _ account: AccountState?) {
    guard verbose.isOn, let account = account?.account else { return }
    for rule in end.findings {
      trace(.conditionalLaunch) {
        """
        conditional launch of \(personal: account): \(public: rule.setting.rawValue) \(public: rule.outcome.rawValue). \
        \(public: rule.result.text)
        """
      }
    }
    trace(.conditionalLaunch) {
      "conditional launch of \(personal: account): \(public: end.verdict.rawValue), challenges open: \(end.challenges.count)"
    }
  }
}

extension LaunchEnd {
  func report(in language: Language) -> ConditionalLaunch {
    ConditionalLaunch(
      verdict: verdict, rules: findings.map { $0.report(in: language) }, challenges: challenges, host: .current)
  }
}
