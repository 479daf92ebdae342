import JSON
import JSONRPC
import MAM
import Model
import Policy

enum SetWebViewPolicy: ImmediateMethod {
  static let name = "policyManager.setWebViewPolicy"
  static let summary = "Says whose a web view is; enforcement.webViewNavigate goes by it."
  static let details = """
    Belongs to the connection. \"unset\" leaves it to the settings and the window's identity.
    """
  struct Params: Record {
    var webViewer: String
    var policy: WebViewPolicy
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("policy", \.policy, "Whose it is, and whether files may be uploaded from it."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.tooManyIdentities]
  static let example = Example(Params(webViewer: "help", policy: .unmanaged), Nothing())
  static let sdkMembers = ["IntuneMAMPolicyManager -setWebViewPolicy:forWebViewer:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Nothing {
    try raising { () throws(MAMError) in try connection.webViews.setPolicy(params.policy, of: params.webViewer) }
    return Nothing()
  }
}

enum SetWebViewPolicyDelegate: ImmediateMethod {
  static let name = "policyManager.setWebViewPolicyDelegate"
  static let summary = "Says whether the host is asked which addresses of a web view are external."
  static let details = """
    Belongs to the connection. While it is enabled, enforcement.webViewNavigate asks webViewPolicyDelegate.isExternalURL.
    """
  struct Params: Record {
    var webViewer: String
    var enabled: Bool
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("enabled", \.enabled, "Whether it is asked."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.tooManyIdentities]
  static let example = Example(Params(webViewer: "help", enabled: true), Nothing())
  static let sdkMembers = ["IntuneMAMPolicyManager -setWebViewPolicyDelegate:forWebViewer:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Nothing {
    try raising { () throws(MAMError) in try connection.webViews.setDelegate(params.enabled, of: params.webViewer) }
    return Nothing()
  }
}

enum NavigateWebView: WorkQuestion {
  static let name = "enforcement.webViewNavigate"
  static let summary = "May a web view go to an address, as whom, and what may get into it?"
  static let details = """
    The web view is what policyManager.setWebViewPolicy says, else unmanaged with the setting \
    TreatAllWebViewsAsUnmanaged, else the effective identity's of the window. As that identity it loads what \
    policy.isURLAllowed allows, pages within pages and the schemes of WebViewHandledURLSchemes; of http and https that \
    a browser is required for, it loads what webViewPolicyDelegate.isExternalURL calls internal, and sends the rest to \
    the browser; others are blocked. With currentIdentityBlockUpload nothing can be uploaded or \
    pasted. An unmanaged one loads everything, and gets from the window's account only what may \
    go to every app.
    """
  struct Params: Targeted {
    var webViewer: String
    var url: AbsoluteURL
    var window: String?
    var target: PolicyTarget { ShownTarget(window: window).target }
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("url", \.url, "Where it is about to go."),
      Field("window", \.window, "The host's name for the window that it is in; without it \"main\"."))
  }
  struct Result: Record {
    var action: WebViewAction
    var account: Account?
    var uploadAllowed: Bool
    var pasteAllowed: Bool
    static let fields = Fields(
      Self.init, Field("action", \.action, "What becomes of it."),
      Field("account", \.account, "Whose the web view is; both halves \"\" for nobody, null where no identity is set."),
      Field("uploadAllowed", \.uploadAllowed, "Whether files of the window's account may be uploaded."),
      Field("pasteAllowed", \.pasteAllowed, "Whether text of the window's account may be pasted."))
  }
  static let resultSummary = "What the web view may do."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(webViewer: "help", url: .exampleLink),
    Result(action: .openInManagedBrowser, account: .example, uploadAllowed: true, pasteAllowed: true))

  static func answer(
    _ asked: Asked<Params>, on connection: BridgeConnection
  ) async throws(MAMError) -> Reasoned<Result> {
    let (params, core) = (asked.params, connection.core)
    let navigation = try await core.webNavigation.navigate(
      to: params.url, in: params.webViewer, connection.webViews, showing: asked.account)
    return navigation.map { Result($0, in: core.state) }
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    let (upload, paste) = (answer.uploadAllowed.verdict(on: "uploading"), answer.pasteAllowed.verdict(on: "pasting"))
    return switch answer.action {
    case .load: "loading \(params.url.quoted) in the web view is allowed; \(upload), and \(paste)"
    case .openInManagedBrowser: "the managed browser opens \(params.url.quoted) instead of the web view"
    case .block: "loading \(params.url.quoted) in the web view is blocked"
    }
  }
}

extension NavigateWebView.Result {
  fileprivate init(_ navigation: WebViewNavigation, in state: CoreState) {
    self.init(
      action: navigation.action, account: navigation.owner.map(state.named),
      uploadAllowed: navigation.isUploadAllowed, pasteAllowed: navigation.isPasteAllowed)
  }
}
