import JSON
import JSONRPC
import MAM
import Model
import Policy

enum SetWebViewPolicy: ImmediateMethod {
  static let name = "policyManager.setWebViewPolicy"
  static let summary = "Set the identity of a web view, which enforcement.webViewNavigate uses."
  static let details =
    "The policy belongs to the connection. \"unset\" leaves the decision to the settings and the window's identity."
  struct Params: Record {
    var webViewer: String
    var policy: WebViewPolicy
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("policy", \.policy, "The identity of the web view, and whether files may be uploaded from it."))
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
  static let summary = "Set whether the host is asked which URLs of a web view are external."
  static let details = """
    The choice belongs to the connection. While it is enabled, enforcement.webViewNavigate asks \
    webViewPolicyDelegate.isExternalURL.
    """
  struct Params: Record {
    var webViewer: String
    var enabled: Bool
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("enabled", \.enabled, "Whether the host is asked."))
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
  static let summary = "Decide whether a web view may load a URL, with which identity, and what may be put into it."
  static let details = """
    The web view has the identity that policyManager.setWebViewPolicy set. If that is unset, the web view is unmanaged \
    with the setting TreatAllWebViewsAsUnmanaged, and otherwise has the effective identity of the window.

    With an identity, a web view loads what policy.isURLAllowed allows, the schemes of WebViewHandledURLSchemes, and \
    about, blob, data and javascript. Any other http or https URL goes to the managed browser if \
    webViewPolicyDelegate.isExternalURL says that it is external, and is loaded if it is internal or the host is not \
    asked. All other URLs are blocked. With currentIdentityBlockUpload, nothing can be uploaded or pasted.

    An unmanaged web view loads everything, and gets from the window's account only what may go to any app.
    """
  struct Params: Targeted {
    var webViewer: String
    var url: AbsoluteURL
    var window: String?
    var target: PolicyTarget { ShownTarget(window: window).target }
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("url", \.url, "The URL that the web view is about to load."),
      Field("window", \.window, "The host's name for the window that contains the web view; defaults to \"main\"."))
  }
  struct Result: Record {
    var action: WebViewAction
    var account: Account?
    var uploadAllowed: Bool
    var pasteAllowed: Bool
    static let schemaName = "WebViewDecision"
    static let fields = Fields(
      Self.init, Field("action", \.action, "What to do with the URL."),
      Field(
        "account", \.account,
        "The identity of the web view; both members are \"\" for no user, null if no identity is set."),
      Field("uploadAllowed", \.uploadAllowed, "Whether files of the window's account may be uploaded."),
      Field("pasteAllowed", \.pasteAllowed, "Whether text of the window's account may be pasted."))
  }
  typealias Answer = Reasoned<Result>
  static let resultSummary = "What the web view may do."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(webViewer: "help", url: .exampleLink),
    Result(action: .openInManagedBrowser, account: .example, uploadAllowed: true, pasteAllowed: true))

  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection
  ) async throws(MAMError) -> Reasoned<Result> {
    let params = asked.params
    let navigation = try await rooms.webNavigation.navigate(
      to: params.url, in: params.webViewer, connection.webViews, showing: asked.account,
      sharing: asked.view)
    return navigation.map { Result($0, in: rooms.state) }
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
