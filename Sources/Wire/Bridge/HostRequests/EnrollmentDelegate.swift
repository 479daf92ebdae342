import JSON
import MAM
import Model

enum GetAccessToken: HostRequest {
  static let name = "enrollmentDelegate.getAccessToken"
  static let summary = "Get a token with which the policy source recognizes an account."
  static let details = """
    Asked before an account enrolls, checks in or logs in, and when it is unenrolled, which does not wait for the \
    answer. Declare this request only if you can answer it: a refusal is final for the attempt, and nobody else is \
    asked. The answer may involve the user, within the time limit of all host requests. To refuse, answer with error, \
    or with a JSON-RPC error. Do not call enrollmentManager.updateToken before you have answered.
    """
  static let defaultOutcome = """
    If no connection declared the request, auth.acquireToken is asked silently and then --token-command, if the policy \
    source asks for tokens. Otherwise the attempt ends with status 203; the account keeps its policy, and nothing is \
    wiped.
    """
  struct Params: Record {
    var accountId: String?
    var identity: String?
    var resource: String
    var scopes: [String]
    var registration = AppRegistration()
    static let fields = Fields(
      Self.init,
      Field("accountId", \.accountId, "The Entra object id; null if unknown."),
      Field("identity", \.identity, "The user principal name; null if unknown."),
      Field(required: "resource", \.resource, "The resource that the token is for."),
      Field("scopes", \.scopes, "The scopes that the token is for, at least one."),
      Field(group: \.registration, AppRegistration.fields))
  }
  struct Result: Record {
    var accessToken: SecretString?
    var accountId: String?
    var identity: String?
    var tenantId: String?
    var correlationId: String?
    /// May quote a token, by mistake.
    var error: SecretString?
    static let schemaName = "ServiceToken"
    static let fields = Fields(
      Self.init,
      Field("accessToken", \.accessToken, "The token; null if there is none. It is never logged or stored."),
      Field(
        "accountId", \.accountId, "The Entra object id of the token's user. With a token, it or identity is needed."),
      Field("identity", \.identity, "The user principal name of the token's user."),
      Field("tenantId", \.tenantId, "The tenant of the token's user; null if unknown."),
      Field("correlationId", \.correlationId, "The id of the request in the sign-in library's log; null if unknown."),
      Field("error", \.error, "Why there is no token. It becomes part of the status and the log."))
  }
  static let resultSummary = "The token, or why there is none."
  static let errors: [ErrorCode] = [.interactionRequired, .canceled]
  static let example = Example(
    Params(
      accountId: Account.example.accountId, identity: Account.example.identity,
      resource: "https://msmamservice.api.application",
      scopes: ["https://msmamservice.api.application/.default"], registration: .example),
    Result(
      accessToken: "eyJ0eXAi", accountId: Account.example.accountId, identity: Account.example.identity,
      tenantId: "c0000000-0000-4000-8000-000000000000", correlationId: nil, error: nil))
  static let sdkMembers = [
    "IntuneMAMEnrollmentDelegate -getAccessTokenForAccountId:resource:completion:",
    "IntuneMAMEnrollmentToken accessToken", "IntuneMAMEnrollmentToken upn", "IntuneMAMEnrollmentToken oid",
    "IntuneMAMEnrollmentToken tenantId", "IntuneMAMEnrollmentToken correlationId", "IntuneMAMEnrollmentToken error",
  ]
}
