import HTTP
import JSON
import Support

/// A refusal in the shape of Microsoft Entra, with the number that its documentation explains.
struct EntraError: Error, Hashable {
  /// As OAuth 2.0 names it, such as `invalid_grant`.
  let code: String
  let number: Int
  let text: String
  var status = 400
  /// What Entra adds for libraries, which then know whether a person can help.
  var suberror: String?
  /// What the next token must claim, as JSON.
  var claims: String?

  init(_ code: String, _ number: Int, _ text: String, status: Int = 400, suberror: String? = nil) {
    (self.code, self.number, self.text, self.status, self.suberror) = (code, number, text, status, suberror)
  }

  var description: String { "AADSTS\(number): \(text) (development)" }

  func response(at now: Timestamp) -> HTTPResponse {
    let id = String.randomUUID
    var body: JSONObject = [
      "error": .string(code), "error_description": .string(description), "error_codes": [.integer(Int64(number))],
      "timestamp": .string(now.description), "trace_id": .string(id), "correlation_id": .string(id),
    ]
    if let suberror { body["suberror"] = .string(suberror) }
    if let claims { body["claims"] = .string(claims) }
    return HTTPResponse(status, json: Array(body.jsonText.utf8))
  }

  static let noClient = EntraError(
    "unauthorized_client", 700_016,
    "The application is not known here. The client id is \(DevelopmentSettings.clientId).")
  static let noTenant = EntraError("invalid_tenant", 90002, "The tenant is not known here.")
  static let wrongSecret = EntraError("invalid_client", 7_000_215, "The client secret is wrong.", status: 401)
  static let wrongPageSecret = EntraError(
    "access_denied", 50126,
    "The secret is missing or wrong. Open the Browser link that mambridge-tenant dev has printed, or paste the secret.",
    status: 403)
  static let wrongPassword = EntraError(
    "invalid_grant", 50126,
    "The password is wrong: it is the secret of the run, which mambridge-tenant dev-token reads.")
  static let disabled = EntraError("invalid_grant", 50057, "The user account is disabled.")
  static let noUser = EntraError("invalid_grant", 50034, "The tenant has no such user.")
  static let declined = EntraError("access_denied", 65004, "The user declined to sign in.")
  static let redirect = EntraError(
    "invalid_request", 50011,
    "The redirect_uri is not registered. http://localhost is, at any port; register others with mambridge-tenant dev "
      + "--redirect-uri.")
  static func missing(_ name: String) -> EntraError {
    EntraError("invalid_request", 900_144, "The request must have the parameter \(name).")
  }
}
