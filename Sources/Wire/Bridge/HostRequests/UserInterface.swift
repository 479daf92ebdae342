import JSON
import MAM
import Model
import Support

enum AcquireToken: HostRequest {
  static let name = "auth.acquireToken"
  static let summary = "Get a token for an account from the host's sign-in library."
  static let defaultOutcome = "The user is asked to sign in, as with ui.promptForCredentials."
  struct Params: Record {
    var accountId: String?
    var identity: String?
    var resource: String
    var silent: Bool
    var registration = AppRegistration()
    var scopes: [String] = []
    static let fields = Fields(
      Self.init,
      Field("accountId", \.accountId, "The Entra object id; null if unknown."),
      Field("identity", \.identity, "The user principal name; null if unknown."),
      Field(required: "resource", \.resource, "The resource that the token is for."),
      Field(required: "silent", \.silent, "Whether the user must not be asked."),
      Field(group: \.registration, AppRegistration.fields),
      Field("scopes", \.scopes, default: [], "The scopes that the policy source asks for; empty if it names none."))
  }
  struct Result: Record {
    var accessToken: SecretString
    var expires: Timestamp?
    static let schemaName = "AccessToken"
    static let fields = Fields(
      Self.init, Field("accessToken", \.accessToken, "The token. It is never logged or stored."),
      Field("expires", \.expires, "When the token expires; null if unknown."))
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
  static let summary = "Let the user sign in."
  static let defaultOutcome = "A challenge: the call that needs the credentials ends with error 8001."
  struct Params: Record {
    var identity: String?
    var window: String?
    var message: String
    var registration = AppRegistration()
    var verificationUri: String?
    var userCode: String?
    var expires: Timestamp?
    static let fields = Fields(
      Self.init,
      Field("identity", \.identity, "The user who must sign in; null for any user."),
      Field("window", \.window, "The host's name for the window; null if none was named."),
      Field(required: "message", \.message, "The text to show the user."),
      Field(group: \.registration, AppRegistration.fields),
      Field(
        "verificationUri", \.verificationUri,
        """
        The page to sign in on, to show until the call that asked ends; answer with an empty token or error 7002. Null \
        if the host lets the user sign in.
        """),
      Field("userCode", \.userCode, "The code to enter on that page; null if there is none."),
      Field("expires", \.expires, "When the page no longer takes the code; null without verificationUri."))
  }
  struct Result: Record {
    var userPrincipalName: String
    var accessToken: SecretString
    static let schemaName = "Credentials"
    static let fields = Fields(
      Self.init,
      Field("userPrincipalName", \.userPrincipalName, "The user who signed in."),
      Field(
        "accessToken", \.accessToken,
        "The token that proves the sign-in; empty if the user signs in at verificationUri. It is never logged or stored."
      ))
  }
  static let resultSummary = "Who signed in, and the token that proves it."
  static let errors: [ErrorCode] = [.canceled]
  static let example = Example(
    Params(
      identity: Account.example.identity, window: "main", message: "Sign in to open your work.",
      registration: .example),
    Result(userPrincipalName: "alice@contoso.example", accessToken: "eyJ0eXAi"))

  static func screen(_ params: Params) -> ScreenNotice? {
    ScreenNotice(accountId: nil, identity: params.identity, window: params.window)
  }
}

extension AppRegistration: Record {
  package static let fields = Fields(
    Self.init,
    Field("clientId", \.clientId, "The client id: aadClientIdOverride, else ADALClientId; null if neither is set."),
    Field(
      "authorities", \.authorities,
      "The authorities for the sign-in, in order of preference, as settings.aadAuthorityUris returns them."),
    Field(
      "redirectUri", \.redirectUri,
      """
      The redirect URI: aadRedirectUriOverride, else ADALRedirectUri, else built from ADALRedirectScheme; null if none \
      is set.
      """))

  static let example = AppRegistration(
    clientId: "33333333-3333-4333-8333-333333333333", authorities: ["https://login.microsoftonline.com/common"],
    redirectUri: "msauth.com.example.host://auth")
}

enum PromptForPIN: HostRequest {
  static let name = "ui.promptForPIN"
  static let summary = "Let the user enter, set or change a PIN."
  static let defaultOutcome = "The challenge: the call that needs the PIN ends with error 8001."
  struct Params: Record {
    var challenge: Challenge
    static let fields = Fields(
      Self.init, Field("challenge", \.challenge, "What to ask for, whom to ask and why."))
  }
  struct Result: Record {
    var pin: SecretString?
    var biometric: Biometric?
    static let schemaName = "EnteredPIN"
    static let fields = Fields(
      Self.init, Field("pin", \.pin, "The PIN. It is never logged."),
      Field(
        "biometric", \.biometric,
        """
        One of the challenge's biometrics, instead of a PIN: the host vouches that it recognized the user. An addition \
        to the SDK, whose own prompt uses the sensor.
        """))
  }
  static let resultSummary = "What the user entered."
  static let errors: [ErrorCode] = [.canceled]
  static let example = Example(
    Params(
      challenge: Challenge(
        id: "1", kind: .enterPIN, accountId: Account.example.accountId, identity: Account.example.identity,
        window: "main", title: "PIN", message: "Enter your PIN.", expires: nil)),
    Result(pin: "2580"))

  static func screen(_ params: Params) -> ScreenNotice? {
    let challenge = params.challenge
    return ScreenNotice(accountId: challenge.accountId, identity: challenge.identity, window: challenge.window)
  }
}

enum ShowAlert: HostRequest {
  static let name = "ui.showAlert"
  static let summary = "Show an alert to the user."
  static let defaultOutcome = "Nothing is shown."
  struct Params: Record {
    var title: String
    var message: String
    var actions: [String]
    var window: String?
    static let fields = Fields(
      Self.init, Field("title", \.title, "The title of the alert."),
      Field("message", \.message, "The text of the alert."),
      Field("actions", \.actions, "The titles of its buttons, at least one."),
      Field("window", \.window, "The host's name for the window; null for the app as a whole."))
  }
  struct Result: Record {
    var action: String?
    static let schemaName = "AlertAnswer"
    static let fields = Fields(
      Self.init,
      Field("action", \.action, "The title of the button that the user chose; null if the user chose none."))
  }
  static let resultSummary = "The user's choice."
  static let example = Example(
    Params(title: "Restart required", message: "Restart the app.", actions: ["OK"], window: nil),
    Result(action: "OK"))

  static func screen(_ params: Params) -> ScreenNotice? {
    ScreenNotice(accountId: nil, identity: nil, window: params.window)
  }
}

enum CaptureWindow: HostRequest {
  static let name = "ui.captureWindow"
  static let summary = "Make an image of a window, even if a policy blocks screen capture."
  static let defaultOutcome = "There is no image: uiHelper.captureImageOfWindow returns null."
  struct Params: Record {
    var window: String?
    static let fields = Fields(
      Self.init, Field("window", \.window, "The host's name for the window; null if none was named."))
  }
  typealias Result = Base64Bytes?
  static let resultSummary = "The image as a PNG file of at most 16 MiB; null if there is none."
  static let example = Example<Params, Result>(Params(window: "main"), .examplePNG)
}

extension Base64Bytes {
  /// The signature of a PNG file.
  static let examplePNG = Base64Bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
}

enum ShowDiagnosticConsole: HostRequest {
  static let name = "ui.showDiagnosticConsole"
  static let summary = "Show the diagnostics page to the user."
  static let defaultOutcome = "Nothing is shown."
  struct Params: Record {
    var path: String
    static let fields = Fields(
      Self.init, Field("path", \.path, "The page: an HTML file that needs no other file."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(
    Params(path: "/home/me/.local/state/mambridge/apps/com.example.host/diagnostics.html"), Nothing())

  static func screen(_ params: Params) -> ScreenNotice? { ScreenNotice(accountId: nil, identity: nil, window: nil) }
}
