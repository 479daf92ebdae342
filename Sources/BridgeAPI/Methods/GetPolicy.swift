import JSON
import Model

package enum GetPolicy: Method {
  package static let name = "policyManager.policy"
  package static let summary = "The whole policy of an account: every answer, every setting and where it came from."
  package static let details = """
    Never null: an unmanaged account has permissive answers and no settings. Without an account it is the effective     identity's: for a window the identity of thread main, else that of the window, else that of the process; otherwise     the thread's, else the process's.
    """
  package typealias Params = PolicyTarget
  package typealias Result = PolicyReport
  package static let resultSummary = "The policy in force."
  package static let errors: [APIError] = .policy
  package static let example = Example(
    Params(account: "bob@contoso.example"),
    PolicyReport(
      managed: false, account: Account(accountId: nil, identity: "bob@contoso.example"), properties: .unmanaged,
      settings: [:], policies: []))
  package static let sdkMembers = [
    "IntuneMAMPolicyManager -policy", "IntuneMAMPolicyManager -policyForIdentity:",
    "IntuneMAMPolicyManager -policyForAccountId:", "IntuneMAMPolicyManager -policyForWindow:",
  ]
}
