import JSON
import MAM
import Model
import Support

enum AcquireToken: HostRequest {
  static let name = "auth.acquireToken"
  static let summary = "The core needs a token for an account: the host gets one from its sign-in library."
  static let defaultOutcome = "What ui.promptForCredentials would do: the user is asked to sign in."
  struct Params: Record {
    var accountId: String?
    var identity: String?
    var resource: String
    var silent: Bool
    var registration = AppRegistration()
    static let fields = Fields(
      Self.init,
      Field("accountId", \.accountId, "The Entra object id; null when it is not known."),
      Field("identity", \.identity, "The user principal name; null when it is not known."),
      Field(required: "resource", \.resource, "What the token is for."),
      Field(required: "silent", \.silent, "Whether the user must not be asked."),
      Field(group: \.registration, AppRegistration.fields))
  }
  struct Result: Record {
    var accessToken: SecretString
    var expires: Timestamp?
    static let fields = Fields(
      Self.init, Field("accessToken", \.accessToken, "The token; never logged or stored."),
      Field("expires", \.expires, "Until when it is valid; null when that is not known."))
  }
  static let resultSummary = "The token."
  static let errors: [ErrorCode] = [.interactionRequired, .canceled]
  static let example = Example(
    Params(
      accountId: Account.example.accountId, identity: Account.example.identity,
      resource: "https://msmamservice.api.application", silent: true, registration: .example),
    Result(accessToken: "eyJ0eXAi", expires: Timestamp(milliseconds: 1_770_003_600_000)))
}

enum PromptForCredentials: HostRequest {
  static let name = "ui.promptForCredentials"
  static let summary = "The user must sign in: the host shows its sign-in."
  static let defaultOutcome = "A challenge: error 8001 of the call that needs the credentials."
  struct Params: Record {
    var identity: String?
    var window: String?
    var message: String
    var registration = AppRegistration()
    static let fields = Fields(
      Self.init,
      Field("identity", \.identity, "Who is to sign in; null for anybody."),
      Field("window", \.window, "The host's name for the window; null when none was named."),
      Field(required: "message", \.message, "What to tell the user."),
      Field(group: \.registration, AppRegistration.fields))
  }
  struct Result: Record {
    var userPrincipalName: String
    var accessToken: SecretString
    static let fields = Fields(
      Self.init,
      Field("userPrincipalName", \.userPrincipalName, "Who has signed in."),
      Field("accessToken", \.accessToken, "The token that proves it; never logged or stored."))
  }
  static let resultSummary = "Who has signed in."
  static let errors: [ErrorCode] = [.canceled]
  static let example = Example(
    Params(
      identity: Account.example.identity, window: "main", message: "Sign in to open your work.",
      registration: .example),
    Result(userPrincipalName: "alice@contoso.example", accessToken: "eyJ0eXAi"))
}

extension AppRegistration: Record {
  package static let fields = Fields(
    Self.init,
    Field("clientId", \.clientId, "aadClientIdOverride, else ADALClientId; null when neither is set."),
    Field(
      "authorities", \.authorities, "Where to sign in, the first choice first, as settings.aadAuthorityUris tells."),
    Field(
      "redirectUri", \.redirectUri,
      "aadRedirectUriOverride, else ADALRedirectUri, else made of ADALRedirectScheme; null when none is set."))

  fileprivate static let example = AppRegistration(
    clientId: "33333333-3333-4333-8333-333333333333", authorities: ["https://login.microsoftonline.com/common"],
    redirectUri: "msauth.com.example.host://auth")
}

enum PromptForPIN: HostRequest {
  static let name = "ui.promptForPIN"
  static let summary = "The user must enter, set or change a PIN: the host shows its prompt."
  static let defaultOutcome = "The challenge: error 8001 of the call that needs the PIN."
  struct Params: Record {
    var challenge: Challenge
    static let fields = Fields(
      Self.init, Field("challenge", \.challenge, "What is asked for, of whom and why."))
  }
  struct Result: Record {
    var pin: SecretString?
    var biometric: Biometric?
    static let fields = Fields(
      Self.init, Field("pin", \.pin, "The PIN; never logged."),
      Field(
        "biometric", \.biometric,
        """
        Instead of a PIN, one of the challenge's biometrics: an addition to the SDK, whose own prompt sees the sensor. \
        The host has recognized the user by it, and vouches for that.
        """))
  }
  static let resultSummary = "What the user has entered."
  static let errors: [ErrorCode] = [.canceled]
  static let example = Example(
    Params(
      challenge: Challenge(
        id: "1", kind: .enterPIN, accountId: Account.example.accountId, identity: Account.example.identity,
        window: "main", title: "PIN", message: "Enter your PIN.", expires: nil)),
    Result(pin: "2580"))
}

enum ShowAlert: HostRequest {
  static let name = "ui.showAlert"
  static let summary = "The user must be told something: the host shows an alert."
  static let defaultOutcome = "Nothing is shown."
  struct Params: Record {
    var title: String
    var message: String
    var actions: [String]
    var window: String?
    static let fields = Fields(
      Self.init, Field("title", \.title, "The alert's title."),
      Field("message", \.message, "What to tell the user."),
      Field("actions", \.actions, "The texts of its buttons, at least one."),
      Field("window", \.window, "The host's name for the window; null for the application as a whole."))
  }
  struct Result: Record {
    var action: String?
    static let fields = Fields(
      Self.init, Field("action", \.action, "The text of the button that was chosen; null when none was."))
  }
  static let resultSummary = "What the user chose."
  static let example = Example(
    Params(title: "Restart required", message: "Restart the app.", actions: ["OK"], window: nil),
    Result(action: "OK"))
}

enum ShowDiagnosticConsole: HostRequest {
  static let name = "ui.showDiagnosticConsole"
  static let summary = "The user wants to see the diagnostics: the host shows the file."
  static let defaultOutcome = "Nothing is shown."
  struct Params: Record {
    var path: String
    static let fields = Fields(
      Self.init, Field("path", \.path, "A page: one HTML file that needs no other."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(
    Params(path: "/home/me/.local/state/mambridge/apps/com.example.host/diagnostics.html"), Nothing())
}
