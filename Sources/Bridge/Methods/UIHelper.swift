import JSON
import MAM

enum ShowSharingBlockedMessage: WorkMethod {
  static let name = "uiHelper.showSharingBlockedMessage"
  static let summary = "Tell the user, with ui.showAlert, that data may not be shared."
  static let details = "Answered at once. If no host shows alerts, nothing is shown."
  struct Params: Record {
    var window: String?
    static let fields = Fields(
      Self.init, Field("window", \.window, "The host's name for the window; defaults to the app as a whole."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let usesStore = false
  static let example = Example(Params(window: "main"), Nothing())
  static let sdkMembers = ["IntuneMAMUIHelper +showSharingBlockedMessage:"]

  static func answer(_ params: Params, on connection: BridgeConnection) -> Nothing {
    connection.core.alerts.showSharingBlocked(in: params.window)
    return Nothing()
  }
}

enum GetRestartApplicationMessage: ImmediateMethod {
  static let name = "uiHelper.getRestartApplicationMessage"
  static let summary = "Return what to tell the user when the app must be restarted for its first policy."
  typealias Params = NoParameters
  typealias Result = String
  static let resultSummary = "The text for the user, in the language of the connection."
  static let example = Example("Restart the app to continue.")
  static let sdkMembers = ["IntuneMAMUIHelper +getRestartApplicationMessage"]

  static func answer(_ params: Params, on connection: BridgeConnection) -> String {
    UserAlerts.restartMessage(in: connection.language)
  }
}
