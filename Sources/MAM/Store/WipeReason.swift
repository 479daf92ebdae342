import Model
import SQLite

/// Why the data of an account is removed from an app.
package enum WipeReason: Hashable, Sendable {
  /// The host unenrolls the account.
  case host
  /// An administrator asked for it once.
  case administrator
  /// An administrator keeps the account out of the app: it stays registered, and is refused at its check-ins.
  case administratorBlock
  /// A rule of the account's policy, such as a minimum version: its name and what it found.
  case conditionalLaunch(String)

  static let tooManyWrongPINs = conditionalLaunch(PINMessage.retriesWipe.english)

  static let offlineSignInCanceled = conditionalLaunch(
    "periodOfflineBeforeWipeIsEnforced: The app was offline for too long, and the user did not sign in.")

  /// Whether the account is still registered afterwards.
  var keepsRegistration: Bool { self == .administratorBlock }

  var text: String {
    switch self {
    case .host: "the host unenrolls it"
    case .administrator: "an administrator wipes it"
    case .administratorBlock: "an administrator wipes and blocks it"
    case .conditionalLaunch(let rule): "its policy wants it: \(rule)"
    }
  }
}

extension WipeReason {
  mutating func visit(_ column: inout Columns) {
    var (name, detail) = stored
    column("reason", &name)
    column("detail", &detail, .hasDefault)
    self = WipeReason(stored: name, detail: detail)
  }

  private var stored: (name: String, detail: String) {
    switch self {
    case .host: ("host", "")
    case .administrator: ("administrator", "")
    case .administratorBlock: ("administratorBlock", "")
    case .conditionalLaunch(let rule): ("conditionalLaunch", rule)
    }
  }

  /// A name of a later version counts as the host's: the data goes in any case.
  private init(stored name: String, detail: String) {
    switch name {
    case "administrator": self = .administrator
    case "administratorBlock": self = .administratorBlock
    case "conditionalLaunch": self = .conditionalLaunch(detail)
    default: self = .host
    }
  }
}
