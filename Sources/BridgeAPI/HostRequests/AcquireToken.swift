import JSON
import Model
import Support

package enum AcquireToken: HostRequest {
  package static let name = "auth.acquireToken"
  package static let summary = "The core needs a token for an account: the host gets one from its sign-in library."
  package static let defaultOutcome = "What ui.promptForCredentials would do: the user is asked to sign in."
  package struct Params: Record {
    package var accountId: String?
    package var identity: String?
    package var resource: String
    package var silent: Bool
    package var clientId: String?
    package var authorities: [String]
    package var redirectUri: String?

    package init(
      accountId: String?, identity: String?, resource: String, silent: Bool, clientId: String? = nil,
      authorities: [String] = [], redirectUri: String? = nil
    ) {
      self.accountId = accountId
      self.identity = identity
      self.resource = resource
      self.silent = silent
      self.clientId = clientId
      self.authorities = authorities
      self.redirectUri = redirectUri
    }

    package static let fields = Fields(
      Self.init(accountId:identity:resource:silent:clientId:authorities:redirectUri:),
      Field("accountId", \.accountId, "The Entra object id; null when it is not known."),
      Field("identity", \.identity, "The user principal name; null when it is not known."),
      Field(required: "resource", \.resource, "What the token is for."),
      Field(required: "silent", \.silent, "Whether the user must not be asked."),
      Field("clientId", \.clientId, "aadClientIdOverride, else ADALClientId; null when neither is set."),
      Field(
        "authorities", \.authorities, "Where to sign in, the first choice first, as settings.aadAuthorityUris tells."),
      Field(
        "redirectUri", \.redirectUri,
        "aadRedirectUriOverride, else ADALRedirectUri, else made of ADALRedirectScheme; null when none is set."))
  }
  package struct Result: Record {
    package var accessToken: SecretString
    package var expires: Timestamp?
    package static let fields = Fields(
      Self.init(accessToken:expires:), Field("accessToken", \.accessToken, "The token; never logged or stored."),
      Field("expires", \.expires, "Until when it is valid; null when that is not known."))
  }
  static let exampleClientId = "33333333-3333-4333-8333-333333333333"
  package static let resultSummary = "The token."
  package static let errors: [APIError] = [.interactionRequired, .canceled]
  package static let example = Example(
    Params(
      accountId: Account.example.accountId, identity: Account.example.identity,
      resource: "https://msmamservice.api.application", silent: true, clientId: exampleClientId,
      authorities: ["https://login.microsoftonline.com/common"], redirectUri: "msauth.com.example.host://auth"),
    Result(accessToken: "eyJ0eXAi", expires: Timestamp(milliseconds: 1_770_003_600_000)))
}
