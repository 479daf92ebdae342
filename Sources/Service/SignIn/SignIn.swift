// SignIn signs people in at an OpenID Connect provider by device code, for hosts and for administrators, and keeps
// what lasts. `SignIn` is one sign-in; `ServiceSignIn` gives a policy source the tokens that the service asks for;
// `SignedInTokens` does so for requests to Graph.
//
// `TokenCache` is a file with refresh tokens, sealed with a key beside it or with the output of a command; one
// process at a time changes it. Access tokens are not kept. `SignInFailure` says in one sentence what to do: sign in
// again, ask an administrator, or wait.

import HTTP
import ServiceSource
import SourceProtocol
import Support

/// Signs a user in at an identity provider, and keeps the refresh token in a token cache. Access tokens are not kept.
package struct SignIn: Sendable {
  private let target: SignInTarget
  private let account: SourceAccount
  private let cache: TokenCache
  private let http: any HTTPClient
  private let provider: ProviderCache
  private let clock: any Clock
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Without an account, the token cache must leave no choice.
  package init(
    _ target: SignInTarget, account: SourceAccount, cache: TokenCache, http: any HTTPClient,
    clock: any Clock = SystemClock(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    let provider = ProviderCache(target.provider, http)
    self.init(target, account: account, cache: cache, http: http, provider: provider, clock: clock, sleep: sleep)
  }

  init(
    _ target: SignInTarget, account: SourceAccount, cache: TokenCache, http: any HTTPClient, provider: ProviderCache,
    clock: any Clock, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    (self.target, self.account, self.cache, self.http) = (target, account, cache, http)
    (self.provider, self.clock, self.sleep) = (provider, clock, sleep)
  }

  /// A token without a person: from the refresh token in the cache. `claims` is what a service or the provider wants
  /// the token to claim.
  package func silently(claims: String? = nil) async throws(SignInFailure) -> TokenSet {
    _ = try await untilItsEnd { () async throws(SignInFailure) in try chosen(from: try cache.signIns()) }
    let client = OAuthClient(endpoints: try await provider.endpoints(), http: http, clock: clock)
    return try await untilItsEnd { () async throws(SignInFailure) in try await refresh(client, claims) }
  }

  /// A token after a person has signed in with a device code. `show` gets the prompt, and returns false if nobody can
  /// see it. `mustKeep` makes it a failure if the provider gives no refresh token.
  package func withDeviceCode(
    claims: String? = nil, mustKeep: Bool = false, show: @escaping @Sendable (SignInPrompt) async -> Bool
  ) async throws(SignInFailure) -> TokenSet {
    // Nobody should sign in for a token cache that cannot be used.
    let before = try await untilItsEnd { () async throws(SignInFailure) in
      let locked = try await cache.lock()
      try locked.reserve()
      return try locked.signIns()
    }
    // Who signs in again gets what was asked for before.
    let resource = target.resource ?? before.last { $0.serves(target) }?.resource
    let client = OAuthClient(endpoints: try await provider.endpoints(), http: http, clock: clock)
    let flow = DeviceCodeFlow(
      client: client, target: target, parameters: parameters(client, resource: resource), claims: claims, sleep: sleep)
    let tokens = try await flow.tokens(show: show)
    guard !tokens.account.contradicts(account) else { throw otherAccount(tokens) }
    guard let refreshToken = tokens.refreshToken else {
      guard !mustKeep else { throw noRefreshToken(client) }
      return tokens
    }
    var new = StoredSignIn(target, account(of: tokens), refreshToken: refreshToken, time: clock.now)
    new.resource = resource
    try await untilItsEnd { [new] () async throws(SignInFailure) in try await keep(new) }
    return tokens
  }

  /// Whose tokens these are: what they say, and the name by which the account was asked for.
  package func account(of tokens: TokenSet) -> SignInAccount {
    var found = tokens.account
    if found.objectId == nil { found.objectId = account.accountId }
    if found.names.isEmpty, let name = account.identity { found.names = [name] }
    return found
  }

  private func parameters(_ client: OAuthClient, resource: String?) -> [(name: String, value: String)] {
    let scope = (name: "scope", value: client.endpoints.scopeText(target.scopes))
    return [scope] + (resource.map { [(name: "resource", value: $0)] } ?? [])
  }

  private func chosen(from all: [StoredSignIn]) throws(SignInFailure) -> StoredSignIn {
    let fitting = all.filter { $0.serves(target) }
    // What was made for this very service comes before what is for all services.
    if let found = fitting.filter({ $0.service != nil }).choose(account) ?? fitting.choose(account) { return found }
    throw failure(choosingFrom: fitting)
  }

  private func failure(choosingFrom fitting: [StoredSignIn]) -> SignInFailure {
    let place = target.service ?? target.provider
    if account == SourceAccount(accountId: nil, identity: nil), !fitting.isEmpty {
      let names = fitting.map(\.account.shownName).joined(separator: ", ")
      return SignInFailure(
        .refused, "Several accounts are signed in for \(place): \(names). Name one with --account.")
    }
    let name = (account.identity ?? account.accountId)?.shown(atMost: 100)
    let whoIsNot = name.map { "\($0) is not" } ?? "Nobody is"
    return SignInFailure(
      .personNeeded, "\(whoIsNot) signed in for \(place). Sign in with: \(target.loginCommand)")
  }
}

extension SignIn {
  /// Uses a refresh token while no other process does, and stores the next one before anybody gets the access token.
  private func refresh(_ client: OAuthClient, _ claims: String?) async throws(SignInFailure) -> TokenSet {
    let locked = try await cache.lock()
    defer { withExtendedLifetime(locked) {} }
    var all = try locked.signIns()
    let used = try chosen(from: all)
    try locked.reserve()
    let tokens = try await self.tokens(for: used, client, claims)
    guard !tokens.account.contradicts(SourceAccount(accountId: used.account.objectId, identity: nil)) else {
      throw otherAccount(tokens)
    }
    if let next = tokens.refreshToken, next != used.refreshToken {
      var kept = used
      (kept.refreshToken, kept.time) = (next, clock.now)
      StoredSignIn.put(kept, into: &all)
      try locked.write(all)
    }
    return tokens
  }

  private func tokens(
    for used: StoredSignIn, _ client: OAuthClient, _ claims: String?
  ) async throws(SignInFailure) -> TokenSet {
    var fields = [
      (name: "grant_type", value: "refresh_token"), (name: "client_id", value: target.clientId),
      (name: "refresh_token", value: used.refreshToken),
    ]
    fields += parameters(client, resource: target.resource ?? used.resource)
    if let claims { fields.append((name: "claims", value: claims)) }
    switch try await client.post(fields, to: client.endpoints.token) {
    case .object(let value): return try client.tokens(value)
    case .error(let error): throw error.failure(of: target, otherwise: .personNeeded)
    case .unavailable(let failure): throw failure
    }
  }

  private func keep(_ new: StoredSignIn) async throws(SignInFailure) {
    let locked = try await cache.lock()
    defer { withExtendedLifetime(locked) {} }
    var all = try locked.signIns()
    StoredSignIn.put(new, into: &all)
    try locked.write(all)
  }

  private func otherAccount(_ tokens: TokenSet) -> SignInFailure {
    let wanted = (account.identity ?? account.accountId ?? "the account before").shown(atMost: 100)
    return SignInFailure(
      .personNeeded,
      "\(tokens.account.shownName) signed in, and not \(wanted). Nothing was kept. Sign in as \(wanted), perhaps in a "
        + "private window of the browser.")
  }

  private func noRefreshToken(_ client: OAuthClient) -> SignInFailure {
    SignInFailure(
      .refused,
      "\(client.endpoints.provider) gave no refresh token, so there is nothing to keep. Allow refresh tokens "
        + "(offline_access) for the client \(target.clientId.shown(atMost: 100)).")
  }
}
