import JSON
import Model

package enum SetWebViewPolicy: Method {
  package static let name = "policyManager.setWebViewPolicy"
  package static let summary = "Says whose a web view is; enforcement.webViewNavigate goes by it."
  package static let details = """
    Belongs to the connection. \"unset\" leaves it to the settings and the window's identity.
    """
  package struct Params: Record {
    package var webViewer: String
    package var policy: WebViewPolicy
    package static let fields = Fields(
      Self.init(webViewer:policy:), Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("policy", \.policy, "Whose it is, and whether files may be uploaded from it."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.tooManyIdentities]
  package static let example = Example(Params(webViewer: "help", policy: .unmanaged), Nothing())
  package static let sdkMembers = ["IntuneMAMPolicyManager -setWebViewPolicy:forWebViewer:"]
}

package enum SetWebViewPolicyDelegate: Method {
  package static let name = "policyManager.setWebViewPolicyDelegate"
  package static let summary = "Says whether the host is asked which addresses of a web view are external."
  package static let details = """
    Belongs to the connection. While it is enabled, enforcement.webViewNavigate asks webViewPolicyDelegate.isExternalURL.
    """
  package struct Params: Record {
    package var webViewer: String
    package var enabled: Bool
    package static let fields = Fields(
      Self.init(webViewer:enabled:), Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("enabled", \.enabled, "Whether it is asked."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.tooManyIdentities]
  package static let example = Example(Params(webViewer: "help", enabled: true), Nothing())
  package static let sdkMembers = ["IntuneMAMPolicyManager -setWebViewPolicyDelegate:forWebViewer:"]
}
