import JSON
import Model

package enum IdentitySwitchRequired: HostRequest {
  package static let name = "policyDelegate.identitySwitchRequired"
  package static let summary = "The window must show another account: the host switches to it, or refuses."
  package static let details = """
    The host answers when it has called policyManager.setUIPolicyIdentity, or knows that it will not.
    """
  package static let defaultOutcome = "\"failed\": what needed the other account is blocked."
  package struct Params: Record {
    package var accountId: String?
    package var identity: String?
    package var window: String?
    package var reason: IdentitySwitchReason

    package init(accountId: String?, identity: String?, window: String?, reason: IdentitySwitchReason) {
      self.accountId = accountId
      self.identity = identity
      self.window = window
      self.reason = reason
    }

    package static let fields = Fields(
      Self.init(accountId:identity:window:reason:),
      Field("accountId", \.accountId, "The Entra object id; null when it is not known, \"\" for no user."),
      Field("identity", \.identity, "The user principal name; null when it is not known, \"\" for no user."),
      Field("window", \.window, "The host's name for the window; null when none was named."),
      Field(required: "reason", \.reason, "Why it must."))
  }
  package typealias Result = AddIdentityResult
  package static let resultSummary = "Whether the window shows that account now."
  package static let example = Example(
    Params(
      accountId: Account.example.accountId, identity: Account.example.identity, window: "main", reason: .openURL),
    Result.success)
  package static let sdkMembers = [
    "IntuneMAMPolicyDelegate -identitySwitchRequired:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -identitySwitchRequired:forWindow:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -identitySwitchRequiredForAccountId:reason:completionHandler:",
    "IntuneMAMPolicyDelegate -identitySwitchRequiredForAccountId:forWindow:reason:completionHandler:",
  ]
}

package enum WipeDataForAccount: HostRequest {
  package static let name = "policyDelegate.wipeDataForAccount"
  package static let summary = "The data of an account must go: the host removes it, or leaves it to the core."
  package static let defaultOutcome = "false: the core removes what the account owns."
  package typealias Params = Account
  package typealias Result = Bool
  package static let resultSummary = "Whether the host has removed all of it."
  package static let example = Example<Params, Result>(.example, true)
  package static let sdkMembers = [
    "IntuneMAMPolicyDelegate -wipeDataForAccount:", "IntuneMAMPolicyDelegate -wipeDataForAccountId:",
  ]
}

package enum RestartApplication: HostRequest {
  package static let name = "policyDelegate.restartApplication"
  package static let summary = "An account has its first policy: the host restarts itself, or leaves it to the user."
  package static let details = "The policy is in force already. Asked once in the life of a server process."
  package static let defaultOutcome = """
    false: the event policyManager.restartRequired and the request ui.showAlert tell that a restart is due.
    """
  package typealias Params = NoParameters
  package typealias Result = Bool
  package static let resultSummary = "Whether the host restarts itself."
  package static let example = Example(true)
  package static let sdkMembers = ["IntuneMAMPolicyDelegate -restartApplication"]
}

package enum AddIdentity: HostRequest {
  package static let name = "policyDelegate.addIdentity"
  package static let summary = "The core has enrolled an account on its own: the host adds it to its accounts."
  package static let defaultOutcome = "\"failed\": the account stays enrolled, and the host does not show it."
  package typealias Params = Account
  package typealias Result = AddIdentityResult
  package static let resultSummary = "Whether the host has the account now."
  package static let example = Example<Params, Result>(.example, .success)
  package static let sdkMembers = [
    "IntuneMAMPolicyDelegate -addIdentity:completionHandler:",
    "IntuneMAMPolicyDelegate -addAccountId:completionHandler:",
  ]
}

package enum IsExternalURL: HostRequest {
  package static let name = "webViewPolicyDelegate.isExternalURL"
  package static let summary = "Does this address lead a web view out of the organization's own content?"
  package static let defaultOutcome = "false."
  package struct Params: Record {
    package var webViewer: String
    package var url: String

    package init(webViewer: String, url: String) {
      self.webViewer = webViewer
      self.url = url
    }

    package static let fields = Fields(
      Self.init(webViewer:url:), Field("webViewer", \.webViewer, "The host's name for the web view."),
      Field("url", \.url, "Where it is about to go."))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it is external."
  package static let example = Example(Params(webViewer: "help", url: "https://contoso.example/"), false)
  package static let sdkMembers = ["IntuneMAMWebViewPolicyDelegate -isExternalURL:"]
}
