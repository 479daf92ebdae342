import JSON
import MAM
import Model
import Policy

enum IsURLAllowed: PolicyQuestion {
  static let name = "policy.isURLAllowed"
  static let summary = "May an address be handed to the app that takes its scheme?"
  static let details = """
    http and https go by the browser that is required, tel and telprompt by the dialer rule, sms by the messaging \
    rule. Other schemes are allowed when the policy names their app as browser, dialer or messenger, when it exempts \
    them, and as far as data may be sent: to every app, or to managed ones. An app is known as managed by \
    isKnownManagedAppScheme, by a scheme that ends in -intunemam and by managedAppSchemes of device.set.
    """
  struct Params: Targeted {
    var url: AbsoluteURL
    var isKnownManagedAppScheme = false
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init,
      Field("url", \.url, "What the host wants to open."),
      Field(
        "isKnownManagedAppScheme", \.isKnownManagedAppScheme, default: false,
        "Whether the host knows that a managed app takes the scheme."),
      PolicyTarget.group())
  }
  typealias Result = Bool
  static let resultSummary = "Whether it may be opened as it is."
  static let example = Example<Params, Result>(
    Params(url: .exampleNumber, target: PolicyTarget(account: "alice@contoso.example")), false)
  static let sdkMembers = [
    "IntuneMAMPolicy -isURLAllowed:", "IntuneMAMPolicy -isURLAllowed:isKnownManagedAppScheme:",
  ]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    let isManaged = params.isKnownManagedAppScheme || state.isSchemeOfManagedApp(params.url.scheme)
    return policy.isURLAllowed(params.url, toManagedApp: isManaged)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "opening \(params.url.quoted)")
  }
}

enum IsUniversalLinkAllowed: PolicyQuestion {
  static let name = "policy.isUniversalLinkAllowed"
  static let summary = "May a link open the app that has claimed it, instead of a browser?"
  static let details = """
    Exempted links always; managed ones while data may be sent to managed apps; all others only while it may be sent \
    to every app. In the policy's lists * stands for any text within the host, and within the path with its query.
    """
  struct Params: Targeted {
    var url: AbsoluteURL
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init, Field("url", \.url, "The link."),
      PolicyTarget.group())
  }
  typealias Result = Bool
  static let resultSummary = "Whether it may."
  static let example = Example<Params, Result>(
    Params(url: .exampleLink, target: PolicyTarget(account: "alice@contoso.example")), true)
  static let sdkMembers = ["IntuneMAMPolicy -isUniversalLinkAllowed:"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isUniversalLinkAllowed(params.url)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "opening \(params.url.quoted) in the app that claims it")
  }
}

enum IsDocumentPickerAllowed: PolicyQuestion {
  static let name = "policy.isDocumentPickerAllowed"
  static let summary = "May the system's document picker be shown at all?"
  static let details = """
    To import or open, unless no data may be received; to export or move, unless none may be sent. Which document may \
    be taken, or where one may go, isOpenFromAllowedForLocation and isSaveToAllowedForLocation say.
    """
  struct Params: Targeted {
    var mode: DocumentPickerMode
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init, Field("mode", \.mode, "What it is shown for."),
      PolicyTarget.group())
  }
  typealias Result = Bool
  static let resultSummary = "Whether it may."
  static let example = Example<Params, Result>(
    Params(mode: .import, target: PolicyTarget(account: "alice@contoso.example")), true)
  static let sdkMembers = ["IntuneMAMPolicy -isDocumentPickerAllowed:"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isDocumentPickerAllowed(params.mode)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "showing the document picker to \(params.mode.purpose)")
  }
}

extension DocumentPickerMode {
  fileprivate var purpose: String {
    switch self {
    case .import: "import"
    case .open: "open"
    case .exportToService: "export"
    case .moveToService: "move"
    }
  }
}
