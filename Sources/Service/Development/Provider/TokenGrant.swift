import Cryptography
import JSON
import SourceProtocol

/// The grants of the token endpoint.
enum TokenGrant {
  static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}

extension IdentityProvider {
  /// `outcome` is asked when a person would get a token, and says how the sign-in ends otherwise.
  func token(_ fields: FormFields, _ outcome: () -> FaultKind?) throws -> JSONObject {
    try checkClient(fields)
    switch try fields.required("grant_type") {
    case "authorization_code": return try redeem(fields, outcome)
    case "refresh_token": return try refresh(fields, outcome)
    case TokenGrant.deviceCode, "device_code":
      let grant = try grants.takeDevice(try fields.required("device_code"), at: clock.now)
      return try tokens(for: changed(grant, .deviceCode, by: outcome()), "device code")
    case "client_credentials":
      // Nobody clicks here, so the secret stands in for the person.
      guard settings.isSecret(fields["client_secret"]) else { throw EntraError.wrongSecret }
      log("signed in the app (client credentials)")
      return try tokensForApp(scope(fields))
    case "password":
      guard settings.isSecret(fields["password"]) else { throw EntraError.wrongPassword }
      let user = try user(fields.required("username"))
      let grant = try changed(Grant(user: user.id, scope: scope(fields)), .password, by: outcome())
      return try tokens(for: grant, "secret of the run")
    case let other:
      throw EntraError("unsupported_grant_type", 70003, "The grant type \(other.prefix(100)) is not supported.")
    }
  }

  private func checkClient(_ fields: FormFields) throws(EntraError) {
    guard fields["client_id"]?.lowercased() == DevelopmentSettings.clientId else { throw EntraError.noClient }
    if let secret = fields["client_secret"], !settings.isSecret(secret) { throw EntraError.wrongSecret }
  }

  /// The first tokens of a sign-in.
  private func tokens(for grant: Grant, _ how: String, from code: String? = nil) throws -> JSONObject {
    let name = try user(grant.user).userPrincipalName
    let refreshToken = grant.scope.hasRefreshToken ? try grants.refreshToken(for: grant, from: code) : nil
    log("signed in \(name) (\(how))")
    return try tokens(for: grant, refreshToken: refreshToken)
  }

  private func redeem(_ fields: FormFields, _ outcome: () -> FaultKind?) throws -> JSONObject {
    let text = try fields.required("code")
    let code = try grants.take(text, at: clock.now)
    guard fields["redirect_uri"] == code.redirect else {
      throw EntraError("invalid_grant", 500_112, "The redirect_uri is not that of the authorization request.")
    }
    let verifier = try fields.required("code_verifier")
    let digest = Base64URL.encode(try SHA256.digest(Array(verifier.utf8)))
    guard constantTimeEquals(Array(digest.utf8), Array(code.challenge.utf8)) else {
      throw EntraError("invalid_grant", 501_481, "The code_verifier does not match the code_challenge.")
    }
    return try tokens(for: changed(code.grant, .code, by: outcome()), "authorization code", from: text)
  }

  /// The next tokens of a sign-in, perhaps for another resource.
  private func refresh(_ fields: FormFields, _ outcome: () -> FaultKind?) throws -> JSONObject {
    let other = try fields["scope"].map { _ throws(EntraError) in try scope(fields) }
    let text = try fields.required("refresh_token")
    // Before the token is replaced, so that it can be used again.
    let kind = outcome()
    if let kind, let error = EntraError(kind, of: .refresh) { throw error }
    var (grant, next) = try grants.refresh(text)
    if let other { grant.scope = other }
    grant.nonce = nil
    return try tokens(for: changed(grant, .refresh, by: kind), refreshToken: next)
  }

  func deviceCode(_ fields: FormFields) throws -> JSONObject {
    try checkClient(fields)
    let code = try grants.deviceCode(for: scope(fields), at: clock.now)
    let uri = settings.origin + "/devicelogin"
    return [
      "user_code": .string(code.userCode), "device_code": .string(code.deviceCode),
      "verification_uri": .string(uri), "expires_in": .integer(Grants.deviceCodeLife), "interval": 1,
      "message": .string(
        "To sign in to the development tenant, open \(uri) in a browser and enter the code \(code.userCode)."),
    ]
  }
}
