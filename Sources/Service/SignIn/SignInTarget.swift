import ServiceSource

/// What a user signs in for.
package struct SignInTarget: Hashable, Sendable {
  /// The issuer of the tokens, exactly as it writes itself.
  package var provider: String
  package var clientId: String
  /// As the provider is asked for them, without those for a refresh token.
  package var scopes: [String]
  /// The parameter `resource` (RFC 8707), which some providers need and others refuse; `nil` to leave it out.
  package var resource: String?
  /// The URL of the service that gets the tokens. A sign-in for one service is never used for another one, which could
  /// pose as the user at the first. `nil` for every service that asks for the same scopes.
  package var service: String?
  /// What a person runs to sign in.
  package let loginCommand: String

  /// `serviceSaysHow` is false for a service that is no tenant service, so that its address is not enough for `login`.
  package init(
    _ provider: String, clientId: String, scopes: [String], resource: String? = nil, service: String? = nil,
    serviceSaysHow: Bool = true
  ) {
    (self.provider, self.clientId, self.scopes) = (provider, clientId, scopes)
    (self.resource, self.service) = (resource, service)
    let scopeOptions = scopes.map { " --scope \($0)" }.joined()
    let whole = "--issuer \(provider) --client-id \(clientId)\(scopeOptions)"
    loginCommand = "mambridge-tenant login " + (serviceSaysHow ? service ?? whole : whole)
  }
}

/// What a person says about a sign-in, in place of what a service says.
package struct SignInChoices: Hashable, Sendable {
  package var issuer: String?
  package var clientId: String?
  /// Empty for those of the service.
  package var scopes: [String]
  package var resource: String?

  package init(issuer: String? = nil, clientId: String? = nil, scopes: [String] = [], resource: String? = nil) {
    (self.issuer, self.clientId, self.scopes, self.resource) = (issuer, clientId, scopes, resource)
  }

  /// For the tokens that a service asks for. Throws if nobody says what is needed.
  package func target(
    _ authentication: ServiceAuthentication?, of service: String
  ) throws(SignInFailure) -> SignInTarget {
    guard let issuer = issuer ?? authentication?.authority, let known = scopes.isEmpty ? authentication?.scopes : scopes
    else { throw SignInFailure(.refused, "\(service) takes no tokens, so there is nothing to sign in for.") }
    guard let client = clientId ?? authentication?.clientId else {
      throw SignInFailure(
        .refused,
        "\(service) does not say with which client to sign in. Start the service with --client-id, or pass --client-id."
      )
    }
    return SignInTarget(issuer, clientId: client, scopes: known, resource: resource, service: service)
  }
}
