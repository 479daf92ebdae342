import Model
import Policy

/// What `ConditionalLaunches.evaluate` would answer.
package struct ForeseenLaunch: Sendable {
  /// Without challenges, which only an evaluation opens.
  package let launch: ConditionalLaunch
  /// Whether only an answer of the user is missing.
  package let asks: Bool
}

extension ConditionalLaunches {
  /// What `evaluate` would answer now, for an account or for all accounts of a view, found without asking anybody or
  /// changing anything. First of all, throws 4001 if a required policy is missing.
  package func foresee(
    _ identity: EffectiveIdentity, in session: LaunchSession
  ) throws(MAMError) -> ForeseenLaunch {
    try live.refresh()
    try live.state.checkPolicyIsThere()
    let references = identity.view?.accounts ?? [identity.account ?? live.state.effective].compactMap(\.self)
    var ends: [LaunchEnd] = []
    for reference in references {
      if let account = live.state.account(reference), let end = try forecast(of: account, in: session) {
        ends.append(end)
      }
    }
    let launch = ConditionalLaunch(joining: ends.map { $0.report(in: live.language) })
    let worst = ends.filter { $0.verdict == launch.verdict }
    return ForeseenLaunch(launch: launch, asks: !worst.isEmpty && worst.allSatisfy(\.asks))
  }
}
