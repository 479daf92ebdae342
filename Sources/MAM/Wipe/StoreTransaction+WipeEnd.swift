import Model
import SQLite

extension StoreTransaction {
  /// The wipe is tried again after a while. Hosts are told when this begins, not each time.
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

  /// A lock of another process is in the way: no failure, but a reason to try again after a while.
  func postponeWipe(of account: StoredAccount) throws(SQLiteError) {
    var account = account
    let interval = StatusMeaning(of: .failedToClearMamData).interval ?? .backOff
    account.failures += 1
    account.dueAt = now.advanced(by: interval.milliseconds(failures: account.failures))
    try saveWithoutDocuments(account)
  }

  /// The account is not enrolled any more, and for most reasons not registered either.
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

  /// It checks in again when any refused account does, and is told so by the same status.
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
