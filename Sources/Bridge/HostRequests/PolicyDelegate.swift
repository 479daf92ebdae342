import JSON
import Model

enum IdentitySwitchRequired: HostRequest {
  static let name = "policyDelegate.identitySwitchRequired"
  static let summary = "The window must show another account: the host switches to it, or refuses."
  static let details = """
    The host answers when it has called policyManager.setUIPolicyIdentity, or knows that it will not.
    """
  static let defaultOutcome = "\"failed\": what needed the other account is blocked."
  struct Params: Record {
    var accountId: String?
    var identity: String?
    var window: String?
    var reason: IdentitySwitchReason
    static let fields = Fields(
      Self.init,
      Field("accountId", \.accountId, "The Entra object id; null when it is not known, \"\" for no user."),
      Field("identity", \.identity, "The user principal name; null when it is not known, \"\" for no user."),
      Field("window", \.window, "The host's name for the window; null when none was named."),
      Field(required: "reason", \.reason, "Why it must."))
  }
  typealias Result = AddIdentityResult
  static let resultSummary = "Whether the window shows that account now."
  static let example = Example(
    Params(
      accountId: Account.example.accountId, identity: Account.example.identity, window: "main", reason: .openURL),
    Result.success)
  static let sdkMembers = [
    "IntuneMAMPolicyDelegate -identitySwitchRequired:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -identitySwitchRequired:forWindow:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -identitySwitchRequiredForAccountId:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -identitySwitchRequiredForAccountId:forWindow:reason:completionHandler:",
  ]
}

enum WipeDataForAccount: HostRequest {
  static let name = "policyDelegate.wipeDataForAccount"
  static let summary = "The data of an account must go: the host removes it, or leaves it to the core."
  static let defaultOutcome = "false: the core removes what the account owns."
  typealias Params = Account
  typealias Result = Bool
  static let resultSummary = "Whether the host has removed all of it."
  static let example = Example<Params, Result>(.example, true)
  static let sdkMembers = [
    "IntuneMAMPolicyDelegate -wipeDataForAccount:", "IntuneMAMPolicyDelegate -wipeDataForAccountId:",
  ]
}

enum RestartApplication: HostRequest {
  static let name = "policyDelegate.restartApplication"
  static let summary = "An account has its first policy: the host restarts itself, or leaves it to the user."
  static let details = "The policy is in force already. Asked once in the life of a server process."
  static let defaultOutcome = """
    false: the event policyManager.restartRequired and the request ui.showAlert tell that a restart is due.
    """
  typealias Params = NoParameters
  typealias Result = Bool
  static let resultSummary = "Whether the host restarts itself."
  static let example = Example(true)
  static let sdkMembers = ["IntuneMAMPolicyDelegate -restartApplication"]
}

enum AddIdentity: HostRequest {
  static let name = "policyDelegate.addIdentity"
  static let summary = "The core has enrolled an account on its own: the host adds it to its accounts."
  static let defaultOutcome = "\"failed\": the account stays enrolled, and the host does not show it."
  typealias Params = Account
  typealias Result = AddIdentityResult
  static let resultSummary = "Whether the host has the account now."
  static let example = Example<Params, Result>(.example, .success)
  static let sdkMembers = [
    "IntuneMAMPolicyDelegate -addIdentity:completionHandler:",
    "IntuneMAMPolicyDelegate -addAccountId:completionHandler:",
  ]
}

enum IsExternalURL: HostRequest {
  static let name = "webViewPolicyDelegate.isExternalURL"
  static let summary = "Does this address lead a web view out of the organization's own content?"
  static let defaultOutcome = "false."
  struct Params: Record {
    var webViewer: String
    var url: String
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("url", \.url, "Where it is about to go."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether it is external."
  static let example = Example(Params(webViewer: "help", url: "https://contoso.example/"), false)
  static let sdkMembers = ["IntuneMAMWebViewPolicyDelegate -isExternalURL:"]
}
