import Model
import Support

extension CoreState {
  /// Where an account signs in, in order of preference: the override, the account's tenant according to the policy
  /// source, and the authority of the settings file or the default. There is no second choice without an account, or if
  /// the tenant is unknown.
  package func authorities(of reference: AccountReference?) -> [String] {
    let usual = settings.string(.adalAuthority)
    let tenantId = reference.flatMap(account)?.tenantId
    let choices = [
      settings.string(.aadAuthorityUriOverride), tenantId.flatMap { usual?.withPath($0) }, usual,
    ]
    var seen: Set<String> = []
    return choices.compactMap { $0 }.filter { seen.insert($0).inserted }
  }
}

/// How the app is registered with Microsoft Entra, for the host's sign-in library.
package struct AppRegistration: Equatable, Sendable {
  package let clientId: String?
  /// In order of preference.
  package let authorities: [String]
  package let redirectUri: String?

  package init(clientId: String? = nil, authorities: [String] = [], redirectUri: String? = nil) {
    self.clientId = clientId
    self.authorities = authorities
    self.redirectUri = redirectUri
  }
}

extension CoreState {
  /// Overrides win over ADALClientId and ADALRedirectUri. Without a redirect URI, it is made from ADALRedirectScheme.
  package func registration(of reference: AccountReference?, appId: String) -> AppRegistration {
    AppRegistration(
      clientId: settings.string(.aadClientIdOverride) ?? settings.string(.adalClientId),
      authorities: authorities(of: reference),
      redirectUri: settings.string(.aadRedirectUriOverride) ?? settings.string(.adalRedirectUri)
        ?? settings.string(.adalRedirectScheme).map { "\($0)://\(appId)" })
  }
}

extension String {
  /// The same server with another path; `nil` if the text names no server.
  fileprivate func withPath(_ path: String) -> String? {
    guard let separator = firstPlace(of: "://") else { return nil }
    let server = self[separator.upperBound...].prefix { !"/?#".contains($0) }
    return server.isEmpty ? nil : "\(self[..<separator.upperBound])\(server)/\(path)"
  }
}
