import HTTP
import Support

/// Removes sign-ins from a token cache, and revokes their refresh tokens where the provider does that.
package struct SignOut: Sendable {
  /// Which sign-ins to remove. What is `nil` does not matter.
  package struct Choice: Sendable {
    package var service: String?
    package var account: String?
    package var provider: String?
    /// Whether several accounts may be signed out at once.
    package var takesSeveral: Bool

    package init(
      service: String? = nil, account: String? = nil, provider: String? = nil, takesSeveral: Bool = false
    ) {
      (self.service, self.account, self.provider, self.takesSeveral) = (service, account, provider, takesSeveral)
    }

    fileprivate func fits(_ signIn: StoredSignIn) -> Bool {
      (service == nil || service == signIn.service) && (provider == nil || provider == signIn.provider)
        && account.map(signIn.account.has) ?? true
    }
  }

  package enum Revocation: Hashable, Sendable {
    case revoked
    /// The provider has no such endpoint.
    case notOffered
    /// Why the provider may still take the refresh token.
    case failed(String)
  }

  /// What became of one sign-in, which is no longer in the cache.
  package struct Outcome: Sendable {
    package let signIn: StoredSignIn
    package let revocation: Revocation
  }

  private let cache: TokenCache
  private let http: any HTTPClient
  private let clock: any Clock

  package init(_ cache: TokenCache, _ http: any HTTPClient, clock: any Clock = SystemClock()) {
    (self.cache, self.http, self.clock) = (cache, http, clock)
  }

  /// Ends once it has begun, so that nothing is revoked and stays in the cache.
  package func run(_ choice: Choice) async throws(SignInFailure) -> [Outcome] {
    try await untilItsEnd { () async throws(SignInFailure) in
      // Makes no files for somebody who never signed in.
      guard try cache.signIns().contains(where: choice.fits) else { return [] }
      let locked = try await cache.lock()
      defer { withExtendedLifetime(locked) {} }
      let all = try locked.signIns()
      let chosen = all.filter(choice.fits)
      try check(chosen, choice)
      try locked.reserve()
      let outcomes = await revoke(chosen)
      try locked.write(all.filter { !choice.fits($0) })
      return outcomes
    }
  }

  private func check(_ chosen: [StoredSignIn], _ choice: Choice) throws(SignInFailure) {
    let names = Set(chosen.map(\.account.shownName))
    guard names.count > 1, !choice.takesSeveral else { return }
    throw SignInFailure(
      .refused,
      "Several accounts are signed in: \(names.sorted().joined(separator: ", ")). Name one with --account, or pass --all."
    )
  }

  /// Asks each provider for its endpoints once, because one that cannot be reached costs some seconds under the lock.
  private func revoke(_ chosen: [StoredSignIn]) async -> [Outcome] {
    var providers: [String: Result<ProviderEndpoints, SignInFailure>] = [:]
    var outcomes: [Outcome] = []
    for signIn in chosen {
      let known = providers[signIn.provider]
      let endpoints = if let known { known } else { await endpoints(of: signIn.provider) }
      providers[signIn.provider] = endpoints
      outcomes.append(Outcome(signIn: signIn, revocation: await revoke(signIn, at: endpoints)))
    }
    return outcomes
  }

  private func endpoints(of provider: String) async -> Result<ProviderEndpoints, SignInFailure> {
    do throws(SignInFailure) {
      return .success(try await ProviderEndpoints.of(provider, over: http))
    } catch {
      return .failure(error)
    }
  }

  private func revoke(
    _ signIn: StoredSignIn, at endpoints: Result<ProviderEndpoints, SignInFailure>
  ) async -> Revocation {
    do throws(SignInFailure) {
      let endpoints = try endpoints.get()
      guard let url = endpoints.revocation else { return .notOffered }
      let client = OAuthClient(endpoints: endpoints, http: http, clock: clock)
      return await client.revoke(signIn.refreshToken, clientId: signIn.clientId, at: url)
    } catch {
      return .failed(error.text)
    }
  }
}

extension OAuthClient {
  /// RFC 7009: a token that the provider does not know counts as revoked.
  fileprivate func revoke(_ token: String, clientId: String, at url: String) async -> SignOut.Revocation {
    let fields = [
      (name: "token", value: token), (name: "token_type_hint", value: "refresh_token"),
      (name: "client_id", value: clientId),
    ]
    do throws(HTTPFailure) {
      let response = try await http.send(.form(url, fields), patience: Self.patience, largestBody: Self.largestAnswer)
      guard !(200..<300).contains(response.status) else { return .revoked }
      return .failed("It answers \(url) with status \(response.status).")
    } catch {
      return .failed("Cannot ask it at \(url): \(error.text)")
    }
  }
}
