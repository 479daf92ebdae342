import Model
import SQLite

extension Enrollment {
  /// `withWipe` destroys this app's keys of the account too.
  package func deRegisterAndUnenroll(
    _ reference: AccountReference?, withWipe: Bool
  ) throws(MAMError) -> EnrollmentStatus {
    let services = try core.refresh()
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.unenrollRequestWithStatus) }
    if withWipe, let known = core.state.account(reference) { try services.destroyKeys(of: known.account) }
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
      let before = AccountState(account)
      try remove(account)
      try forgetSignIn(of: account.account)
      if before.isManaged { try append(.policyDidChange(account.account)) }
      if !before.appConfig.isEmpty { try append(.appConfigDidChange(account.account)) }
    }
    if leaving.contains(where: { $0.enrolledAt != nil }) { try endAccountOverrides() }
    return status
  }
}

extension EnrollmentStatus {
  /// 214, or 213 when nobody is enrolled.
  static func notRegistered(_ account: Account, isAnyEnrolled: Bool) -> EnrollmentStatus {
    isAnyEnrolled
      ? EnrollmentStatus(account, .notEnrolledAccount, EnrollmentText.notEnrolled)
      : EnrollmentStatus(account, .appNotEnrolled, EnrollmentText.nobodyEnrolled)
  }
}
