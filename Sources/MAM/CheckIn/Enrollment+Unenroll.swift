import Model
import SQLite

extension Enrollment {
  /// `withWipe` removes all that this app holds of the account, too. A wipe that was begun before goes on in any case.
  package func deRegisterAndUnenroll(
    _ reference: AccountReference?, withWipe: Bool
  ) async throws(MAMError) -> EnrollmentStatus {
    try core.refresh()
    if let reference, let known = core.state.account(reference), withWipe || known.isWiping {
      if let status = try await core.wipes.wipe(reference, .host) { return status }
    }
    return try unenroll(reference)
  }

  /// Without a wipe.
  func unenroll(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus {
    let services = try core.refresh()
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.unenrollRequestWithStatus) }
    let status = try core.commit { transaction throws(SQLiteError) in
      try transaction.unenroll(reference)
    }
    services.log.write("unenroll", status)
    return status
  }
}

extension StoreTransaction {
  /// Removes the account with all that it has, and tells so.
  fileprivate func unenroll(_ reference: AccountReference) throws(SQLiteError) -> EnrollmentStatus {
    let directory = try directory()
    let accounts = try accounts()
    let leaving = accounts.filter { $0.isNamed(reference, directory) }
    guard let first = leaving.first else {
      let isAnyEnrolled = accounts.contains { $0.enrolledAt != nil }
      let status = EnrollmentStatus.notRegistered(directory.account(of: reference), isAnyEnrolled: isAnyEnrolled)
      try append(.unenrollRequestWithStatus(status))
      return status
    }
    let status = EnrollmentStatus(first.account, .unenrollmentSuccess)
    try append(.unenrollRequestWithStatus(status))
    for account in leaving {
      try remove(account)
      try endEnrollment(of: account)
    }
    return status
  }
}

extension EnrollmentStatus {
  /// What an account that is being wiped is answered with: how that stands.
  static func wiping(_ account: Account, _ last: EnrollmentStatus?) -> EnrollmentStatus {
    if let last, last.statusCode == .failedToClearMamData { return last }
    return EnrollmentStatus(account, .failedToClearMamData, EnrollmentText.wiping)
  }

  /// 214, or 213 when nobody is enrolled.
  static func notRegistered(_ account: Account, isAnyEnrolled: Bool) -> EnrollmentStatus {
    isAnyEnrolled
      ? EnrollmentStatus(account, .notEnrolledAccount, EnrollmentText.notEnrolled)
      : EnrollmentStatus(account, .appNotEnrolled, EnrollmentText.nobodyEnrolled)
  }
}
