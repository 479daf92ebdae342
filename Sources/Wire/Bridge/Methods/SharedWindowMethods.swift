import JSON
import MAM
import Model

enum SetUIPolicyAccounts: WorkMethod {
  static let name = "policyManager.setUIPolicyAccounts"
  static let summary = "Show several accounts together in a window, as far as their policies allow that now."
  static let details = """
    The conditional launch of each managed account runs in turn, in the order of `accounts`, and the call is answered \
    when all are done. policyDelegate.blockAccount asks the host to hide each account that may not be shown; the window \
    shows the rest, and policyManager.blockedAccounts says who is hidden. An account whose data is wiped is left out, \
    too. If the host cannot hide single accounts, the window shows no user.

    A window that shows several accounts, at least one of them managed, is locked down: policyManager.policy says how. \
    Names of one account count once. A single account is shown as by setUIPolicyIdentity, and an empty list or null \
    shows no user. Several accounts need the setting MultiManagedIdentities; without it, the result is notAllowed.

    The result is failed if the host did not hide a blocked account in this window or in another one: the lock-down \
    policy then applies there until that window is set again. The result is canceled if a later call set the window \
    while this call waited. If the user must answer something that no host asks, the call ends with the error \
    challenge: answer it and repeat the call.
    """
  struct Params: Record {
    var accounts: [AccountReference]?
    var window: String?
    static let fields = Fields(
      Self.init,
      Field(required: "accounts", \.accounts, "The accounts, managed or not; \"\" means no user."),
      Field("window", \.window, "The host's name for the window; defaults to \"main\"."))
  }
  typealias Result = SwitchIdentityResult
  static let resultSummary = "Whether the window now shows the accounts, without those that are blocked."
  static let errors: [ErrorCode] = SetUIPolicyIdentity.errors
  static let example = Example<Params, Result>(
    Params(accounts: ["alice@contoso.example", "bob@contoso.example"], window: "inbox"), .success)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -setUIPolicyAccountIds:completionHandler:",
    "IntuneMAMPolicyManager -setUIPolicyAccountIds:forWindow:completionHandler:",
  ]

  /// The call with its number.
  struct Captured: Sendable {
    let params: Params
    let revision: Int
  }

  static func capture(_ params: Params, on connection: BridgeConnection) -> Captured {
    Captured(params: params, revision: connection.identities.nextRevision())
  }

  /// Not the queue of setUIPolicyIdentity, which a host may call while it is asked to show no user.
  static func queue(_ params: Params) -> String? { "accounts of window \(params.window ?? Identities.main)" }

  static func answer(
    _ arrived: Captured, on connection: BridgeConnection
  ) async throws(MAMError) -> SwitchIdentityResult {
    try await connection.core.windows.show(
      arrived.params.accounts ?? [], window: arrived.params.window, of: connection.identities,
      in: connection.launchSession, revision: arrived.revision)
  }
}

enum GetUIPolicyAccounts: StateMethod {
  static let name = "policyManager.getUIPolicyAccounts"
  static let summary = "Return the accounts that were set for a window."
  typealias Params = WindowParams
  typealias Result = [Account]?
  static let resultSummary =
    "The accounts in their order, also a single one; null if the window has no identity of its own."
  static let example = Example<Params, Result>(Params(window: "inbox"), [.example])
  static let sdkMembers = ["IntuneMAMPolicyManager -getUIPolicyAccountIdsForWindow:"]

  static func capture(_ params: Params, on connection: BridgeConnection) -> [AccountReference]? {
    connection.identities.accounts(inWindow: params.window)
  }

  static func answer(_ accounts: [AccountReference]?, _ state: CoreState) -> [Account]? { accounts?.map(state.named) }
}

enum BlockedAccounts: StateMethod {
  static let name = "policyManager.blockedAccounts"
  static let summary = "Return the accounts that the host must hide."
  static let details = """
    An account is blocked if its conditional launch does not allow a window with several accounts to show it. The block \
    ends when its launch passes again, when the account is unenrolled or wiped, and, for clockedOut, when the user \
    clocks in. The event policyManager.policyDidChange reports the beginning and the end. Every process on the state \
    folder sees the same blocks.
    """
  typealias Params = NoParameters
  typealias Result = [Account]
  static let resultSummary = "The accounts, in order of registration."
  static let example = Example(Result([.example]))
  static let sdkMembers = ["IntuneMAMPolicyManager -blockedAccountIds"]

  static func answer(_ params: Params, _ state: CoreState) -> [Account] { state.blockedAccounts }
}

enum BlockedReason: StateMethod {
  static let name = "policyManager.blockedReason"
  static let summary = "Return why an account must be hidden."
  struct Params: Record {
    var account: AccountReference
    static let fields = Fields(Self.init, Field("account", \.account, "The account."))
  }
  typealias Result = BlockAccountReason
  static let resultSummary = "The reason; notBlocked if the account may be shown."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), .conditionalLaunchBlocked)
  static let sdkMembers = ["IntuneMAMPolicyManager -blockedReasonForAccountId:"]

  static func answer(_ params: Params, _ state: CoreState) -> BlockAccountReason {
    state.blockedReason(of: params.account)
  }
}
