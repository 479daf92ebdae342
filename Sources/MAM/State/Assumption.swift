import Model
import Policy

/// What a question assumes while it is answered: another policy for an account. Nothing is stored, and no other call sees
/// it.
struct Assumption: Sendable {
  /// `nil` for an answer by the policies in force.
  @TaskLocal static var current: Assumption?

  let state: CoreState
  /// Is asked instead of the host; `nil` to ask the host.
  let host: (any Host)?
}

extension CoreState {
  /// The state as if the policy of the identity in question had these settings. An account without a policy gets one with
  /// these settings alone, for the platform of the device. Nothing changes for an account that is not registered.
  func assuming(_ settings: AssumedSettings, about identity: EffectiveIdentity?) -> CoreState {
    let changed = Set(accounts(inQuestion: identity).map(ObjectIdentifier.init))
    guard !changed.isEmpty else { return self }
    return CoreState(
      self,
      with: accounts.map { account in
        guard changed.contains(ObjectIdentifier(account)) else { return account }
        return AccountState(account, with: .assuming(settings, in: account.policy, on: device.platform))
      })
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

extension Core {
  /// Runs `body` without an assumption, but as if there were one: nothing is protected, and `host` is asked.
  package func assumingNothing<Value: Sendable>(
    asking host: any Host, _ body: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    try await answering(by: Assumption(state: state, host: host), body)
  }

  private func answering<Value: Sendable>(
    by assumption: Assumption, _ body: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    let outcome = await Assumption.$current.withValue(assumption) { () async -> Result<Value, MAMError> in
      do throws(MAMError) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Runs `body` as if the policy of the identity in question had these settings. `host` is asked instead of the host of
  /// this core. Call `refresh` before. May block.
  package func assuming<Value: Sendable>(
    _ settings: AssumedSettings, about identity: EffectiveIdentity?, asking host: (any Host)? = nil,
    _ body: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    let state = state.assuming(settings, about: identity)
    return try await answering(by: Assumption(state: state, host: host), body)
  }
}
