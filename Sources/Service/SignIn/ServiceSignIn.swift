import HTTP
import ServiceSource
import SourceProtocol
import Support

/// Signs users in for the tenant service of a policy source. Holds no token: mambridge keeps the access token, and the
/// token cache the refresh token.
package final class ServiceSignIn: SourceSignIn {
  private let service: String
  private let choices: SignInChoices
  private let cache: TokenCache
  private let http: any HTTPClient
  private let clock: any Clock
  private let sleep: @Sendable (Duration) async throws -> Void
  private let provider = Lock<ProviderCache?>(nil)

  /// `service` is its URL. What the `choices` name comes before what the service says.
  package init(
    _ service: String, _ choices: SignInChoices, cache: TokenCache, http: any HTTPClient,
    clock: any Clock = SystemClock(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.service, self.choices, self.cache, self.http) = (service, choices, cache, http)
    (self.clock, self.sleep) = (clock, sleep)
  }

  package func canSignIn(at authentication: ServiceAuthentication) -> Bool {
    choices.clientId ?? authentication.clientId != nil
  }

  package func token(
    for account: SourceAccount, at authentication: ServiceAuthentication, silent: Bool, claims: String?,
    prompt: @escaping @Sendable (SignInPrompt) async -> Bool
  ) async throws(SourceError) -> SourceToken {
    do throws(SignInFailure) {
      let signIn = try signIn(account, authentication)
      let tokens =
        silent
        ? try await signIn.silently(claims: claims) : try await signIn.withDeviceCode(claims: claims, show: prompt)
      return SourceToken(accessToken: tokens.accessToken, expires: tokens.expires)
    } catch {
      throw error.sourceError
    }
  }

  private func signIn(
    _ account: SourceAccount, _ authentication: ServiceAuthentication
  ) throws(SignInFailure) -> SignIn {
    let target = try choices.target(authentication, of: service)
    let known = provider.withLock { known in
      if let known, known.provider == target.provider { return known }
      let new = ProviderCache(target.provider, http)
      known = new
      return new
    }
    return SignIn(target, account: account, cache: cache, http: http, provider: known, clock: clock, sleep: sleep)
  }
}
