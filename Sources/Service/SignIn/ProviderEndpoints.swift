import HTTP
import Support

/// Where a provider takes the requests of a sign-in.
struct ProviderEndpoints: Hashable, Sendable {
  /// Its issuer.
  let provider: String
  let token: String
  /// `nil` if the provider has no sign-in by device code.
  let device: String?
  /// `nil` if the provider revokes no tokens.
  let revocation: String?
  /// `nil` if the provider does not list its scopes.
  let scopes: Set<String>?

  private static let patience = Duration.seconds(5)

  static func of(_ issuer: String, over http: any HTTPClient) async throws(SignInFailure) -> ProviderEndpoints {
    do throws(ProviderFailure) {
      return try ProviderEndpoints(try await ProviderDocument.fetch(of: issuer, over: http, patience: patience))
    } catch {
      throw SignInFailure(.unavailable, error.text)
    }
  }

  private init(_ document: ProviderDocument) throws(ProviderFailure) {
    func optional(_ name: String) throws(ProviderFailure) -> String? {
      guard let value = document.members[name], !value.isNull else { return nil }
      return try document.endpoint(name)
    }
    provider = document.issuer
    token = try document.endpoint("token_endpoint")
    device = try optional("device_authorization_endpoint")
    revocation = try optional("revocation_endpoint")
    scopes = document.members["scopes_supported"]?.strings.map(Set.init)
  }

  /// The scopes to ask for: with those that bring a refresh token and say who the user is, as far as the provider has
  /// them.
  func scopeText(_ wanted: [String]) -> String {
    let known = scopes ?? ["openid", "offline_access"]
    let added = ["openid", "profile", "offline_access"].filter { known.contains($0) && !wanted.contains($0) }
    return (wanted + added).joined(separator: " ")
  }
}

/// The endpoints of one provider, asked for again after an hour.
final class ProviderCache: Sendable {
  private static let life = Duration.seconds(3600)

  let provider: String
  private let http: any HTTPClient
  private let known = Lock<(endpoints: ProviderEndpoints, until: ContinuousClock.Instant)?>(nil)

  init(_ provider: String, _ http: any HTTPClient) { (self.provider, self.http) = (provider, http) }

  func endpoints() async throws(SignInFailure) -> ProviderEndpoints {
    if let known = known.withLock({ $0 }), ContinuousClock.now < known.until { return known.endpoints }
    let endpoints = try await ProviderEndpoints.of(provider, over: http)
    known.withLock { $0 = (endpoints, .now + Self.life) }
    return endpoints
  }
}
