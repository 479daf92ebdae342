import JSON
import Model

package enum OpenURL: Method {
  package static let name = "enforcement.openURL"
  package static let summary = "What becomes of an address that is about to be opened?"
  package static let details = """
    A link that the policy exempts, or lists as one of a managed app, is opened, so that the app which has claimed it \
    takes it; open it as a universal link only. Other http and https go to the browser that the policy requires: to the \
    one it names, as SCHEME and SCHEMEs, else to Microsoft Edge. tel and telprompt go to the dialer that the policy \
    names, sms to the messenger. All else is opened as far as policy.isURLAllowed allows; on Android android-app: and \
    intent: also when the policy exempts the package that they name.
    """
  package struct Params: Targeted {
    package var url: AbsoluteURL
    package var account: AccountReference?
    package var window: String?
    package var target: PolicyTarget { .shown(account, window) }

    package init(url: AbsoluteURL, account: AccountReference? = nil, window: String? = nil) {
      self.url = url
      self.account = account
      self.window = window
    }

    package static let fields = Fields(
      Self.init(url:account:window:), Field("url", \.url, "What is about to be opened."),
      Field("account", \.account, PolicyTarget.shownSummary),
      Field("window", \.window, PolicyTarget.mainWindowSummary))
  }
  package struct Result: Record {
    package var action: URLAction
    package var url: AbsoluteURL
    package var refusal: Refusal?

    package init(action: URLAction, url: AbsoluteURL, refusal: Refusal? = nil) {
      self.action = action
      self.url = url
      self.refusal = refusal
    }

    package static let fields = Fields(
      Self.init(action:url:refusal:), Field("action", \.action, "Whether to open it, or another one, or nothing."),
      Field("url", \.url, "What to open; with block what was asked for."),
      Field(
        "refusal", \.refusal,
        "What to tell the user with block, and with rewrite where no app takes it; null with open."))
  }
  package static let resultSummary = "What to do."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(
    Params(url: .exampleLink, account: "alice@contoso.example"),
    Result(action: .rewrite, url: AbsoluteURL.exampleLink.replacingScheme(by: "microsoft-edge-https")))
}
