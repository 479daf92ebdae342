import JSON
import Model

package enum RemediateCompliance: Method {
  package static let name = "complianceManager.remediateCompliance"
  package static let summary = "Makes an account compliant: enrolls it or checks it in, and asks the user what is open."
  package static let details = """
    Compliant is an account with a policy whose conditional launch blocks nothing; warnings do not count. One remediation runs at a time; a call for an account \
    whose remediation runs or waits gets its result, silent or not. complianceDelegate.hasComplianceStatus tells each \
    end once, before the answer. Where the user must be asked and no host asks, it ends with the error challenge and no \
    event: answer that and repeat the call. 205 and 212 are networkFailure, other failures serviceFailure. Commit \
    point: the call; it cannot be called off.
    """
  package struct Params: Record {
    package var account: AccountReference
    package var silent: Bool
    package static let fields = Fields(
      Self.init(account:silent:), Field("account", \.account, "The account."),
      Field("silent", \.silent, "Whether the user must not be asked: interactionRequired where it is needed."))
  }
  package typealias Result = ComplianceStatus
  package static let resultSummary = "How it ended."
  package static let errors: [APIError] = [.challenge] + .store
  package static let example = Example(
    Params(account: "alice@contoso.example", silent: true), ComplianceStatus.compliant)
  package static let sdkMembers = [
    "IntuneMAMComplianceManager -remediateComplianceForIdentity:silent:",
    "IntuneMAMComplianceManager -remediateComplianceForAccountId:silent:",
  ]
}

package enum IsRemediationInProgress: Method {
  package static let name = "complianceManager.remediationInProgress"
  package static let summary = "Does a remediation of this account run, or wait for its turn, in this server process?"
  package struct Params: Record {
    package var account: AccountReference
    package static let fields = Fields(Self.init(account:), Field("account", \.account, "The account."))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether its end is still to come."
  package static let example = Example(Params(account: "alice@contoso.example"), false)
  package static let sdkMembers = [
    "IntuneMAMComplianceManager -remediationInProgressForIdentity:",
    "IntuneMAMComplianceManager -remediationInProgressForAccountId:",
  ]
}
