import JSON
import MAM
import Model
import Policy

enum IsManagementEnabled: Question {
  static let name = "policyManager.isManagementEnabled"
  static let summary = "Report whether an account is managed or must be."
  typealias Params = NoParameters
  typealias Captured = Unaddressed
  typealias Result = Bool
  static let resultSummary = "True if an account is managed, or if the setting MAMPolicyRequired is on."
  static let example = Example(true)
  static let sdkMembers = ["IntuneMAMPolicyManager -isManagementEnabled"]

  static func answer(_ asked: Unaddressed, _ state: CoreState) -> Decision<Bool> { state.managementDecision }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer ? "management is enabled" : "management is not enabled"
  }
}

enum IsIdentityManaged: Question {
  static let name = "policyManager.isIdentityManaged"
  static let summary = "Report whether an account is enrolled with a policy in force."
  struct Params: Targeted {
    var account: AccountReference?
    var target: PolicyTarget { PolicyTarget(account: account ?? .noUser) }
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account; null means no user, who is never managed."))
  }
  typealias Captured = Addressed<Params>
  typealias Result = Bool
  static let resultSummary = "Whether the account is managed."
  static let example = Example(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMPolicyManager -isIdentityManaged:", "IntuneMAMPolicyManager -isAccountIdManaged:",
  ]

  /// Answers even if the app requires a policy and has none.
  static func answer(_ asked: Addressed<Params>, _ state: CoreState) -> Decision<Bool> {
    state.isManaged(asked.params.account)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer ? "the account is managed" : "the account is not managed"
  }
}

enum IsIdentityEqual: StateMethod {
  static let name = "policyManager.isIdentityEqual"
  static let summary = "Report whether two names mean the same account."
  static let details = """
    They do if they differ only in ASCII case, or if both resolve to the same known object id. Null equals only null, \
    and "" only "".
    """
  struct Params: Record {
    var first: AccountReference?
    var second: AccountReference?
    static let fields = Fields(
      Self.init, Field("first", \.first, "The first name."), Field("second", \.second, "The second name."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether both names mean the same account."
  static let example = Example(
    Params(first: "alice@contoso.example", second: "ALICE@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicyManager -isIdentity:equalTo:"]

  static func answer(_ params: Params, _ state: CoreState) -> Bool {
    state.directory.areEqual(params.first, params.second)
  }
}

enum PrimaryUser: StateMethod {
  static let name = "policyManager.primaryUser"
  static let summary = "Return the account that was enrolled first."
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = "The account; null if none is enrolled."
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = ["IntuneMAMPolicyManager primaryUser", "IntuneMAMPolicyManager primaryAccountId"]

  static func answer(_ params: Params, _ state: CoreState) -> Account? { state.primaryAccount?.account }
}

enum ManagedAccounts: StateMethod {
  static let name = "policyManager.managedAccounts"
  static let summary = "Return the accounts that have a policy in force."
  typealias Params = NoParameters
  typealias Result = [Account]
  static let resultSummary = "The accounts, in order of registration."
  static let example = Example(Result([.example]))
  static let sdkMembers = ["IntuneMAMPolicyManager managedAccountIds"]

  static func answer(_ params: Params, _ state: CoreState) -> [Account] { state.managedAccounts.map(\.account) }
}

enum MAMPolicySource: StateMethod {
  static let name = "policyManager.mamPolicySource"
  static let summary = "Return how the primary account's policy arrives."
  typealias Params = NoParameters
  typealias Result = PolicySource
  static let resultSummary =
    "mdm for the user of a managed device, mam for other users, other without a policy or with a test policy."
  static let example = Example<Params, Result>(.mam)
  static let sdkMembers = ["IntuneMAMPolicyManager mamPolicySource"]

  static func answer(_ params: Params, _ state: CoreState) -> PolicySource { state.policySource }
}

enum GetPolicy: StateMethod {
  static let name = "policyManager.policy"
  static let summary = "Return an account's whole policy: every answer, every setting and where it comes from."
  static let details = """
    The result is never null: an unmanaged account has permissive answers and no settings. Without an account, the \
    policy is that of the effective identity. With a window, this is the identity of thread main, else that of the \
    window, else that of the process; without a window, the identity of the thread, else that of the process. For \
    several accounts, one of them managed, this is the lock-down policy: fixed answers without settings, whatever the \
    policies of the accounts say.
    """
  typealias Params = PolicyTarget
  typealias Captured = Addressed<Params>
  typealias Result = PolicyReport
  static let resultSummary = "The policy in force."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(account: "bob@contoso.example"),
    PolicyReport(
      managed: false, account: Account(accountId: nil, identity: "bob@contoso.example"), properties: .unmanaged,
      settings: [:], policies: []))
  static let sdkMembers = [
    "IntuneMAMPolicyManager -policy", "IntuneMAMPolicyManager -policyForIdentity:",
    "IntuneMAMPolicyManager -policyForAccountId:", "IntuneMAMPolicyManager -policyForWindow:",
    "IntuneMAMPolicyManager -policyForAccountIds:",
  ]

  static func answer(_ asked: Addressed<Params>, _ state: CoreState) throws(MAMError) -> PolicyReport {
    try state.report(about: asked.account, sharing: asked.view)
  }
}

/// The account of a setting-sources question.
struct SettingSourcesParams: Record {
  var account: AccountReference?

  static let fields = Fields(
    Self.init, Field("account", \.account, "The account; defaults to the effective account of the process."))
}

enum GetSettingSources: StateMethod {
  static let name = "policyManager.settingSources"
  static let summary = "Return which policies set each setting of an account, and which values the merge overrode."
  static let details = """
    policyManager.policy reports the value in force and one policy that it comes from; this method reports the value \
    in each policy that sets it. The list is empty for an unmanaged account. A test policy is the only source while it \
    is in force.
    """
  typealias Params = SettingSourcesParams
  typealias Result = SettingSourcesReport
  static let resultSummary = "The settings in force, each with the policies that set it."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(account: "alice@contoso.example"),
    SettingSourcesReport(settings: [
      SettingSources(
        setting: "printBlocked",
        sources: [
          SettingSource(policyId: "T_1", displayName: "Data protection", value: false, wins: false),
          SettingSource(policyId: "T_2", displayName: "Finance", value: true, wins: true),
        ])
    ]))

  static func answer(_ params: Params, _ state: CoreState) throws(MAMError) -> SettingSourcesReport {
    try state.settingSources(about: params.account)
  }
}
