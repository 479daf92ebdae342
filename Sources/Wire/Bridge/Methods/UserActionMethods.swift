import JSON
import MAM
import Model
import Policy

enum IsActionAllowed: PolicyQuestion {
  static let name = "enforcement.isActionAllowed"
  static let summary = "Report whether the user may do something with an account's data."
  static let details = """
    screenCapture follows its own setting. On iOS, without that setting, it is allowed only if data may be sent to all \
    apps, or if the app configuration com.microsoft.intune.mam.screencapturecontrol is Disabled. thirdPartyKeyboard is \
    blocked for everybody if one account of this app blocks it; on Android, a keyboard that the policy approves is \
    allowed, and a keyboard that is not named is blocked. saveAs says whether copies may be saved at all; \
    policy.isSaveToAllowedForLocation decides about a location. An action that no policy restricts is allowed.
    """
  struct Params: ViewTargeted {
    var action: EnforcedAction
    var shown = ShownTarget()
    var keyboard: String?
    var accounts: [AccountReference]?
    static let fields = Fields(
      Self.init, Field("action", \.action, "What the user wants to do."),
      ShownTarget.group(),
      Field("keyboard", \.keyboard, "For thirdPartyKeyboard on Android: the package id of the keyboard."), accountsField
    )
  }
  typealias Result = Bool
  static let resultSummary = "Whether the action is allowed."
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
  static let summary = "Return what a notification about an account's data may show."
  static let details = """
    As policy.notificationPolicy says, the notification may show everything, or only a text without data of the \
    organization, or it must not be shown.
    """
  struct Params: Targeted {
    var title: String
    var body: String
    var account: AccountReference?
    var accounts: [AccountReference]?
    var target: PolicyTarget { PolicyTarget(account: account, accounts: accounts) }
    static let fields = Fields(
      Self.init, Field("title", \.title, "The title of the notification."),
      Field("body", \.body, "The text of the notification."),
      Field("account", \.account, "The account that the notification is about; \"\" means no user."),
      Field(
        "accounts", \.accounts,
        "The accounts that the notification is about, in place of `account`, which is required without them."))
  }
  struct Result: Record {
    var show: Bool
    var title: String
    var body: String
    static let schemaName = "RedactedNotification"
    static let fields = Fields(
      Self.init, Field("show", \.show, "Whether the notification may be shown at all."),
      Field("title", \.title, "The title to show; \"\" if nothing may be shown."),
      Field("body", \.body, "The text to show; \"\" if nothing may be shown."))
  }
  typealias Captured = AddressedInLanguage<Params>
  static let resultSummary = "What to show."
  static let errors: [ErrorCode] = [.invalidArguments, .policyRequired]
  static let example = Example(
    Params(title: "Eve", body: "The figures are in.", account: "alice@contoso.example"),
    Result(show: true, title: "New notification", body: "Open the app to see it."))

  static func answer(
    _ asked: AddressedInLanguage<Params>, _ state: CoreState
  ) throws(MAMError) -> Decision<Result> {
    let params = asked.params
    guard params.account != nil || params.accounts != nil else {
      throw MAMError(.invalidArguments, "account or accounts must be given")
    }
    let policy = try state.questions(about: asked.account, sharing: asked.view)
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
