import Model
import Support

/// A request to the host for a token that the policy source accepts.
package struct TokenRequest: Sendable {
  package let account: Account
  package let resource: String
  package let scopes: [String]
  /// In order of preference.
  package let authorities: [String]
  /// `nil` if none is known.
  package let clientId: String?
  package let redirectUri: String?

  package init(
    account: Account, resource: String, scopes: [String], authorities: [String] = [], clientId: String? = nil,
    redirectUri: String? = nil
  ) {
    self.account = account
    self.resource = resource
    self.scopes = scopes
    self.authorities = authorities
    self.clientId = clientId
    self.redirectUri = redirectUri
  }
}

/// The ways in which a host gives a token for the policy source. A host that declares both is asked in the first way.
package enum TokenDelegate: CaseIterable, Sendable {
  case getAccessToken, acquireToken
}

/// The answer to a request for a token.
package enum TokenAnswer: Sendable {
  case token(EnrollmentToken)
  /// No token. The text says why and follows the words "there is no token for the account: ". It goes into statuses and
  /// logs, so it must not contain a token.
  case refused(String)
}

/// A token for the policy source. Kept only while an attempt uses it, and never logged or stored.
package struct EnrollmentToken: Sendable {
  package let token: HostSecret
  /// Whose token it is, as far as the provider says.
  package let account: Account
  /// `nil` if the provider does not say.
  package let tenantId: String?
  /// `nil` if unknown.
  package let expires: Timestamp?
  /// Whether the provider must say whose token it is.
  package let mustNameAccount: Bool

  package init(
    token: HostSecret, account: Account = Account(accountId: nil, identity: nil), tenantId: String? = nil,
    expires: Timestamp? = nil
  ) {
    self.init(token: token, account: account, tenantId: tenantId, expires: expires, mustNameAccount: false)
  }

  package init(
    token: HostSecret, account: Account, tenantId: String?, expires: Timestamp?, mustNameAccount: Bool
  ) {
    self.token = token
    self.account = account
    self.tenantId = tenantId
    self.expires = expires
    self.mustNameAccount = mustNameAccount
  }
}
