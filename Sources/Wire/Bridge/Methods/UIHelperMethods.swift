import JSON
import MAM
import Model

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

enum CaptureImageOfWindow: WorkMethod {
  static let name = "uiHelper.captureImageOfWindow"
  static let summary = "Return an image of a window, even if a policy blocks screen capture."
  static let details = """
    The server has no pixels, so it asks the host with ui.captureWindow and returns the image that the host made. The \
    image is data of the account that the window shows, and the host must protect it as such; the log names the \
    account. The answers of policy.isScreenCaptureAllowed and enforcement.isActionAllowed do not change.
    """
  struct Params: Record {
    var window: String?
    static let fields = Fields(
      Self.init, Field("window", \.window, "The host's name for the window; defaults to \"main\"."))
  }
  typealias Result = Base64Bytes?
  static let resultSummary =
    "The image as a PNG file; null if no host answers, or if the image is larger than 16 MiB."
  static let example = Example<Params, Result>(Params(window: "main"), .examplePNG)
  static let sdkMembers = ["IntuneMAMUIHelper +captureImageOfWindow:"]

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> Base64Bytes? {
    let core = connection.core
    let log = try core.refresh().log
    let window = params.window ?? Identities.main
    guard let image = await core.host.captureWindow(window) else { return nil }
    // What the window shows when the image exists.
    let identity = connection.identities.effectiveIdentity(window: window)
    let shown = identity.view?.accounts ?? [identity.account ?? core.state.effective ?? .noUser]
    for account in shown.map(core.state.named) {
      log.write(
        .info, .policy, "the host made an image of window \(personal: window, as: "window") of \(personal: account)")
    }
    return Base64Bytes(image)
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
