import Model
import Policy

/// The state under an assumption.
extension CoreState {
  /// The state as if the policy of the identity in question had these settings. An account without a policy gets one with
  /// these settings alone, for the platform of the device. Nothing changes for an account that is not registered. Throws
  /// for a value that a policy for the platform cannot have.
  func assuming(
    _ settings: AssumedSettings, about identity: EffectiveIdentity?
  ) throws(TestSettings.Fault) -> CoreState {
    let changed = Set(accounts(inQuestion: identity).map(ObjectIdentifier.init))
    guard !changed.isEmpty else { return self }
    var assumed: [AccountState] = []
    for account in accounts {
      let isInQuestion = changed.contains(ObjectIdentifier(account))
      assumed.append(
        isInQuestion
          ? AccountState(account, with: try .assuming(settings, in: account.policy, on: device.platform)) : account)
    }
    return CoreState(self, with: assumed)
  }

  /// Whether an assumption would change anything.
  package func canAssume(about identity: EffectiveIdentity?) -> Bool { !accounts(inQuestion: identity).isEmpty }

  private func accounts(inQuestion identity: EffectiveIdentity?) -> [AccountState] {
    let references = identity?.view?.accounts ?? [identity?.account ?? effective].compactMap(\.self)
    return references.compactMap { account($0) }
  }

  /// The policy in force for the identity in question; `nil` without one, and for a view of several accounts.
  package func policy(inQuestion identity: EffectiveIdentity?) -> EffectivePolicy? {
    guard identity?.view == nil, let reference = identity?.account ?? effective else { return nil }
    return account(reference)?.policy?.effective
  }
}
