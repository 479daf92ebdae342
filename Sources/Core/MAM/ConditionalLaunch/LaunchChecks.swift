import Model
import Policy
import Support

/// What the rules of a conditional launch find now, and whether a use of an account goes on. Asks nobody and changes
/// nothing.
struct LaunchChecks: Sendable {
  let live: LiveState
  let activities: Activities

  /// Evaluates the rules of an account's policy now, except the PIN. `session` is
  /// `nil` if no host shows the account.
  func findings(of account: AccountState, in session: LaunchSession? = nil) throws(MAMError) -> [LaunchFinding] {
    guard let rules = account.policy?.launch else { return [] }
    let use = try use(of: account, in: session)
    let signIn = live.state.signIns.time(of: account.account)
    let findings = rules.findings(
      LaunchFacts(account, live.state.device, signedInAt: signIn, isSignInFresh: use.isFresh(signIn), at: use.now))
    guard let hold = account.hold else { return findings }
    let order = account.heldWipe.flatMap { $0.cause == .policy ? nil : $0 }
    return findings.map { $0.held(by: hold) }
      + [order.map { LaunchFinding(waitingFor: $0.text, hold) }].compactMap { $0 }
  }

  func use(of account: AccountState, in session: LaunchSession?) throws(MAMError) -> AccountUse {
    let isShown = account.reference.map { session?.isShowing($0) ?? false } ?? false
    return try use(of: account, isShown: isShown, at: live.now)
  }

  /// A sign-in that was asked for and given before this time does not count for a use that begins now.
  func oldestSignIn(of reference: AccountReference?) -> Timestamp {
    guard let period = reference.flatMap(live.state.account)?.policy?.launch.recheckAfter else { return .never }
    return live.now.advanced(by: -max(period.milliseconds, PINRules.leastMilliseconds))
  }

  func use(of account: AccountState, isShown: Bool, at time: Timestamp) throws(MAMError) -> AccountUse {
    let last = try activities.last(of: account.account)
    return AccountUse(last, account.policy?.launch.recheckAfter, isShown: isShown, at: time)
  }
}
