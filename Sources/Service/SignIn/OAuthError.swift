import JSON

/// The error of a token or device endpoint (RFC 6749, section 5.2), with what Microsoft Entra adds.
struct OAuthError: Hashable, Sendable {
  let code: String
  let description: String
  let suberror: String?
  /// What the next token must claim, as JSON.
  let claims: String?
  /// The numbers of AADSTS errors.
  let entraCodes: Set<Int64>

  private static let longestDescription = 400
  private static let longestClaims = 8 << 10

  /// `nil` for an object without an error.
  init?(_ value: JSONValue) {
    guard let code = value["error"]?.stringValue, !code.isEmpty else { return nil }
    self.code = code
    let text = value["error_description"]?.stringValue ?? ""
    description = text.shown(atMost: Self.longestDescription)
    suberror = value["suberror"]?.stringValue
    claims = value["claims"]?.stringValue.flatMap { $0.isEmpty || $0.utf8.count > Self.longestClaims ? nil : $0 }
    let listed = value["error_codes"]?.arrayValue?.compactMap(\.integerValue) ?? []
    entraCodes = Set(listed + Self.numbers(in: text))
  }

  /// Of a refusal without a reason.
  init(status: Int) {
    (code, description, suberror, claims) = ("status \(status)", "without a reason", nil, nil)
    entraCodes = []
  }

  /// `AADSTS53005: …` has the number 53005.
  private static func numbers(in text: String) -> [Int64] {
    text.prefix(2000).ranges(of: "AADSTS").compactMap { range in
      Int64(text[range.upperBound...].prefix { $0.isASCII && $0.isNumber }.prefix(9))
    }
  }

  /// The code and the description, as one sentence of a message.
  var text: String {
    let code = code.shown(atMost: 100)
    let reason = description.isEmpty ? code : "\(code): \(description)"
    return reason.hasSuffix(".") ? reason : reason + "."
  }

  /// Whether the same request may succeed later.
  var isPassing: Bool { ["temporarily_unavailable", "server_error"].contains(code) }

  /// What an error means for the person, and the way out, which for `personNeeded` is to sign in again.
  private struct Meaning {
    var codes: Set<String> = []
    var suberrors: Set<String> = []
    var entra: Set<Int64> = []
    let kind: SignInFailure.Kind
    let advice: String

    func fits(_ error: OAuthError) -> Bool {
      codes.contains(error.code) || error.suberror.map(suberrors.contains) ?? false
        || !entra.isDisjoint(with: error.entraCodes)
    }
  }

  /// The first one that fits counts, so the numbers of Entra come first.
  private static let meanings = [
    Meaning(
      suberrors: ["protection_policy_required", "protection_policies_required"], entra: [53005], kind: .refused,
      advice: "Conditional Access gives this token only to apps that have a protection policy, but the policy comes "
        + "with the token. Exclude the app of the tenant service from that Conditional Access policy."),
    Meaning(
      entra: [53003, 530_036], kind: .refused,
      advice: "Conditional Access blocks this sign-in. Allow the device code flow there for these users, or get tokens "
        + "with --token-command."),
    Meaning(
      entra: [53000, 53001, 53002, 530_003], kind: .refused,
      advice: "Conditional Access requires a managed device. Exclude the app of the tenant service from that policy, "
        + "or sign in on a managed device and get tokens with --token-command."),
    Meaning(
      entra: [50057], kind: .refused, advice: "The account is disabled. Ask an administrator to enable it."),
    Meaning(
      suberrors: ["consent_required"], entra: [65001], kind: .personNeeded,
      advice: "Consent when you sign in, or ask an administrator to consent for everybody. "),
    Meaning(
      codes: ["invalid_client", "unauthorized_client", "unsupported_grant_type"], entra: [7_000_218, 700_016],
      kind: .refused,
      advice: "Check the client id. The client must be a public one, with the device code flow and refresh tokens; in "
        + "Entra: Authentication, Allow public client flows."),
    Meaning(
      codes: ["invalid_target", "invalid_resource"], entra: [500_011, 901_002], kind: .refused,
      advice: "Check --resource: some providers need it, and Entra refuses it and wants scopes alone."),
    Meaning(
      codes: ["invalid_scope"], entra: [70011], kind: .refused,
      advice: "Check the scopes: those of serve, of tenant.json, or --scope."),
    Meaning(
      codes: ["access_denied", "authorization_declined"], kind: .declined, advice: "The sign-in was declined."),
    Meaning(
      codes: ["expired_token", "code_expired"], kind: .declined, advice: "Nobody signed in before the code expired."),
    Meaning(
      codes: ["invalid_grant", "interaction_required", "login_required", "consent_required"], kind: .personNeeded,
      advice: ""),
  ]

  /// As a failure of a sign-in. `otherwise` is the kind of errors that are not known.
  func failure(of target: SignInTarget, otherwise kind: SignInFailure.Kind) -> SignInFailure {
    let meaning =
      Self.meanings.first { $0.fits(self) } ?? Meaning(kind: kind, advice: "Check the settings of the client.")
    let reason = "\(target.provider) gives no token. It says: \(text)"
    // Without a person, nobody declined.
    let found = kind == .personNeeded && meaning.kind == .declined ? kind : meaning.kind
    let again = found == .personNeeded ? "Sign in again with: \(target.loginCommand)" : ""
    let advice = found == meaning.kind ? meaning.advice + again : again
    return SignInFailure(found, "\(reason) \(advice)", claims: claims)
  }
}
