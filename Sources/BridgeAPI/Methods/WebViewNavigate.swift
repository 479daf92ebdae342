import JSON
import Model

package enum NavigateWebView: Method {
  package static let name = "enforcement.webViewNavigate"
  package static let summary = "May a web view go to an address, as whom, and what may get into it?"
  package static let details = """
    The web view is what policyManager.setWebViewPolicy says, else unmanaged with the setting \
    TreatAllWebViewsAsUnmanaged, else the effective identity's of the window. As that identity it loads what \
    policy.isURLAllowed allows, pages within pages and the schemes of WebViewHandledURLSchemes; of http and https that \
    a browser is required for, it loads what webViewPolicyDelegate.isExternalURL calls internal, and sends the rest to \
    the browser; others are blocked. With currentIdentityBlockUpload nothing can be uploaded or \
    pasted. An unmanaged one loads everything, and gets from the window's account only what may \
    go to every app.
    """
  package struct Params: Targeted {
    package var webViewer: String
    package var url: AbsoluteURL
    package var window: String?
    package var target: PolicyTarget { .shown(nil, window) }

    package init(webViewer: String, url: AbsoluteURL, window: String? = nil) {
      self.webViewer = webViewer
      self.url = url
      self.window = window
    }

    package static let fields = Fields(
      Self.init(webViewer:url:window:), Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("url", \.url, "Where it is about to go."),
      Field("window", \.window, "The host's name for the window that it is in; without it \"main\"."))
  }
  package struct Result: Record {
    package var action: WebViewAction
    package var account: Account?
    package var uploadAllowed: Bool
    package var pasteAllowed: Bool

    package init(action: WebViewAction, account: Account?, uploadAllowed: Bool, pasteAllowed: Bool) {
      self.action = action
      self.account = account
      self.uploadAllowed = uploadAllowed
      self.pasteAllowed = pasteAllowed
    }

    package static let fields = Fields(
      Self.init(action:account:uploadAllowed:pasteAllowed:), Field("action", \.action, "What becomes of it."),
      Field("account", \.account, "Whose the web view is; both halves \"\" for nobody, null where no identity is set."),
      Field("uploadAllowed", \.uploadAllowed, "Whether files of the window's account may be uploaded."),
      Field("pasteAllowed", \.pasteAllowed, "Whether text of the window's account may be pasted."))
  }
  package static let resultSummary = "What the web view may do."
  package static let errors: [APIError] = .policy
  package static let example = Example(
    Params(webViewer: "help", url: .exampleLink),
    Result(action: .openInManagedBrowser, account: .example, uploadAllowed: true, pasteAllowed: true))
}
