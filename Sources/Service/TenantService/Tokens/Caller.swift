import HTTP
import JSON
import Support

/// Who sent a request, according to a token that was checked.
package struct Caller: Hashable, Sendable {
  /// The claim `tid`; `nil` if the provider does not write it.
  package var tenantId: String?
  /// The claim `oid`, a GUID; `nil` if the provider does not write one.
  package var objectId: String?
  package var roles: Set<String>
  package var scopes: Set<String>
  /// All claims of the token.
  package var claims: JSONObject
  /// The claim that names a person without an object id; `nil` for none.
  package var userClaim: String?

  package init(tenantId: String?, objectId: String?, roles: Set<String>, scopes: Set<String>, claims: JSONObject) {
    self.tenantId = tenantId
    self.objectId = objectId
    self.roles = roles
    self.scopes = scopes
    self.claims = claims
  }
}

/// Checks the tokens of requests.
package protocol TokenChecker: Sendable {
  func caller(of token: String, at now: Timestamp) async throws(TokenRefusal) -> Caller

  /// Reads the keys of the provider if there are none, or only old ones. Returns whether there are keys of now.
  @discardableResult
  func prepare(at now: Timestamp) async -> Bool

  /// What is known about the provider; `nil` for a checker without one.
  var provider: ProviderStanding? { get }
}

extension TokenChecker {
  @discardableResult
  package func prepare(at now: Timestamp) async -> Bool { true }

  package var provider: ProviderStanding? { nil }
}

/// How it stands with an identity provider, for alarms.
package struct ProviderStanding: Hashable, Sendable {
  /// Whether there are no keys, or the last attempt to read them has failed.
  package var isFailing = true
  /// How many attempts to read the keys have failed.
  package var failures = 0
  /// How many tokens have named a key that the provider has not published: somebody guesses, or the provider signs with
  /// keys that it keeps to itself.
  package var unknownKeys = 0

  package init() {}
}

/// Why a token is not accepted.
package enum TokenRefusal: Error, Hashable, Sendable {
  /// Leads to status 401. The reason is for the log and the metrics only, never for the response.
  case invalid(reason: String)
  /// The keys of the provider cannot be had now, so nobody can say whether the token is valid. Leads to status 503.
  case unavailable(retryAfter: Duration)
}
