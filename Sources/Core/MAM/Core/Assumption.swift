import Model
import Policy
import Support

/// What a question assumes while it is answered: another policy for an account. Nothing is stored, and no other call sees
/// it.
struct Assumption: Sendable {
  let state: CoreState
  /// Is asked instead of the host; `nil` to ask the host.
  let host: (any Host)?
  /// `nil` to read owners each time.
  let owners: KnownOwners?
}

/// The owners of the content in a question that is answered again and again. They are read once, because they do not
/// depend on a policy.
package final class KnownOwners: Sendable {
  private let known = Lock<[AccountReference?]?>(nil)

  package init() {}

  func owners(_ read: () throws(MAMError) -> [AccountReference?]) throws(MAMError) -> [AccountReference?] {
    if let owners = known.withLock({ $0 }) { return owners }
    let owners = try read()
    known.withLock { $0 = owners }
    return owners
  }
}

extension Core {
  /// Runs `body` so that nothing is protected and `host` is asked.
  package func answeringOnly<Value: Sendable>(
    asking host: any Host, knowing owners: KnownOwners? = nil, _ body: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    try await answering(by: Assumption(state: state, host: host, owners: owners), body)
  }

  private func answering<Value: Sendable>(
    by assumption: Assumption, _ body: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    let context = CallContext.current(by: (CallOrigin.current ?? .core).assuming(assumption))
    let outcome = await CallContext.$current.withValue(context) { () async -> Result<Value, MAMError> in
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
    knowing owners: KnownOwners? = nil, _ body: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    let state: CoreState
    do throws(TestSettings.Fault) {
      state = try self.state.assuming(settings, about: identity)
    } catch {
      throw MAMError(.invalidParams, "/assuming/\(error.member): \(error.reason)", path: "/assuming/\(error.member)")
    }
    return try await answering(by: Assumption(state: state, host: host, owners: owners), body)
  }
}
