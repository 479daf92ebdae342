import JSON
import MAM
import Model

enum GetUserStatus: WorkMethod {
  static let name = "userStatusManager.userStatus"
  static let summary = "Return the status of a user: whether the user is at work."
  static let details =
    "The policy source reports the status at a check-in. A status whose data is an hour old is returned as stale."
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account; null means no user."))
  }
  typealias Result = UserStatus?
  static let resultSummary = "The status; null for no user, and for an account that is not enrolled."
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
  static let summary = "Make an account compliant: enroll it or check it in, and ask the user what is still needed."
  static let details = """
    An account is compliant if it has a policy whose conditional launch blocks nothing; warnings do not count. \
    Remediations run one at a time. A call for an account whose remediation is running or waiting gets the result of \
    that remediation, even if `silent` differs. complianceDelegate.hasComplianceStatus reports the end of each \
    remediation once, before the answer. If the user must be asked and no host asks, the call ends with the error \
    challenge and sends no event: answer the challenge and repeat the call. \
    If the policy source needs a token that nobody gives without the user, a silent remediation is \
    interactionRequired. Any other lets the user sign in as enrollmentManager.loginAndEnrollAccount does, and goes on \
    to the policy; a canceled sign-in is userCancelled, and another user's token changes nothing. Statuses 205 and 212 \
    become networkFailure, all other failures serviceFailure. Commit point: the start of the call; a remediation cannot be \
    cancelled.
    """
  struct Params: Record {
    var account: AccountReference
    var silent: Bool
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account."),
      Field(
        "silent", \.silent,
        "Whether the user must not be asked; if an answer is needed, the result is interactionRequired."))
  }
  typealias Result = ComplianceStatus
  static let resultSummary = "How the remediation ended."
  static let errors: [ErrorCode] = [.challenge]
  static let example = Example(
    Params(account: "alice@contoso.example", silent: true), ComplianceStatus.compliant)
  static let sdkMembers = [
    "IntuneMAMComplianceManager -remediateComplianceForIdentity:silent:",
    "IntuneMAMComplianceManager -remediateComplianceForAccountId:silent:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> ComplianceStatus {
    try await connection.core.compliance.remediate(
      params.account, silent: params.silent, in: connection.launchSession)
  }
}

enum IsRemediationInProgress: ImmediateMethod {
  static let name = "complianceManager.remediationInProgress"
  static let summary = "Report whether a remediation of an account is running or waiting in this server process."
  struct Params: Record {
    var account: AccountReference
    static let fields = Fields(Self.init, Field("account", \.account, "The account."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether a remediation is running or waiting."
  static let example = Example(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = [
    "IntuneMAMComplianceManager -remediationInProgressForIdentity:",
    "IntuneMAMComplianceManager -remediationInProgressForAccountId:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) -> Bool {
    connection.core.compliance.isInProgress(params.account)
  }
}
