import Model
import SQLite

extension StoreTransaction {
  /// Keeps a failed wipe, to be tried again after a while. Hosts are told of the first failure only.
  func keepWipe(of account: StoredAccount, _ failure: String) throws(SQLiteError) -> EnrollmentStatus {
    var account = account
    let status = EnrollmentStatus(account.account, .failedToClearMamData, failure)
    let isNew = account.status?.statusCode != status.statusCode
    account.status = status
    account.failures += 1
    account.dueAt = now.advanced(by: CheckInInterval.backOff.milliseconds(failures: account.failures))
    try saveWithoutDocuments(account)
    if isNew { try append(.unenrollRequestWithStatus(status)) }
    return status
  }

  /// Keeps a wipe that meets a lock of another process, to be tried again after a while. This is not a failure.
  func postponeWipe(of account: StoredAccount) throws(SQLiteError) {
    var account = account
    account.failures += 1
    account.dueAt = now.advanced(by: CheckInInterval.backOff.milliseconds(failures: account.failures))
    try saveWithoutDocuments(account)
  }

  /// Ends a wipe. The account is no longer enrolled and, for most reasons, no longer registered.
  func endWipe(of account: StoredAccount) throws(SQLiteError) -> EnrollmentStatus {
    try append(.wipeDidComplete(account.account))
    if account.wipe?.reason.keepsRegistration == true {
      try finishReports(of: account.account)
      try keepRegistration(of: account)
    } else {
      try endRegistration(of: account.account)
      try append(.unenrollRequestWithStatus(account.unenrolled))
      try remove(account)
    }
    try endEnrollment(of: account)
    if account.wipe?.reason.keepsRegistration != true { try forgetNames(of: account) }
    return account.unenrolled
  }

  /// The account checks in again like any refused account, and then gets the same status.
  private func keepRegistration(of account: StoredAccount) throws(SQLiteError) {
    var rest = StoredAccount(position: account.position, account: account.account, tenantId: account.tenantId)
    rest.status = EnrollmentStatus(account.account, .deviceBlockedEnrollment, EnrollmentText.blocked)
    rest.isBlocked = true
    rest.hold = account.hold
    rest.checkedInAt = account.checkedInAt
    (rest.contactedAt, rest.countedContactAt) = (account.contactedAt, account.countedContactAt)
    rest.deviceRevision = account.deviceRevision
    rest.revision = account.revision + 1
    rest.platform = account.platform
    rest.dueAt = now.advanced(by: CheckInInterval.day.milliseconds(failures: 0))
    try save(rest)
    try connection.run("DELETE FROM wipes WHERE account = ?", account.position)
    rows.didChange(account.position)
  }
}

extension StoredAccount {
  var unenrolled: EnrollmentStatus { EnrollmentStatus(account, .unenrollmentSuccess) }
}
