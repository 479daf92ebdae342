import Model
import SQLite

extension StoreTransaction {
  /// Keeps a failed wipe, to be tried again after a while. Hosts are told of the first failure only.
  func keepWipe(of account: StoredAccount, _ failure: String) throws(SQLiteError) -> EnrollmentStatus {
    var account = account
    let status = EnrollmentStatus(account.account, .failedToClearMamData, failure)
    let isNew = account.status?.statusCode != status.statusCode
    let interval = StatusMeaning(of: status.statusCode).interval ?? .backOff
    account.status = status
    account.failures += 1
    account.dueAt = now.advanced(by: interval.milliseconds(failures: account.failures))
    try saveWithoutDocuments(account)
    if isNew { try append(.unenrollRequestWithStatus(status)) }
    return status
  }

  /// Keeps a wipe that meets a lock of another process, to be tried again after a while. This is not a failure.
  func postponeWipe(of account: StoredAccount) throws(SQLiteError) {
    var account = account
    let interval = StatusMeaning(of: .failedToClearMamData).interval ?? .backOff
    account.failures += 1
    account.dueAt = now.advanced(by: interval.milliseconds(failures: account.failures))
    try saveWithoutDocuments(account)
  }

  /// Ends a wipe. The account is no longer enrolled and, for most reasons, no longer registered.
  func endWipe(of account: StoredAccount) throws(SQLiteError) -> EnrollmentStatus {
    try append(.wipeDidComplete(account.account))
    if account.wipe?.reason.keepsRegistration == true {
      try keepRegistration(of: account)
    } else {
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
    let meaning = StatusMeaning(of: .deviceBlockedEnrollment)
    rest.status = EnrollmentStatus(account.account, meaning.code, EnrollmentText.blocked)
    rest.checkedInAt = account.checkedInAt
    rest.contactedAt = account.contactedAt
    rest.deviceRevision = account.deviceRevision
    rest.platform = account.platform
    rest.dueAt = now.advanced(by: (meaning.interval ?? .day).milliseconds(failures: 0))
    try save(rest)
    try connection.run("DELETE FROM wipes WHERE account = ?", account.position)
  }
}

extension StoredAccount {
  var unenrolled: EnrollmentStatus { EnrollmentStatus(account, .unenrollmentSuccess) }
}
