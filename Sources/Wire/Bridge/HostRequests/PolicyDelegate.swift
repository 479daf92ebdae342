import JSON
import Model

enum IdentitySwitchRequired: HostRequest {
  static let name = "policyDelegate.identitySwitchRequired"
  static let summary = "Switch a window to another account, or refuse."
  static let details =
    "Answer after calling policyManager.setUIPolicyIdentity, or once you know that you will not call it."
  static let defaultOutcome = "\"failed\": the action that needed the other account is blocked."
  struct Params: Record {
    var accountId: String?
    var identity: String?
    var window: String?
    var reason: IdentitySwitchReason
    static let fields = Fields(
      Self.init,
      Field("accountId", \.accountId, "The Entra object id; null if unknown, \"\" for no user."),
      Field("identity", \.identity, "The user principal name; null if unknown, \"\" for no user."),
      Field("window", \.window, "The host's name for the window; null if none was named."),
      Field(required: "reason", \.reason, "Why the window must switch."))
  }
  typealias Result = AddIdentityResult
  static let resultSummary = "Whether the window now shows the account."
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

enum BlockAccount: HostRequest {
  static let name = "policyDelegate.blockAccount"
  static let summary = "Hide an account in a window that shows several accounts."
  static let details = """
    Sent once for each window of the connection that shows the account. The server takes the account out of the window \
    when the host answers success.
    """
  static let defaultOutcome = """
    policyDelegate.identitySwitchRequired asks for no user ("") in the window, with the reason cancelConditionalLaunch. \
    If the answer to either request is "failed", ui.showAlert tells the user, and the lock-down policy applies to the \
    window until it is set again.
    """
  struct Params: Record {
    var accountId: String?
    var identity: String?
    var window: String?
    var reason: BlockAccountReason
    static let fields = Fields(
      Self.init,
      Field("accountId", \.accountId, "The Entra object id; null if unknown."),
      Field("identity", \.identity, "The user principal name; null if unknown."),
      Field("window", \.window, "The host's name for the window."),
      Field(required: "reason", \.reason, "Why the account must be hidden."))
  }
  typealias Result = BlockAccountResult
  static let resultSummary = "Whether the window no longer shows the account."
  static let example = Example(
    Params(
      accountId: Account.example.accountId, identity: Account.example.identity, window: "main",
      reason: .conditionalLaunchBlocked),
    Result.success)
  static let sdkMembers = [
    "IntuneMAMPolicyDelegate -blockAccountId:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -blockAccountId:reason:forWindow:completionHandler:",
  ]
}

enum WipeDataForAccount: HostRequest {
  static let name = "policyDelegate.wipeDataForAccount"
  static let summary = "Remove an account's data, or leave the removal to the server."
  static let defaultOutcome = "false: the server removes the files that the account owns."
  typealias Params = Account
  typealias Result = Bool
  static let resultSummary = "Whether the host removed all of the account's data."
  static let example = Example<Params, Result>(.example, true)
  static let sdkMembers = [
    "IntuneMAMPolicyDelegate -wipeDataForAccount:", "IntuneMAMPolicyDelegate -wipeDataForAccountId:",
  ]
}

enum RestartApplication: HostRequest {
  static let name = "policyDelegate.restartApplication"
  static let summary =
    "Restart the host because an account received its first policy, or leave the restart to the user."
  static let details = "The policy is already in force. Each server process sends this request at most once."
  static let defaultOutcome =
    "false: the event policyManager.restartRequired and the request ui.showAlert say that a restart is due."
  typealias Params = NoParameters
  typealias Result = Bool
  static let resultSummary = "Whether the host will restart itself."
  static let example = Example(true)
  static let sdkMembers = ["IntuneMAMPolicyDelegate -restartApplication"]
}

enum AddIdentity: HostRequest {
  static let name = "policyDelegate.addIdentity"
  static let summary = "Add an account, which the server enrolled on its own, to the host's accounts."
  static let defaultOutcome = "\"failed\": the account stays enrolled, and the host does not show it."
  typealias Params = Account
  typealias Result = AddIdentityResult
  static let resultSummary = "Whether the host now has the account."
  static let example = Example<Params, Result>(.example, .success)
  static let sdkMembers = [
    "IntuneMAMPolicyDelegate -addIdentity:completionHandler:",
    "IntuneMAMPolicyDelegate -addAccountId:completionHandler:",
  ]
}

enum IsExternalURL: HostRequest {
  static let name = "webViewPolicyDelegate.isExternalURL"
  static let summary = "Decide whether a URL leads a web view away from the organization's own content."
  static let defaultOutcome = "false."
  struct Params: Record {
    var webViewer: String
    var url: String
    static let fields = Fields(
      Self.init, Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("url", \.url, "The URL that the web view is about to load."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether the URL is external."
  static let example = Example(Params(webViewer: "help", url: "https://contoso.example/"), false)
  static let sdkMembers = ["IntuneMAMWebViewPolicyDelegate -isExternalURL:"]
}
