import JSON
import MAM
import Model

/// What is set is set when the call comes; only its name may have to wait for the disk.
protocol IdentityMethod: MemoryMethod where Arrived == AccountReference?, Result == Account? {}

extension IdentityMethod {
  static func answer(_ identity: AccountReference?, _ state: CoreState) -> Account? { identity.map(state.named) }
}

enum SetProcessIdentity: ImmediateMethod {
  static let name = "policyManager.setProcessIdentity"
  static let summary = "Sets the identity that holds where neither a thread nor a window has one."
  static let details = """
    Of the server process: all its connections share it, and it ends with it. Null takes it back: then the enrolled \
    account holds, and with the setting MultiIdentity nobody.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "account", \.account, "Who; \"\" is no user, null the fall-back."))
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

enum GetProcessIdentity: MemoryMethod {
  static let name = "policyManager.getProcessIdentity"
  static let summary = "The identity of the server process."
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = """
    What was set, else the enrolled account; null with the setting MultiIdentity while nothing is set.
    """
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getProcessIdentity", "IntuneMAMPolicyManager -getProcessAccountId",
  ]

  static func arrive(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.core.processIdentity
  }

  static func answer(_ identity: AccountReference?, _ state: CoreState) -> Account? { state.processIdentity(identity) }
}

enum SetCurrentThreadIdentity: IdentityMethod {
  static let name = "policyManager.setCurrentThreadIdentity"
  static let summary = "Sets the identity of a thread or task of the host, which wins over the process's."
  static let details = """
    Belongs to the connection and holds for every later call of it, without waiting for the answer. A scope is written \
    by setting what was replaced again. What thread main has also wins over the identities of windows.
    """
  struct Params: Record {
    var account: AccountReference?
    var thread: String?
    static let fields = Fields(
      Self.init,
      Field(required: "account", \.account, "Who; \"\" is no user, null the process's identity."),
      Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
  }
  typealias Result = Account?
  static let resultSummary = "The identity that was replaced; null for none."
  static let errors: [ErrorCode] = [.tooManyIdentities]
  static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example", thread: "upload"), .noUser)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -setCurrentThreadIdentity:", "IntuneMAMPolicyManager -setCurrentThreadAccountId:",
    "IntuneMAMPolicyManager -setCurrentThreadIdentity:forScope:",
    "IntuneMAMPolicyManager -setCurrentThreadAccountId:forScope:",
  ]

  static func arrive(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> AccountReference? {
    try connection.identities.setThread(params.thread, params.account)
  }
}

enum GetCurrentThreadIdentity: IdentityMethod {
  static let name = "policyManager.getCurrentThreadIdentity"
  static let summary = "The identity that was set for a thread or task of the host."
  struct Params: Record {
    var thread: String?
    static let fields = Fields(
      Self.init, Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
  }
  typealias Result = Account?
  static let resultSummary = "Its own identity; null where it has none."
  static let example = Example<Params, Result>(Params(thread: "upload"), .example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getCurrentThreadIdentity", "IntuneMAMPolicyManager -getCurrentThreadAccountId",
  ]

  static func arrive(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.identities.thread(params.thread)
  }
}

enum SetUIPolicyIdentity: WorkMethod {
  static let name = "policyManager.setUIPolicyIdentity"
  static let summary = "Shows an account in a window, when its policy lets that happen now."
  static let details = """
    Belongs to the connection. Runs the conditional launch of the account first, as conditionalLaunch.evaluate does: \
    what the user has to answer and no host asks is the error challenge, after which the call is to be repeated; a \
    verdict of block or wipe is failed, and ui.showAlert tells why. Unless it ends with success the window keeps its \
    identity. notAllowed is an account that is not enrolled, of the tenant of one that is, without the setting \
    MultipleManagedAccounts. With MultiIdentityCancelDisabled a user's cancel is failed. Ends what \
    getIdentityForCurrentActivity tells of the window.
    """
  struct Params: Record {
    var account: AccountReference?
    var window: String?
    static let fields = Fields(
      Self.init,
      Field(required: "account", \.account, "Who; \"\" is no user, null the process's identity."),
      Field("window", \.window, "The host's name for the window; without it \"main\"."))
  }
  typealias Result = SwitchIdentityResult
  static let resultSummary = "What became of it."
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
  static let summary = "The identity that was set for a window."
  typealias Params = WindowParams
  typealias Result = Account?
  static let resultSummary = "Its own identity; null where it has none."
  static let example = Example<Params, Result>(Params(window: "inbox"), .example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getUIPolicyIdentity", "IntuneMAMPolicyManager -getUIPolicyAccountId",
    "IntuneMAMPolicyManager -getUIPolicyIdentityForWindow:",
    "IntuneMAMPolicyManager -getUIPolicyAccountIdForWindow:",
  ]

  static func arrive(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.identities.window(params.window)
  }
}

enum GetIdentityForCurrentActivity: IdentityMethod {
  static let name = "policyManager.getIdentityForCurrentActivity"
  static let summary = "Whose address or document a window is opening."
  static let details = """
    That of the last enforcement.receive which was allowed, until the next one or another identity of the window.
    """
  typealias Params = WindowParams
  typealias Result = Account?
  static let resultSummary = "The owner, \"\" for no user's; null while nothing is being opened."
  static let example = Example<Params, Result>(Params(window: "inbox"), .example)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -getIdentityForCurrentActivity",
    "IntuneMAMPolicyManager -getAccountIdForCurrentActivity",
  ]

  static func arrive(_ params: Params, on connection: BridgeConnection) -> AccountReference? {
    connection.identities.activity(params.window)
  }
}
