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
