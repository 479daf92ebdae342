import JSON
import Model

package enum IsActionAllowed: Method {
  package static let name = "enforcement.isActionAllowed"
  package static let summary = "May the user do this with the account's data?"
  package static let details = """
    screenCapture goes by its own setting; on iOS, without that, it is allowed only while data may be sent to all apps, \
    or with the app configuration com.microsoft.intune.mam.screencapturecontrol = Disabled. thirdPartyKeyboard is blocked \
    for everybody when one account of this app blocks it; on Android a keyboard that the policy approves is allowed, and \
    one that is not named is not. saveAs is whether copies may be saved without regard to the place, which \
    policy.isSaveToAllowedForLocation is for. What no policy sets is allowed.
    """
  package struct Params: Targeted {
    package var action: EnforcedAction
    package var account: AccountReference?
    package var window: String?
    package var keyboard: String?
    package var target: PolicyTarget { .shown(account, window) }

    package init(
      action: EnforcedAction, account: AccountReference? = nil, window: String? = nil, keyboard: String? = nil
    ) {
      self.action = action
      self.account = account
      self.window = window
      self.keyboard = keyboard
    }

    package static let fields = Fields(
      Self.init(action:account:window:keyboard:), Field("action", \.action, "What the user wants to do."),
      Field("account", \.account, PolicyTarget.shownSummary),
      Field("window", \.window, PolicyTarget.mainWindowSummary),
      Field("keyboard", \.keyboard, "With thirdPartyKeyboard on Android: the package id of the keyboard."))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it is allowed."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(
    Params(action: .print, account: "alice@contoso.example"), false)
}
