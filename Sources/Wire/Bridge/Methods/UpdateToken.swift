import JSON
import MAM
import Model

/// Part of the Android SDK: MAMEnrollmentManager.updateToken.
enum UpdateToken: WorkMethod {
  static let name = "enrollmentManager.updateToken"
  static let summary = "Hand in a token for an account whose enrollment or check-in waits for one."
  static let details = """
    For a host that could not give a token when it was asked and has one now. The attempt that waits for it starts at \
    once: an enrollment, or the check-in of an enrolled account. The token serves only this attempt. Do not call it while \
    answering enrollmentDelegate.getAccessToken or auth.acquireToken; answer that request with the token instead. Commit \
    point: the store transaction.
    """
  struct Params: Record {
    var account: AccountReference
    var resource: String
    var accessToken: SecretString
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account that the token is for."),
      Field("resource", \.resource, "The resource that the token is for, as the server asked for it."),
      Field("accessToken", \.accessToken, "The token. It is never logged or stored."))
  }
  typealias Result = EnrollmentStatus
  static let resultSummary =
    "How the attempt ended: 213 or 214 if the account is not registered, 203 if the token cannot be used."
  static let example = Example(
    Params(
      account: "alice@contoso.example", resource: "https://msmamservice.api.application", accessToken: "eyJ0eXAi"),
    EnrollmentStatus.exampleEnrolled)

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> EnrollmentStatus {
    let token = try HostSecret(orThrow: params.accessToken)
    return try await connection.core.enrollment.attempt(
      params.account, withToken: token, for: params.resource)
  }
}
