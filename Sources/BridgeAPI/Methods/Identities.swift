import JSON
import Model

package enum SetProcessIdentity: Method {
  package static let name = "policyManager.setProcessIdentity"
  package static let summary = "Sets the identity that holds where neither a thread nor a window has one."
  package static let details = """
    Of the server process: all its connections share it, and it ends with it. Null takes it back: then the enrolled \
    account holds, and with the setting MultiIdentity nobody.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(account:), Field(required: "account", \.account, "Who; \"\" is no user, null the fall-back."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let example = Example(Params(account: "alice@contoso.example"), Nothing())
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -setProcessIdentity:", "IntuneMAMPolicyManager -setProcessAccountId:",
  ]
}

package enum GetProcessIdentity: Method {
  package static let name = "policyManager.getProcessIdentity"
  package static let summary = "The identity of the server process."
  package typealias Params = NoParameters
  package typealias Result = Account?
  package static let resultSummary = """
    What was set, else the enrolled account; null with the setting MultiIdentity while nothing is set.
    """
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(.example)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -getProcessIdentity", "IntuneMAMPolicyManager -getProcessAccountId",
  ]
}

package enum SetCurrentThreadIdentity: Method {
  package static let name = "policyManager.setCurrentThreadIdentity"
  package static let summary = "Sets the identity of a thread or task of the host, which wins over the process's."
  package static let details = """
    Belongs to the connection and holds for every later call of it, without waiting for the answer. A scope is written \
    by setting what was replaced again. What thread main has also wins over the identities of windows.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package var thread: String?
    package static let fields = Fields(
      Self.init(account:thread:),
      Field(required: "account", \.account, "Who; \"\" is no user, null the process's identity."),
      Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
  }
  package typealias Result = Account?
  package static let resultSummary = "The identity that was replaced; null for none."
  package static let errors: [APIError] = [.tooManyIdentities] + .store
  package static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example", thread: "upload"), .noUser)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -setCurrentThreadIdentity:", "IntuneMAMPolicyManager -setCurrentThreadAccountId:",
    "IntuneMAMPolicyManager -setCurrentThreadIdentity:forScope:",
    "IntuneMAMPolicyManager -setCurrentThreadAccountId:forScope:",
  ]
}

package enum GetCurrentThreadIdentity: Method {
  package static let name = "policyManager.getCurrentThreadIdentity"
  package static let summary = "The identity that was set for a thread or task of the host."
  package struct Params: Record {
    package var thread: String?
    package static let fields = Fields(
      Self.init(thread:), Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
  }
  package typealias Result = Account?
  package static let resultSummary = "Its own identity; null where it has none."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(Params(thread: "upload"), .example)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -getCurrentThreadIdentity", "IntuneMAMPolicyManager -getCurrentThreadAccountId",
  ]
}

/// A window of the host.
package struct WindowParams: Record {
  package var window: String?
  package static let fields = Fields(
    Self.init(window:), Field("window", \.window, "The host's name for the window; without it \"main\"."))
}

package enum SetUIPolicyIdentity: Method {
  package static let name = "policyManager.setUIPolicyIdentity"
  package static let summary = "Shows an account in a window, when its policy lets that happen now."
  package static let details = """
    Belongs to the connection. Runs the conditional launch of the account first, as conditionalLaunch.evaluate does: what \
    the user has to answer and no host asks is the error challenge, after which the call is to be repeated; a verdict of \
    block or wipe is failed, and ui.showAlert tells why. Unless it ends with success the window keeps its identity. \
    notAllowed is an account that is not enrolled, of the tenant of one \
    that is, without the setting MultipleManagedAccounts. With MultiIdentityCancelDisabled a user's cancel is failed. \
    Ends what getIdentityForCurrentActivity tells of the window.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package var window: String?
    package static let fields = Fields(
      Self.init(account:window:),
      Field(required: "account", \.account, "Who; \"\" is no user, null the process's identity."),
      Field("window", \.window, "The host's name for the window; without it \"main\"."))
  }
  package typealias Result = SwitchIdentityResult
  package static let resultSummary = "What became of it."
  package static let errors: [APIError] = [.tooManyIdentities, .challenge] + .keys + .policy
  package static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example", window: "inbox"), .success)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -setUIPolicyIdentity:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyIdentity:forWindow:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyAccountId:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyAccountId:forWindow:completionHandler:",
  ]
}

package enum GetUIPolicyIdentity: Method {
  package static let name = "policyManager.getUIPolicyIdentity"
  package static let summary = "The identity that was set for a window."
  package typealias Params = WindowParams
  package typealias Result = Account?
  package static let resultSummary = "Its own identity; null where it has none."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(Params(window: "inbox"), .example)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -getUIPolicyIdentity", "IntuneMAMPolicyManager -getUIPolicyAccountId",
    "IntuneMAMPolicyManager -getUIPolicyIdentityForWindow:",
    "IntuneMAMPolicyManager -getUIPolicyAccountIdForWindow:",
  ]
}

package enum GetIdentityForCurrentActivity: Method {
  package static let name = "policyManager.getIdentityForCurrentActivity"
  package static let summary = "Whose address or document a window is opening."
  package static let details = """
    That of the last enforcement.receive which was allowed, until the next one or another identity of the window.
    """
  package typealias Params = WindowParams
  package typealias Result = Account?
  package static let resultSummary = "The owner, \"\" for no user's; null while nothing is being opened."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(Params(window: "inbox"), .example)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -getIdentityForCurrentActivity",
    "IntuneMAMPolicyManager -getAccountIdForCurrentActivity",
  ]
}
