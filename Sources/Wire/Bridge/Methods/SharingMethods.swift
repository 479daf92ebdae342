import JSON
import MAM
import Model
import Policy

enum OpenURL: Question {
  static let name = "enforcement.openURL"
  static let summary = "Decide what to do with a URL that is about to be opened."
  static let details = """
    A link that the policy exempts, or lists as one of a managed app, is opened so that the app that claims it handles \
    it; open such a link only as a universal link. Other http and https URLs go to the browser that the policy \
    requires: the browser it names, with SCHEME for http and SCHEMEs for https, or else Microsoft Edge. tel and \
    telprompt go to the dialer that the policy names, sms to the messenger. A policy for Android names apps by their \
    packages: package is then the id of the only app that may open the URL, and url is an intent for that app. Any \
    other URL is opened if policy.isURLAllowed allows it; on Android, android-app: and intent: URLs are also opened if \
    they name a package that the policy names or exempts, or that every policy exempts.

    If the policy exempts tel, telprompt or sms, these URLs are opened in any app, whatever dialer or messenger the \
    policy requires.
    """
  struct Params: ViewTargeted {
    var url: AbsoluteURL
    var shown = ShownTarget()
    var accounts: [AccountReference]?
    static let fields = Fields(
      Self.init, Field("url", \.url, "The URL that is about to be opened."),
      ShownTarget.group(), accountsField)
  }
  struct Result: Record {
    var action: URLAction
    var url: AbsoluteURL
    var package: String?
    var refusal: Refusal?
    static let schemaName = "URLDecision"
    static let fields = Fields(
      Self.init,
      Field("action", \.action, "Whether to open the URL, to open another one instead, or to open nothing."),
      Field("url", \.url, "The URL to open; with block, the URL of the request."),
      Field(
        "package", \.package,
        "On Android, the id of the only app that may open the URL; null if the URL is not for a single app."),
      Field(
        "refusal", \.refusal,
        "What to tell the user with block, and with rewrite if no app handles the new URL; null with open."))
  }
  typealias Captured = AddressedInLanguage<Params>
  static let resultSummary = "What to do with the URL."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example<Params, Result>(
    Params(url: .exampleLink, shown: ShownTarget(account: "alice@contoso.example")),
    Result(action: .rewrite, url: AbsoluteURL.exampleLink.replacingScheme(by: "microsoft-edge-https")))

  static func answer(
    _ asked: AddressedInLanguage<Params>, _ state: CoreState
  ) throws(MAMError) -> Decision<Result> {
    let (url, policy) = (asked.params.url, try state.questions(about: asked.account, sharing: asked.view))
    let decision = policy.opening(url, toManagedApp: state.isSchemeOfManagedApp(url.scheme))
    let refusal = decision.refusal(in: asked.language)
    return decision.map { Result(action: $0.action, url: $0.url, package: $0.package, refusal: refusal) }
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    switch answer.action {
    case .open, .block: (answer.action == .open).verdict(on: "opening \(params.url.quoted)")
    case .rewrite: "opening \(params.url.quoted) is allowed as \(answer.url.quoted) only"
    }
  }
}

enum FilterShareTargets: PolicyQuestion {
  static let name = "enforcement.filterShareTargets"
  static let summary = "Decide which apps an account's data may be shared with, and whether it must be protected."
  static let details = """
    No app is offered if no app may receive data. If only managed apps may, iOS offers all apps and protects what an \
    unmanaged app gets, unless the policy filters the apps; on a managed device, the policy can leave the protection \
    to the system. Android offers managed apps and those that the policy exempts, and always the apps that every \
    policy exempts, such as the phone, Google Play, Microsoft Authenticator and the Company Portal. When apps are \
    filtered, an app that receives for another account of this app is offered only if that account accepts the data. \
    Whether another app accepts data for the same account is up to that app's policy, so such an app is offered.
    """
  struct Params: ViewTargeted {
    var targets: [ShareTarget]
    var shown = ShownTarget()
    var accounts: [AccountReference]?
    static let fields = Fields(
      Self.init, Field("targets", \.targets, "The apps that the user could choose."),
      ShownTarget.group(), accountsField)
  }
  struct Result: Record {
    var targets: [ShareTarget]
    var encrypt: Bool
    static let schemaName = "FilteredShareTargets"
    static let fields = Fields(
      Self.init, Field("targets", \.targets, "The apps that may be offered, in the same order."),
      Field("encrypt", \.encrypt, "Whether the data must be protected before an app gets it."))
  }
  typealias Answer = Reasoned<Result>
  static let resultSummary = "The apps that may be offered, and whether the data must be protected."
  static let example = Example(
    Params(
      targets: [.example, ShareTarget(id: "com.example.notes", managed: false)],
      shown: ShownTarget(account: "alice@contoso.example")),
    Result(targets: [.example], encrypt: true))

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Reasoned<Result> {
    let isMDM = policy.account.flatMap(state.account)?.isMDM ?? false
    return policy.shareTargets(params.targets, isMDM: isMDM, in: state)
      .map { Result(targets: $0.targets, encrypt: $0.encrypts) }
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    guard !answer.targets.isEmpty else { return "sharing with these apps is blocked" }
    let names = answer.targets.map { "\"\($0.id)\"" }.listedInWords
    return "sharing with \(names) is allowed" + (answer.encrypt ? ", but the data must be protected" : "")
  }
}

extension ShareTarget {
  fileprivate static let example = ShareTarget(id: "com.example.mail", managed: true)
}
