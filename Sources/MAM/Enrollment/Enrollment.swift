import Model
import SQLite
import Support

/// Registers, enrolls, checks in and unenrolls the accounts of a core. Its calls may block on files.
package struct Enrollment: Sendable {
  let core: Core

  /// A failed attempt is a status too; the account then stays registered.
  package func registerAndEnroll(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus {
    guard let reference, reference.kind != .noUser else { return .nilAccount }
    let services = try core.refresh()
    if let known = core.state.account(reference) { return repeated(known, services) }
    let inquiry = core.inquiry()
    let (settings, now) = (core.configuration.settings, core.now)
    let status = try services.store.change(at: now) { transaction throws(SQLiteError) in
      let accounts = try transaction.accounts()
      let stored = accounts.first { $0.isNamed(reference, inquiry.directory) }
      guard stored?.enrolledAt == nil else { return EnrollmentStatus(stored?.account ?? .noUser, .alreadyEnrolled, EnrollmentText.alreadyEnrolled) }
      let decision = EnrollmentDecision(
        stored ?? StoredAccount(account: inquiry.directory.account(of: reference)),
        answer: inquiry.answer(for: reference), mayEnroll: settings.mayEnroll(beside: accounts), at: now)
      try transaction.save(decision.account)
      try transaction.learn(inquiry.directory.identities)
      try transaction.append(.enrollmentRequestWithStatus(decision.status))
      for change in decision.changes { try transaction.append(change) }
      return decision.status
    }
    try core.publish(services)
    services.countApp(for: core.state.account(reference))
    log(status, "enroll", services)
    return status
  }

  /// Tries a registered account again, asks for news of an enrolled one; all of them when none is named.
  package func checkIn(_ reference: AccountReference?) throws(MAMError) -> [EnrollmentStatus] {
    let services = try core.refresh()
    if let reference, core.state.account(reference) == nil { return [notThere(reference)] }
    let inquiry = core.inquiry()
    let (settings, now) = (core.configuration.settings, core.now)
    let statuses = try services.store.change(at: now) { transaction throws(SQLiteError) in
      var statuses: [EnrollmentStatus] = []
      for stored in try transaction.accounts() {
        if let reference, !stored.isNamed(reference, inquiry.directory) { continue }
        let decision = EnrollmentDecision(
          stored, answer: inquiry.answer(for: stored.reference),
          mayEnroll: settings.mayEnroll(beside: try transaction.accounts()), at: now)
        try transaction.save(decision.account)
        try transaction.append(.policyRequestWithStatus(decision.status))
        for change in decision.changes { try transaction.append(change) }
        statuses.append(decision.status)
      }
      try transaction.learn(inquiry.directory.identities)
      return statuses
    }
    try core.publish(services)
    for account in core.state.managedAccounts { services.countApp(for: account) }
    for status in statuses { log(status, "check in", services) }
    return statuses
  }

  /// `withWipe` destroys this app's keys of the account too.
  package func deRegisterAndUnenroll(
    _ reference: AccountReference?, withWipe: Bool
  ) throws(MAMError) -> EnrollmentStatus {
    guard let reference, reference.kind != .noUser else { return .nilAccount }
    let services = try core.refresh()
    guard let account = core.state.account(reference) else {
      let status = notThere(reference)
      log(status, "unenroll", services)
      return status
    }
    if withWipe { try services.destroyKeys(of: account.account) }
    let directory = core.state.directory
    let status = try services.store.change(at: core.now) { transaction throws(SQLiteError) in
      for stored in try transaction.accounts() where stored.isNamed(reference, directory) {
        let before = AccountState(stored)
        try transaction.remove(stored)
        let status = EnrollmentStatus(stored.account, .unenrollmentSuccess)
        try transaction.append(.unenrollRequestWithStatus(status))
        if before.isManaged { try transaction.append(.policyDidChange(stored.account)) }
        if !before.appConfig.fullData.isEmpty { try transaction.append(.appConfigDidChange(stored.account)) }
      }
      return EnrollmentStatus(account.account, .unenrollmentSuccess)
    }
    try core.publish(services)
    log(status, "unenroll", services)
    return status
  }

  /// Registering again changes nothing: the answer is 208, or what the last attempt ended with.
  private func repeated(_ known: AccountState, _ services: CoreServices) -> EnrollmentStatus {
    services.log.write(.warning, .enrollment, "\(personal: known.account) is registered already; nothing was done")
    guard !known.isEnrolled, let last = known.status else {
      return EnrollmentStatus(known.account, .alreadyEnrolled, EnrollmentText.alreadyEnrolled)
    }
    return last
  }

  private func notThere(_ reference: AccountReference) -> EnrollmentStatus {
    let account = core.state.directory.account(of: reference)
    return core.state.enrolledAccounts.isEmpty
      ? EnrollmentStatus(account, .appNotEnrolled, EnrollmentText.nobodyEnrolled)
      : EnrollmentStatus(account, .notEnrolledAccount, EnrollmentText.notEnrolled)
  }

  private func log(_ status: EnrollmentStatus, _ attempt: StaticString, _ services: CoreServices) {
    let account = Account(accountId: status.accountId, identity: status.identity)
    services.log.write(
      status.didSucceed ? .info : .warning, .enrollment,
      "\(attempt) \(personal: account): \(status.statusCode) (\(status.statusCode.sdkValue))\(public: status.errorString.map { ": " + $0 } ?? "")")
  }
}

extension EnrollmentStatus {
  static let nilAccount = EnrollmentStatus(
    accountId: nil, identity: nil, statusCode: .nilAccount, errorString: EnrollmentText.nilAccount)

  init(_ account: Account, _ code: EnrollmentStatusCode, _ text: String? = nil) {
    self.init(accountId: account.accountId, identity: account.identity, statusCode: code, errorString: text)
  }
}

extension StoredAccount {
  /// By what it is asked for at the policy source: the object id, before that is known the name.
  var reference: AccountReference { AccountReference(account.accountId ?? account.identity ?? "") }

  func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    directory.areEqual(reference, self.reference)
  }
}

extension Settings {
  /// One account by default.
  func mayEnroll(beside accounts: [StoredAccount]) -> Bool {
    bool(.multipleManagedAccounts) || accounts.allSatisfy { $0.enrolledAt == nil }
  }
}

extension Core {
  package var enrollment: Enrollment { Enrollment(core: self) }

  /// Reads the policy source anew.
  func inquiry() -> PolicyInquiry {
    PolicyInquiry(
      tenant: configuration.tenant.read(), appId: configuration.stateFolder.appId, platform: .ios)
  }

  /// Makes a commit known to every process, this one included.
  func publish(_ services: CoreServices) throws(MAMError) {
    services.epochPage.raise()
    try refresh()
  }
}
