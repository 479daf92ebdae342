import JSON
import MAM
import Model
import Policy

enum IsActionAllowed: PolicyQuestion {
  static let name = "enforcement.isActionAllowed"
  static let summary = "May the user do this with the account's data?"
  static let details = """
    screenCapture goes by its own setting; on iOS, without that, it is allowed only while data may be sent to all \
    apps, or with the app configuration com.microsoft.intune.mam.screencapturecontrol = Disabled. thirdPartyKeyboard \
    is blocked for everybody when one account of this app blocks it; on Android a keyboard that the policy approves is \
    allowed, and one that is not named is not. saveAs is whether copies may be saved without regard to the place, \
    which policy.isSaveToAllowedForLocation is for. What no policy sets is allowed.
    """
  struct Params: Showing {
    var action: EnforcedAction
    var shown = ShownTarget()
    var keyboard: String?
    static let fields = Fields(
      Self.init, Field("action", \.action, "What the user wants to do."),
      ShownTarget.group(),
      Field("keyboard", \.keyboard, "With thirdPartyKeyboard on Android: the package id of the keyboard."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether it is allowed."
  static let example = Example<Params, Result>(
    Params(action: .print, shown: ShownTarget(account: "alice@contoso.example")), false)

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isActionAllowed(params.action, keyboard: params.keyboard, in: state)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: params.action.spoken)
  }
}

enum RedactNotification: Question {
  static let name = "enforcement.redactNotification"
  static let summary = "What may a notification about this account's data show?"
  static let details = """
    As policy.notificationPolicy says: all of it, words that hold no data of the organization, or nothing, and then it \
    must not be shown.
    """
  struct Params: Targeted {
    var title: String
    var body: String
    var account: AccountReference
    var target: PolicyTarget { PolicyTarget(account: account) }
    static let fields = Fields(
      Self.init, Field("title", \.title, "Its title."), Field("body", \.body, "Its text."),
      Field("account", \.account, "Whose data it is about; \"\" is no user."))
  }
  struct Result: Record {
    var show: Bool
    var title: String
    var body: String
    static let fields = Fields(
      Self.init, Field("show", \.show, "Whether it may be shown at all."),
      Field("title", \.title, "The title to show; \"\" where nothing may be shown."),
      Field("body", \.body, "The text to show; \"\" where nothing may be shown."))
  }
  static let resultSummary = "What to show."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(title: "Eve", body: "The figures are in.", account: "alice@contoso.example"),
    Result(show: true, title: "New notification", body: "Open the app to see it."))

  static func answer(
    _ asked: AskedInLanguage<Params>, _ state: CoreState
  ) throws(MAMError) -> Decision<Result> {
    let (params, policy) = (asked.params, try state.questions(about: asked.account))
    return policy.redact(title: params.title, body: params.body, in: asked.language)
      .map { Result(show: $0.isShown, title: $0.title, body: $0.body) }
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    guard answer.show else { return "the notification must not be shown" }
    let isWhole = answer.title == params.title && answer.body == params.body
    return isWhole ? "the notification may be shown as it is" : "the notification may be shown without its content"
  }
}

extension EnforcedAction {
  fileprivate var spoken: String {
    switch self {
    case .print: "printing"
    case .screenCapture: "capturing the screen"
    case .thirdPartyKeyboard: "using a third-party keyboard"
    case .dictation: "dictation"
    case .backup: "backing up data"
    case .genmoji: "using Genmoji"
    case .writingTools: "using Writing Tools"
    case .saveAs: "saving copies"
    }
  }
}
