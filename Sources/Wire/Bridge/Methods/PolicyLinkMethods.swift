import JSON
import MAM
import Model
import Policy

enum IsURLAllowed: PolicyQuestion {
  static let name = "policy.isURLAllowed"
  static let summary = "Report whether a URL may be handed to the app that handles its scheme."
  static let details = """
    The required browser decides about http and https, the dialer rule about tel and telprompt, and the messaging rule \
    about sms. Another scheme is allowed if the policy names its app as browser, dialer or messenger, if the policy \
    exempts the scheme, or if data may be sent to its app: either to any app, or to managed apps and the app is \
    managed. An app counts as managed if isKnownManagedAppScheme is true, if its scheme ends in -intunemam, or if \
    managedAppSchemes of device.set lists the scheme.
    """
  struct Params: Targeted {
    var url: AbsoluteURL
    var isKnownManagedAppScheme = false
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init,
      Field("url", \.url, "The URL that the host wants to open."),
      Field(
        "isKnownManagedAppScheme", \.isKnownManagedAppScheme, default: false,
        "Whether the host knows that a managed app handles the scheme."),
      PolicyTarget.group())
  }
  typealias Result = Bool
  static let resultSummary = "Whether the URL may be opened as it is."
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
  static let summary = "Report whether a link may open the app that claims it, instead of a browser."
  static let details = """
    Exempt links are always allowed; managed links if data may be sent to managed apps; all other links only if data \
    may be sent to any app. In the policy's lists, * stands for any text within the host, and within the path with its \
    query.
    """
  struct Params: Targeted {
    var url: AbsoluteURL
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init, Field("url", \.url, "The link."),
      PolicyTarget.group())
  }
  typealias Result = Bool
  static let resultSummary = "Whether the link may open the app."
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
  static let summary = "Report whether the system's document picker may be shown at all."
  static let details = """
    Importing and opening are allowed, unless no data may be received; exporting and moving are allowed, unless no \
    data may be sent. isOpenFromAllowedForLocation and isSaveToAllowedForLocation decide where a document may come \
    from or go to.
    """
  struct Params: Targeted {
    var mode: DocumentPickerMode
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init, Field("mode", \.mode, "What the picker is shown for."),
      PolicyTarget.group())
  }
  typealias Result = Bool
  static let resultSummary = "Whether the picker may be shown."
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
