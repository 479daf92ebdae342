import JSON
import Model

package enum IsManagementEnabled: Method {
  package static let name = "policyManager.isManagementEnabled"
  package static let summary = "Is any account managed, or must there be one?"
  package typealias Params = NoParameters
  package typealias Result = Bool
  package static let resultSummary = "True with a managed account or with the setting MAMPolicyRequired."
  package static let errors: [APIError] = .store
  package static let example = Example(true)
  package static let sdkMembers = ["IntuneMAMPolicyManager -isManagementEnabled"]
}

package enum IsIdentityManaged: Method {
  package static let name = "policyManager.isIdentityManaged"
  package static let summary = "Is this account enrolled with a policy in force?"
  package struct Params: Targeted {
    package var account: AccountReference?
    package var target: PolicyTarget { PolicyTarget(account: account ?? .noUser) }
    package static let fields = Fields(
      Self.init(account:), Field("account", \.account, "The account; null is no user, who is never managed."))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it is managed."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -isIdentityManaged:", "IntuneMAMPolicyManager -isAccountIdManaged:",
  ]
}

package enum IsIdentityEqual: Method {
  package static let name = "policyManager.isIdentityEqual"
  package static let summary = "Do two names mean one account?"
  package static let details = """
    Equal without regard to ASCII case, or when both resolve to one known object id. Null equals only null, "" only "".
    """
  package struct Params: Record {
    package var first: AccountReference?
    package var second: AccountReference?
    package static let fields = Fields(
      Self.init(first:second:), Field("first", \.first, "One account."), Field("second", \.second, "The other."))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether they are one account."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(first: "alice@contoso.example", second: "ALICE@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicyManager -isIdentity:equalTo:"]
}

package enum PrimaryUser: Method {
  package static let name = "policyManager.primaryUser"
  package static let summary = "The account that was enrolled first."
  package typealias Params = NoParameters
  package typealias Result = Account?
  package static let resultSummary = "The account; null when none is enrolled."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(.example)
  package static let sdkMembers = ["IntuneMAMPolicyManager primaryUser", "IntuneMAMPolicyManager primaryAccountId"]
}

package enum ManagedAccounts: Method {
  package static let name = "policyManager.managedAccounts"
  package static let summary = "The accounts that have a policy in force."
  package typealias Params = NoParameters
  package typealias Result = [Account]
  package static let resultSummary = "The accounts, in the order of their registration."
  package static let errors: [APIError] = .store
  package static let example = Example(Result([.example]))
  package static let sdkMembers = ["IntuneMAMPolicyManager managedAccountIds"]
}

package enum MAMPolicySource: Method {
  package static let name = "policyManager.mamPolicySource"
  package static let summary = "How the primary account's policy arrives."
  package typealias Params = NoParameters
  package typealias Result = PolicySource
  package static let resultSummary = "mdm for the user of a managed device, mam for others, other without policy."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(.mam)
  package static let sdkMembers = ["IntuneMAMPolicyManager mamPolicySource"]
}
