import Model
import Policy
import SQLite
import Support

/// Registers, enrolls, checks in and unenrolls the accounts of a core. Its calls may block on files.
///
/// Every request that comes to its end sends one event with its status, then those of the changes it brought. Only to
/// register an account that is registered already sends nothing, for nothing is tried.
package struct Enrollment: Sendable {
  let core: Core

  /// A failed attempt is a status too; the account then stays registered.
  package func registerAndEnroll(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus {
    let services = try core.refresh()
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    if let known = core.state.account(reference) {
      if known.isWiping { return .wiping(known.account, known.status) }
      services.log.write(.warning, .enrollment, "\(personal: known.account) is registered already; nothing was tried")
      return .repeating(known.status, of: known.account, isEnrolled: known.isEnrolled)
    }
    let inquiry = core.source.inquiry()
    core.ongoingEnrollments.begin(reference)
    defer { core.ongoingEnrollments.end(reference) }
    let status = try enroll(reference, inquiry)
    services.countApp(for: core.state.account(reference))
    services.log.write(inquiry.warnings)
    core.source.trace("enroll", [status], inquiry)
    services.log.write("enroll", status)
    return status
  }

  private func enroll(_ reference: AccountReference, _ inquiry: PolicyInquiry) throws(MAMError) -> EnrollmentStatus {
    let allowsMany = core.state.settings.bool(.multipleManagedAccounts)
    return try core.commit { transaction throws(SQLiteError) in
      try transaction.remember(reference, inquiry.directory)
      let directory = try transaction.learn(inquiry.directory)
      let accounts = try transaction.accounts()
      // Another process may have been faster since the state was read.
      if let known = accounts.first(where: { $0.isNamed(reference, directory) }) {
        if known.wipe != nil { return .wiping(known.account, known.status) }
        return .repeating(known.status, of: known.account, isEnrolled: known.enrolledAt != nil)
      }
      let new = StoredAccount(account: directory.account(of: reference))
      let decision = EnrollmentDecision(
        new,
        answer: inquiry.answer(for: reference, begun: try transaction.begunOperations()),
        mayEnroll: allowsMany || !accounts.contains(where: \.takesPlace),
        testedBy: try transaction.testPolicies().policy(of: new, directory), on: inquiry.device, at: transaction.now)
      try transaction.carryOut(decision, telling: .enrollmentRequestWithStatus(decision.status))
      if let snapshot = inquiry.snapshot { try transaction.setAllowedAccounts(snapshot.effectiveAllowedAccounts) }
      return decision.status
    }
  }

  /// The end of a request that names nobody.
  func nilAccount(
    _ event: @Sendable (EnrollmentStatus) -> CoreEvent
  ) throws(MAMError) -> EnrollmentStatus {
    let status = EnrollmentStatus(Account(accountId: nil, identity: nil), .nilAccount, EnrollmentText.nilAccount)
    try core.commit { transaction throws(SQLiteError) in try transaction.append(event(status)) }
    return status
  }
}

extension EnrollmentStatus {
  /// The answer where nothing is tried: 208, or what the last attempt of a registered account ended with.
  static func repeating(_ last: EnrollmentStatus?, of account: Account, isEnrolled: Bool) -> EnrollmentStatus {
    guard !isEnrolled, let last else {
      return EnrollmentStatus(account, .alreadyEnrolled, EnrollmentText.alreadyEnrolled)
    }
    return last
  }
}

extension DiagnosticsLog {
  /// How a request ended.
  func write(_ request: StaticString, _ status: EnrollmentStatus, at time: Timestamp? = nil) {
    let account = Account(accountId: status.accountId, identity: status.identity)
    let text = status.errorString.map { ": " + $0 } ?? ""
    write(
      status.didSucceed ? .info : .warning, .enrollment, at: time,
      "\(request) \(personal: account): \(status.statusCode) (\(status.statusCode.sdkValue))\(public: text)")
  }

  /// What a reading of the policy source ignored.
  func write(_ warnings: [PolicyWarning]) {
    for warning in warnings { write(.warning, .tenant, "\(public: warning.description)") }
  }
}
