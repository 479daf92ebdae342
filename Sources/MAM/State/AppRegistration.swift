import Model

extension CoreState {
  /// Where an account signs in, the first choice first: as overridden, at its tenant as the policy source named it, as
  /// the file or the default has it. Without an account, or for one whose tenant is not known, there is no second.
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
  /// The first choice first.
  package let authorities: [String]
  package let redirectUri: String?

  package init(clientId: String? = nil, authorities: [String] = [], redirectUri: String? = nil) {
    self.clientId = clientId
    self.authorities = authorities
    self.redirectUri = redirectUri
  }
}

extension CoreState {
  /// Overrides win over ADALClientId and ADALRedirectUri; without a redirect URI it is made of ADALRedirectScheme.
  package func registration(of reference: AccountReference?, appId: String) -> AppRegistration {
    AppRegistration(
      clientId: settings.string(.aadClientIdOverride) ?? settings.string(.adalClientId),
      authorities: authorities(of: reference),
      redirectUri: settings.string(.aadRedirectUriOverride) ?? settings.string(.adalRedirectUri)
        ?? settings.string(.adalRedirectScheme).map { "\($0)://\(appId)" })
  }
}

extension String {
  /// The same server with another path; nil where there is no server.
  fileprivate func withPath(_ path: String) -> String? {
    guard let separator = firstRange(of: "://") else { return nil }
    let server = self[separator.upperBound...].prefix { !"/?#".contains($0) }
    return server.isEmpty ? nil : "\(self[..<separator.upperBound])\(server)/\(path)"
  }
}
