import JSON
import SourceProtocol
import Support

/// How somebody comes to a token.
enum SignInFlow {
  /// At the authorization endpoint, with a browser.
  case page
  case code, deviceCode, refresh, password
}

extension FaultKind {
  /// Those of a person who signs in. Each can be planted at the token endpoint.
  static let signIns: [FaultKind] = [.disabled, .mfaRequired, .consentRequired, .expired, .otherUser]
  /// Those that the sign-in page offers, where any user can be chosen.
  static let pageOutcomes: [FaultKind] = [.mfaRequired, .consentRequired, .expired, .disabled]

  /// On the sign-in page.
  var pageText: String {
    switch self {
    case .mfaRequired: "needs a second factor"
    case .consentRequired: "has not consented"
    case .expired: "takes too long"
    case .disabled: "is disabled"
    default: rawValue
    }
  }
}

extension EntraError {
  /// What Entra says to a sign-in that ends in this way; `nil` for one that gets a token.
  init?(_ kind: FaultKind, of flow: SignInFlow) {
    switch (kind, flow) {
    case (.disabled, _): self = .disabled
    case (.mfaRequired, .page):
      self = EntraError("interaction_required", 50076, Self.mfaText)
    case (.mfaRequired, _):
      self = EntraError("invalid_grant", 50076, Self.mfaText, suberror: "basic_action")
      claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
    case (.consentRequired, .page): self = EntraError("consent_required", 65001, Self.consentText)
    case (.consentRequired, _):
      self = EntraError("invalid_grant", 65001, Self.consentText, suberror: "consent_required")
    case (.expired, .page): return nil
    case (.expired, .code): self = .expiredCode
    case (.expired, .deviceCode): self = .expiredDeviceCode
    case (.expired, .refresh):
      self = EntraError(
        "invalid_grant", 700_082, "The refresh token has expired due to inactivity. Sign in again.",
        suberror: "bad_token")
    case (.expired, .password):
      self = EntraError(
        "invalid_grant", 50055, "The password has expired.", suberror: "user_password_expired")
    default: return nil
    }
  }

  private static let mfaText = "The user must use a second factor (multi-factor authentication) to get this token."
  private static let consentText = "Neither the user nor an administrator has consented to what the app asks for."
  static let expiredCode = EntraError(
    "invalid_grant", 70008, "The authorization code is not known, or has expired.")
  static let expiredDeviceCode = EntraError("expired_token", 70019, "Nobody entered the code in time.")
}

extension IdentityProvider {
  /// The grant of a sign-in that somebody has planted a fault for.
  func changed(_ grant: Grant, _ flow: SignInFlow, by kind: FaultKind?) throws(EntraError) -> Grant {
    guard let kind else { return grant }
    if let error = EntraError(kind, of: flow) { throw error }
    guard kind == .otherUser else { return grant }
    let others = try edition.tenant.users.filter { !$0.isDeleted && $0.isEnabled && $0.id != grant.user }
    var grant = grant
    if let other = others.first { grant.user = other.id }
    return grant
  }
}
