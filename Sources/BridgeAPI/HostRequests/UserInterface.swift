import JSON
import Model

package enum PromptForCredentials: HostRequest {
  package static let name = "ui.promptForCredentials"
  package static let summary = "The user must sign in: the host shows its sign-in."
  package static let defaultOutcome = "A challenge: error 8001 of the call that needs the credentials."
  package struct Params: Record {
    package var identity: String?
    package var window: String?
    package var message: String
    package var clientId: String?
    package var authorities: [String]
    package var redirectUri: String?

    package init(
      identity: String?, window: String?, message: String, clientId: String? = nil, authorities: [String] = [],
      redirectUri: String? = nil
    ) {
      self.identity = identity
      self.window = window
      self.message = message
      self.clientId = clientId
      self.authorities = authorities
      self.redirectUri = redirectUri
    }

    package static let fields = Fields(
      Self.init(identity:window:message:clientId:authorities:redirectUri:),
      Field("identity", \.identity, "Who is to sign in; null for anybody."),
      Field("window", \.window, "The host's name for the window; null when none was named."),
      Field(required: "message", \.message, "What to tell the user."),
      Field("clientId", \.clientId, "aadClientIdOverride, else ADALClientId; null when neither is set."),
      Field(
        "authorities", \.authorities, "Where to sign in, the first choice first, as settings.aadAuthorityUris tells."),
      Field(
        "redirectUri", \.redirectUri,
        "aadRedirectUriOverride, else ADALRedirectUri, else made of ADALRedirectScheme; null when none is set."))
  }
  package struct Result: Record {
    package var userPrincipalName: String
    package var accessToken: SecretString
    package static let fields = Fields(
      Self.init(userPrincipalName:accessToken:),
      Field("userPrincipalName", \.userPrincipalName, "Who has signed in."),
      Field("accessToken", \.accessToken, "The token that proves it; never logged or stored."))
  }
  package static let resultSummary = "Who has signed in."
  package static let errors: [APIError] = [.canceled]
  package static let example = Example(
    Params(
      identity: Account.example.identity, window: "main", message: "Sign in to open your work.",
      clientId: AcquireToken.exampleClientId, authorities: ["https://login.microsoftonline.com/common"],
      redirectUri: "msauth.com.example.host://auth"),
    Result(userPrincipalName: "alice@contoso.example", accessToken: "eyJ0eXAi"))
}

package enum PromptForPIN: HostRequest {
  package static let name = "ui.promptForPIN"
  package static let summary = "The user must enter, set or change a PIN: the host shows its prompt."
  package static let defaultOutcome = "The challenge: error 8001 of the call that needs the PIN."
  package struct Params: Record {
    package var challenge: Challenge

    package init(challenge: Challenge) {
      self.challenge = challenge
    }

    package static let fields = Fields(
      Self.init(challenge:), Field("challenge", \.challenge, "What is asked for, of whom and why."))
  }
  package struct Result: Record {
    package var pin: SecretString?
    package var biometric: Biometric?

    package init(pin: SecretString? = nil, biometric: Biometric? = nil) {
      self.pin = pin
      self.biometric = biometric
    }

    package static let fields = Fields(
      Self.init(pin:biometric:), Field("pin", \.pin, "The PIN; never logged."),
      Field(
        "biometric", \.biometric,
        """
        Instead of a PIN, one of the challenge's biometrics: an addition to the SDK, whose own prompt sees the sensor. \
        The host has recognized the user by it, and vouches for that.
        """))
  }
  package static let resultSummary = "What the user has entered."
  package static let errors: [APIError] = [.canceled]
  package static let example = Example(
    Params(
      challenge: Challenge(
        id: "1", kind: .enterPIN, accountId: Account.example.accountId, identity: Account.example.identity,
        window: "main", title: "PIN", message: "Enter your PIN.", expires: nil)),
    Result(pin: "2580"))
}

package enum ShowAlert: HostRequest {
  package static let name = "ui.showAlert"
  package static let summary = "The user must be told something: the host shows an alert."
  package static let defaultOutcome = "Nothing is shown."
  package struct Params: Record {
    package var title: String
    package var message: String
    package var actions: [String]
    package var window: String?

    package init(title: String, message: String, actions: [String], window: String?) {
      self.title = title
      self.message = message
      self.actions = actions
      self.window = window
    }

    package static let fields = Fields(
      Self.init(title:message:actions:window:), Field("title", \.title, "The alert's title."),
      Field("message", \.message, "What to tell the user."),
      Field("actions", \.actions, "The texts of its buttons, at least one."),
      Field("window", \.window, "The host's name for the window; null for the application as a whole."))
  }
  package struct Result: Record {
    package var action: String?
    package static let fields = Fields(
      Self.init(action:), Field("action", \.action, "The text of the button that was chosen; null when none was."))
  }
  package static let resultSummary = "What the user chose."
  package static let example = Example(
    Params(title: "Restart needed", message: "Restart the application.", actions: ["OK"], window: nil),
    Result(action: "OK"))
}

package enum ShowDiagnosticConsole: HostRequest {
  package static let name = "ui.showDiagnosticConsole"
  package static let summary = "The user wants to see the diagnostics: the host shows the file."
  package static let defaultOutcome = "Nothing is shown."
  package struct Params: Record {
    package var path: String

    package init(path: String) {
      self.path = path
    }

    package static let fields = Fields(
      Self.init(path:), Field("path", \.path, "A page: one HTML file that needs no other."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let example = Example(
    Params(path: "/home/me/.local/state/mambridge/apps/com.example.host/diagnostics.html"), Nothing())
}
