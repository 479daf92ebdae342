import Model
import SQLite
import Support

/// Makes an account compliant, if possible: checks in, or enrolls an account that is not enrolled, and then asks the
/// user the open questions. If the policy source needs a token that nobody gives without the user, asks the user first.
///
/// | result | status |
/// |---|---|
/// | 205 or 212 | networkFailure |
/// | the policy source needs a token of the user, and the call is silent | interactionRequired |
/// | any other failure of the enrollment or check-in | serviceFailure |
/// | a question is open, and the call is silent | interactionRequired |
/// | the user canceled the sign-in or the question | userCancelled |
/// | no policy, or a block | notCompliant |
/// | a policy, and no block | compliant |
package struct Compliance: Sendable {
  let live: LiveState
  let remediations: Remediations
  let login: Login
  let challenges: Challenges
  let launches: ConditionalLaunches

  /// Remediates one account at a time in each process. A call for an account whose remediation runs or waits returns
  /// the result of that remediation, silent or not. Throws `challenge`, and sends no event, if no host asks the user an
  /// open question; answer the challenge and repeat the call. `session` is what the caller said about its windows.
  package func remediate(
    _ reference: AccountReference, silent: Bool, in session: LaunchSession
  ) async throws(MAMError) -> ComplianceStatus {
    // Other calls may wait for the remediation, so it cannot be cancelled once it has begun.
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    try live.refresh()
    return try await remediations.run(reference, live.state.directory) { [self] in
      await Result.of { () async throws(MAMError) in try await remediateNow(reference, silent: silent, in: session) }
    }
  }

  /// Whether a remediation of the account runs or waits in this process.
  package func isInProgress(_ reference: AccountReference) -> Bool {
    remediations.includes(reference, live.state.directory)
  }

  private func remediateNow(
    _ reference: AccountReference, silent: Bool, in session: LaunchSession
  ) async throws(MAMError) -> ComplianceStatus {
    let end =
      switch try await login.attempt(reference, mayAskUser: !silent) {
      case .canceled: ComplianceEnd.userCancelled
      case .ended(let status): try await conclude(status, reference, silent: silent, in: session)
      }
    let account = live.state.directory.account(of: reference)
    let (message, title) = (end.notice.message.text(in: live.language), end.notice.title.text(in: live.language))
    let report = ComplianceReport(account, end.status, message: message, title: title)
    try live.commit { transaction throws(SQLiteError) in try transaction.append(.hasComplianceStatus(report)) }
    try live.refresh().log.write(
      report.status == .compliant ? .info : .warning, .enrollment,
      "compliance of \(personal: account): \(report.status)")
    return report.status
  }

  private func conclude(
    _ status: EnrollmentStatus, _ reference: AccountReference, silent: Bool, in session: LaunchSession
  ) async throws(MAMError) -> ComplianceEnd {
    switch status.statusCode {
    case .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure: return .networkFailure
    case .alreadyEnrolled: break
    case _ where status.lacksToken && silent: return .interactionRequired
    case let code: guard code.didSucceed else { return .serviceFailure }
    }
    if !silent, try challenges.takeCancel(about: reference) { return .userCancelled }
    return try await decide(reference, silent: silent, in: session)
  }

  private func decide(
    _ reference: AccountReference, silent: Bool, in session: LaunchSession
  ) async throws(MAMError) -> ComplianceEnd {
    while true {
      switch try await accessVerdict(of: reference, in: session) {
      case .allowed: return .compliant
      case .blocked(let notice): return .notCompliant(notice)
      case .undecided where silent: return .interactionRequired
      case .undecided(let challenge):
        switch try await challenges.ask(challenge) {
        case .accepted, .over: continue
        case .canceled:
          try challenges.takeCancel(about: reference)
          return .userCancelled
        case .open: throw .challenge(challenge)
        }
      }
    }
  }
}

/// A status with the text that the user sees.
struct ComplianceEnd: Sendable {
  let status: ComplianceStatus
  let notice: UserNotice

  private init(_ status: ComplianceStatus, _ notice: UserNotice) {
    self.status = status
    self.notice = notice
  }

  private init(_ status: ComplianceStatus, _ title: ComplianceMessage, _ message: ComplianceMessage) {
    self.init(status, UserNotice(.compliance(title), .compliance(message)))
  }

  static let compliant = ComplianceEnd(.compliant, .compliantTitle, .compliant)
  static let serviceFailure = ComplianceEnd(.serviceFailure, .serviceFailureTitle, .serviceFailure)
  static let networkFailure = ComplianceEnd(.networkFailure, .networkFailureTitle, .networkFailure)
  static let interactionRequired = ComplianceEnd(
    .interactionRequired, .interactionRequiredTitle, .interactionRequired)
  static let userCancelled = ComplianceEnd(.userCancelled, .userCancelledTitle, .userCancelled)

  static func notCompliant(_ notice: UserNotice) -> ComplianceEnd { ComplianceEnd(.notCompliant, notice) }
}
