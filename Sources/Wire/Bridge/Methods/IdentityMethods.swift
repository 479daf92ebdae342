import JSON
import MAM
import Model

/// A method that reads or sets an identity. It does so when the call arrives; only the name of the account may have to
/// wait for the disk.
protocol IdentityMethod: StateMethod where Captured == AccountReference?, Result == Account? {}

extension IdentityMethod {
  static func answer(_ identity: AccountReference?, _ state: CoreState) -> Account? { identity.map(state.named) }
}

enum SetProcessIdentity: ImmediateMethod {
  static let name = "policyManager.setProcessIdentity"
  static let summary = "Set the identity that applies if neither the thread nor the window has one."
  static let details = """
    The identity belongs to the server process: all its connections share it, and it ends with the process. Null \
    removes it; then the enrolled account applies or, with the setting MultiIdentity, nobody.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "account", \.account, "The account; \"\" means no user, null removes the identity."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(account: "alice@contoso.example"), Nothing())
  static let sdkMembers = [
    "IntuneMAMPolicyManager -setProcessIdentity:", "IntuneMAMPolicyManager -setProcessAccountId:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) -> Nothing {
    connection.core.processIdentity = params.account
    return Nothing()
  }
}

enum GetProcessIdentity: StateMethod {
  static let name = "policyManager.getProcessIdentity"
  static let summary = "Return the identity of the server process."
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary =
    "The identity that was set, or else the enrolled account; null if none is set and the setting MultiIdentity is on."
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getProcessIdentity", "IntuneMAMPolicyManager -getProcessAccountId",
  ]

  static func capture(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.core.processIdentity
  }

  static func answer(_ identity: AccountReference?, _ state: CoreState) -> Account? { state.processIdentity(identity) }
}

enum SetCurrentThreadIdentity: IdentityMethod {
  static let name = "policyManager.setCurrentThreadIdentity"
  static let summary = "Set the identity of a thread or task of the host. It overrides the process identity."
  static let details = """
    The identity belongs to the connection and applies to every later call on it, even before this call is answered. \
    To write a scope, set the replaced identity again at its end. The identity of thread main also overrides the \
    identities of windows.
    """
  struct Params: Record {
    var account: AccountReference?
    var thread: String?
    static let fields = Fields(
      Self.init,
      Field(required: "account", \.account, "The account; \"\" means no user, null means the process identity."),
      Field("thread", \.thread, "The host's name for the thread or task; defaults to \"main\"."))
  }
  typealias Result = Account?
  static let resultSummary = "The identity that was replaced; null if there was none."
  static let errors: [ErrorCode] = [.tooManyIdentities]
  static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example", thread: "upload"), .noUser)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -setCurrentThreadIdentity:", "IntuneMAMPolicyManager -setCurrentThreadAccountId:",
    "IntuneMAMPolicyManager -setCurrentThreadIdentity:forScope:",
    "IntuneMAMPolicyManager -setCurrentThreadAccountId:forScope:",
  ]

  static func capture(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> AccountReference? {
    try connection.identities.setThread(params.thread, params.account)
  }
}

enum GetCurrentThreadIdentity: IdentityMethod {
  static let name = "policyManager.getCurrentThreadIdentity"
  static let summary = "Return the identity that was set for a thread or task of the host."
  struct Params: Record {
    var thread: String?
    static let fields = Fields(
      Self.init, Field("thread", \.thread, "The host's name for the thread or task; defaults to \"main\"."))
  }
  typealias Result = Account?
  static let resultSummary = "The thread's own identity; null if it has none."
  static let example = Example<Params, Result>(Params(thread: "upload"), .example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getCurrentThreadIdentity", "IntuneMAMPolicyManager -getCurrentThreadAccountId",
  ]

  static func capture(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.identities.thread(params.thread)
  }
}

enum SetUIPolicyIdentity: WorkMethod {
  static let name = "policyManager.setUIPolicyIdentity"
  static let summary = "Show an account in a window, if its policy allows that now."
  static let details = """
    The identity belongs to the connection. The account's conditional launch runs first, as in \
    conditionalLaunch.evaluate. If the user must answer something that no host asks, the call ends with the error \
    challenge: answer it and repeat the call. If the verdict is block or wipe, the result is failed, and ui.showAlert \
    tells the user why. Unless the result is success, the window keeps its identity. The result is notAllowed for an \
    account that is not enrolled but belongs to the tenant of an account that is, unless the setting \
    MultiManagedIdentities is on. With MultiIdentityCancelDisabled, a cancel by the user results in failed. A new \
    identity ends the activity that getIdentityForCurrentActivity returns for the window.
    """
  struct Params: Record {
    var account: AccountReference?
    var window: String?
    static let fields = Fields(
      Self.init,
      Field(required: "account", \.account, "The account; \"\" means no user, null means the process identity."),
      Field("window", \.window, "The host's name for the window; defaults to \"main\"."))
  }
  typealias Result = SwitchIdentityResult
  static let resultSummary = "Whether the window now shows the account, and if not, why."
  static let errors: [ErrorCode] = [.tooManyIdentities, .challenge] + .keys + [.policyRequired]
  static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example", window: "inbox"), .success)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -setUIPolicyIdentity:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyIdentity:forWindow:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyAccountId:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyAccountId:forWindow:completionHandler:",
  ]

  static func queue(_ params: Params) -> String? { "window \(params.window ?? Identities.main)" }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> SwitchIdentityResult {
    try await connection.core.windows.show(
      params.account, window: params.window, of: connection.identities, in: connection.launchSession)
  }
}

enum GetUIPolicyIdentity: IdentityMethod {
  static let name = "policyManager.getUIPolicyIdentity"
  static let summary = "Return the identity that was set for a window."
  typealias Params = WindowParams
  typealias Result = Account?
  static let resultSummary = "The window's own identity; null if it has none, or if it shows several accounts."
  static let example = Example<Params, Result>(Params(window: "inbox"), .example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getUIPolicyIdentity", "IntuneMAMPolicyManager -getUIPolicyAccountId",
    "IntuneMAMPolicyManager -getUIPolicyIdentityForWindow:",
    "IntuneMAMPolicyManager -getUIPolicyAccountIdForWindow:",
  ]

  static func capture(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.identities.window(params.window)
  }
}

enum GetIdentityForCurrentActivity: IdentityMethod {
  static let name = "policyManager.getIdentityForCurrentActivity"
  static let summary = "Return the owner of the URL or document that a window is opening."
  static let details = """
    This is the owner from the last enforcement.receive that was allowed, until the next one or until the window gets \
    another identity.
    """
  typealias Params = WindowParams
  typealias Result = Account?
  static let resultSummary = "The owner, \"\" for no user; null while nothing is being opened."
  static let example = Example<Params, Result>(Params(window: "inbox"), .example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getIdentityForCurrentActivity",
    "IntuneMAMPolicyManager -getAccountIdForCurrentActivity",
  ]

  static func capture(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.identities.activity(params.window)
  }
}
