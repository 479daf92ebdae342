import JSON
import Model

package enum IsURLAllowed: Method {
  package static let name = "policy.isURLAllowed"
  package static let summary = "May an address be handed to the app that takes its scheme?"
  package static let details = """
    http and https go by the browser that is required, tel and telprompt by the dialer rule, sms by the messaging rule. \
    Other schemes are allowed when the policy names their app as browser, dialer or messenger, when it exempts them, and \
    as far as data may be sent: to every app, or to managed ones. An app is known as managed by isKnownManagedAppScheme, \
    by a scheme that ends in -intunemam and by managedAppSchemes of device.set.
    """
  package struct Params: Targeted {
    package var url: AbsoluteURL
    package var isKnownManagedAppScheme: Bool
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(url:isKnownManagedAppScheme:account:thread:window:),
      Field("url", \.url, "What the host wants to open."),
      Field(
        "isKnownManagedAppScheme", \.isKnownManagedAppScheme, default: false,
        "Whether the host knows that a managed app takes the scheme."),
      Field("account", \.target.account, PolicyTarget.accountSummary),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may be opened as it is."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(
    Params(url: .exampleNumber, account: "alice@contoso.example"), false)
  package static let sdkMembers = [
    "IntuneMAMPolicy -isURLAllowed:", "IntuneMAMPolicy -isURLAllowed:isKnownManagedAppScheme:",
  ]
}

extension IsURLAllowed.Params {
  package init(
    url: AbsoluteURL, isKnownManagedAppScheme: Bool = false, account: AccountReference? = nil, thread: String? = nil,
    window: String? = nil
  ) {
    self.init(
      url: url, isKnownManagedAppScheme: isKnownManagedAppScheme,
      target: PolicyTarget(account: account, thread: thread, window: window))
  }
}

package enum IsUniversalLinkAllowed: Method {
  package static let name = "policy.isUniversalLinkAllowed"
  package static let summary = "May a link open the app that has claimed it, instead of a browser?"
  package static let details = """
    Exempted links always; managed ones while data may be sent to managed apps; all others only while it may be sent to \
    every app. In the policy's lists * stands for any text within the host, and within the path with its query.
    """
  package struct Params: Targeted {
    package var url: AbsoluteURL
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(url:account:thread:window:), Field("url", \.url, "The link."),
      Field("account", \.target.account, PolicyTarget.accountSummary),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(
    Params(url: .exampleLink, account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy -isUniversalLinkAllowed:"]
}

extension IsUniversalLinkAllowed.Params {
  package init(
    url: AbsoluteURL, account: AccountReference? = nil, thread: String? = nil, window: String? = nil
  ) {
    self.init(url: url, target: PolicyTarget(account: account, thread: thread, window: window))
  }
}

package enum IsDocumentPickerAllowed: Method {
  package static let name = "policy.isDocumentPickerAllowed"
  package static let summary = "May the system's document picker be shown at all?"
  package static let details = """
    To import or open, unless no data may be received; to export or move, unless none may be sent. Which document may be \
    taken, or where one may go, isOpenFromAllowedForLocation and isSaveToAllowedForLocation say.
    """
  package struct Params: Targeted {
    package var mode: DocumentPickerMode
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(mode:account:thread:window:), Field("mode", \.mode, "What it is shown for."),
      Field("account", \.target.account, PolicyTarget.accountSummary),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(
    Params(mode: .import, account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy -isDocumentPickerAllowed:"]
}

extension IsDocumentPickerAllowed.Params {
  package init(
    mode: DocumentPickerMode, account: AccountReference? = nil, thread: String? = nil, window: String? = nil
  ) {
    self.init(mode: mode, target: PolicyTarget(account: account, thread: thread, window: window))
  }
}
