import JSON
import MAM
import Model

enum GetUserStatus: WorkMethod {
  static let name = "userStatusManager.userStatus"
  static let summary = "What is known of a user beside policy: whether the user is at work."
  static let details = "As of the last answer of the policy source, grown stale by the time since."
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account; without it there is no user."))
  }
  typealias Result = UserStatus?
  static let resultSummary = "The status; null for no user and for an account that is not enrolled."
  static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example"), UserStatus(clockStatus: .clockedIn))
  static let sdkMembers = [
    "IntuneMAMUserStatusManager -userStatusForIdentity:", "IntuneMAMUserStatusManager -userStatusForAccountId:",
    "IntuneMAMUserStatus -clockStatus",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> UserStatus? {
    try connection.core.refresh()
    return connection.core.source.userStatus(of: params.account)
  }
}

enum RemediateCompliance: WorkMethod {
  static let name = "complianceManager.remediateCompliance"
  static let summary = "Makes an account compliant: enrolls it or checks it in, and asks the user what is open."
  static let details = """
    Compliant is an account with a policy whose conditional launch blocks nothing; warnings do not count. One \
    remediation runs at a time; a call for an account whose remediation runs or waits gets its result, silent or not. \
    complianceDelegate.hasComplianceStatus tells each end once, before the answer. Where the user must be asked and no \
    host asks, it ends with the error challenge and no event: answer that and repeat the call. 205 and 212 are \
    networkFailure, other failures serviceFailure. Commit point: the call; it cannot be called off.
    """
  struct Params: Record {
    var account: AccountReference
    var silent: Bool
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account."),
      Field("silent", \.silent, "Whether the user must not be asked: interactionRequired where it is needed."))
  }
  typealias Result = ComplianceStatus
  static let resultSummary = "How it ended."
  static let errors: [ErrorCode] = [.challenge]
  static let example = Example(
    Params(account: "alice@contoso.example", silent: true), ComplianceStatus.compliant)
  static let sdkMembers = [
    "IntuneMAMComplianceManager -remediateComplianceForIdentity:silent:",
    "IntuneMAMComplianceManager -remediateComplianceForAccountId:silent:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> ComplianceStatus {
    try await connection.core.compliance.remediate(params.account, silent: params.silent)
  }
}

enum IsRemediationInProgress: ImmediateMethod {
  static let name = "complianceManager.remediationInProgress"
  static let summary = "Does a remediation of this account run, or wait for its turn, in this server process?"
  struct Params: Record {
    var account: AccountReference
    static let fields = Fields(Self.init, Field("account", \.account, "The account."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether its end is still to come."
  static let example = Example(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = [
    "IntuneMAMComplianceManager -remediationInProgressForIdentity:",
    "IntuneMAMComplianceManager -remediationInProgressForAccountId:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) -> Bool {
    connection.core.compliance.isInProgress(params.account)
  }
}
