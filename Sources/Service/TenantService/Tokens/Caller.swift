import HTTP
import JSON
import Support

/// Who sent a request, according to a token that was checked.
package struct Caller: Hashable, Sendable {
  /// The claim `tid`; `nil` if the provider does not write it.
  package var tenantId: String?
  /// The claim `oid`; `nil` if the provider does not write it.
  package var objectId: String?
  package var roles: Set<String>
  package var scopes: Set<String>
  /// All claims of the token.
  package var claims: JSONObject

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
}

/// Why a token is not accepted.
package enum TokenRefusal: Error, Hashable, Sendable {
  /// Leads to status 401. The reason is for the log and the metrics only, never for the response.
  case invalid(reason: String)
  /// The keys of the provider cannot be had now, so nobody can say whether the token is valid. Leads to status 503.
  case unavailable(retryAfter: Duration)
}
