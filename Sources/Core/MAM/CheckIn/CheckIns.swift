import Model
import Policy
import SQLite
import Support

/// Stores what the policy source has answered: registers, enrolls, checks in and unenrolls accounts, without what follows
/// for the host. Calls may block on files.
///
/// Every attempt sends an event with its status, followed by the events of the changes that it caused. A request to
/// register a registered account sends no event, because nothing is attempted.
struct CheckIns: Sendable {
  let live: LiveState
  let source: TenantSource
  let screens: Screens

  /// Registers an account and tries to enroll it with what the policy source has answered. A failed attempt is a status,
  /// not an error, and the account stays registered. If the account is registered by now, nothing is tried.
  func registerAndEnroll(
    _ reference: AccountReference?, with inquiry: PolicyInquiry
  ) throws(MAMError) -> EnrollmentStatus {
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    let services = try live.refresh()
    switch try enroll(reference, inquiry) {
    case .known(let status, let account):
      if let account { services.log.writeRepetition(of: account) }
      return status
    case .tried(let status):
      services.countApp(for: live.state.account(reference))
      services.log.write(inquiry.warnings)
      source.trace("enroll", [status], inquiry)
      services.log.write("enroll", status)
      return status
    }
  }

  /// The answer to a request to register an account that cannot be registered, or is registered according to the state;
  /// `nil` if the policy source must be asked. Call `refresh` before.
  func statusWithoutAttempt(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus? {
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    guard let known = live.state.account(reference) else { return nil }
    if known.isWiping { return .wiping(known.account, known.status) }
    try live.refresh().log.writeRepetition(of: known.account)
    return known.repeatedStatus(on: live.state.deviceRecord, at: live.sdkLevel, live.now)
  }

  /// Like `registerAndEnroll`, but a registered account checks in, because registering it again would try nothing.
  /// `nil` if another check-in has overtaken the answer.
  func attempt(
    _ reference: AccountReference, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus]? {
    try live.refresh()
    guard live.state.account(reference) != nil else { return [try registerAndEnroll(reference, with: inquiry)] }
    guard let statuses = try checkIn(reference, with: inquiry) else { return nil }
    return statuses.isEmpty ? [try registerAndEnroll(reference, with: inquiry)] : statuses
  }

  fileprivate enum Registration: Sendable {
    case tried(EnrollmentStatus)
    /// The account is registered, and nothing was tried. The account is `nil` if it is being wiped.
    case known(EnrollmentStatus, Account?)
  }

  /// Decides in the transaction whether the account is registered, because another process may have registered it, or
  /// ended its registration, while the policy source was asked.
  private func enroll(_ reference: AccountReference, _ inquiry: PolicyInquiry) throws(MAMError) -> Registration {
    try live.commit { transaction throws(SQLiteError) in
      let names = try transaction.names(in: inquiry)
      try transaction.remember(reference, names)
      let directory = try transaction.learn(names)
      let accounts = try transaction.accounts()
      if let known = accounts.first(named: reference, directory) {
        return try transaction.repetition(of: known, directory, inquiry)
      }
      let new = StoredAccount(account: directory.account(of: reference))
      let decision = EnrollmentDecision(
        new,
        answer: inquiry.answer(for: new, begun: try transaction.begunOperations()), inquiry.hold(for: new),
        in: inquiry.place(beside: accounts.takingPlace > 0),
        testedBy: try transaction.testPolicies().policy(of: new, directory),
        on: inquiry.device, for: inquiry.level, among: transaction.deliveries, at: transaction.time)
      try transaction.carryOut(decision, of: inquiry.source, telling: .enrollmentRequestWithStatus(decision.status))
      try transaction.learn(aboutApp: inquiry)
      return .tried(decision.status)
    }
  }

  /// Ends a request that names no account.
  func nilAccount(
    _ event: @Sendable (EnrollmentStatus) -> CoreEvent
  ) throws(MAMError) -> EnrollmentStatus {
    let status = EnrollmentStatus(Account(accountId: nil, identity: nil), .nilAccount, EnrollmentText.nilAccount)
    try live.commit { transaction throws(SQLiteError) in try transaction.append(event(status)) }
    return status
  }
}

/// Check-ins.
extension CheckIns {
  /// Stores what the policy source has answered about one account, or about all: the policy of an enrolled account, or
  /// another attempt to enroll a registered one. `nil` if another check-in has overtaken the answer; then nothing is
  /// stored.
  ///
  /// If the account is not registered, tries nothing and sends no event.
  func checkIn(
    _ reference: AccountReference?, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus]? {
    if let statuses = try statusesWithoutCheckIn(reference) { return statuses }
    return try run(with: inquiry) { run throws(SQLiteError) in try run.checkIn(reference) }?.map(\.status)
  }

  /// The answer to a request to check in an account that does not check in; `nil` if it does.
  func statusesWithoutCheckIn(_ reference: AccountReference?) throws(MAMError) -> [EnrollmentStatus]? {
    try live.refresh()
    guard let reference else { return nil }
    guard let account = live.state.account(reference) else {
      let account = live.state.directory.account(of: reference)
      return [.notRegistered(account, isAnyEnrolled: !live.state.enrolledAccounts.isEmpty)]
    }
    return account.isWiping ? [.wiping(account.account, account.status)] : nil
  }

  /// Runs what is due through `end`, except for accounts whose answer another check-in has overtaken. The caller must
  /// hold the `CheckInLock`.
  func checkInDue(
    through end: Timestamp, stoppingForWipes: Bool, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus] {
    let outcomes = try run(with: inquiry) { run throws(SQLiteError) in
      try run.checkInDue(through: end, stoppingForWipes: stoppingForWipes)
    }
    return (outcomes ?? []).map(\.status)
  }

  /// `nil` if the run was overtaken.
  private func run(
    with inquiry: PolicyInquiry, _ body: @Sendable (inout CheckInRun) throws(SQLiteError) -> Void
  ) throws(MAMError) -> [CheckInRun.Outcome]? {
    let services = try live.refresh()
    let result = try live.commit { transaction throws(SQLiteError) -> [CheckInRun.Outcome]? in
      var run = try CheckInRun(transaction, inquiry)
      try body(&run)
      return run.isOvertaken ? nil : run.outcomes
    }
    guard let outcomes = result else { return nil }
    for outcome in outcomes { services.countApp(for: live.state.account(of: outcome.status)) }
    services.log.write(inquiry.warnings)
    source.trace("check in", outcomes.map(\.status), inquiry)
    for outcome in outcomes {
      services.log.write(outcome.request, outcome.status, at: outcome.time)
      if outcome.isRename { services.log.writeRename(of: outcome.status, at: outcome.time) }
    }
    return outcomes
  }
}

extension CheckIns {
  /// Unenrolls an account without a wipe.
  func unenroll(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus {
    let services = try live.refresh()
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.unenrollRequestWithStatus) }
    let status = try live.commit { transaction throws(SQLiteError) in
      try transaction.unenroll(reference)
    }
    screens.settle()
    services.log.write("unenroll", status)
    return status
  }
}

extension AccountState {
  /// The answer to a request to register the account again, for which nothing is tried: 208 if the account is enrolled,
  /// or else its last status. The text says when something is tried.
  fileprivate func repeatedStatus(
    on device: DeviceRecord, at level: SDKLevel, _ now: Timestamp
  ) -> EnrollmentStatus {
    guard !isEnrolled, var last = readStatus(on: device.device.platform, at: level) else {
      var status = EnrollmentStatus(account, .alreadyEnrolled, EnrollmentText.alreadyEnrolled)
      status.access = access(isEnrolling: false)
      return status
    }
    let explanation = AccountExplanation(
      account: self, policies: [], due: due(on: device), now: now, isConfined: false)
    if !last.didSucceed { last.errorString = explanation.textOfRepetition }
    return last
  }
}

extension StoreTransaction {
  /// The answer to a request to register a registered account.
  fileprivate func repetition(
    of known: StoredAccount, _ directory: AccountDirectory, _ inquiry: PolicyInquiry
  ) throws(SQLiteError) -> CheckIns.Registration {
    guard known.wipe == nil else { return .known(.wiping(known.account, known.status), nil) }
    let account = AccountState(
      known, testedBy: try testPolicies().policy(of: known, directory), on: inquiry.device.device.platform,
      among: deliveries)
    return .known(account.repeatedStatus(on: inquiry.device, at: inquiry.level, now), known.account)
  }

  /// Removes the account with everything stored for it, and sends the event.
  fileprivate func unenroll(_ reference: AccountReference) throws(SQLiteError) -> EnrollmentStatus {
    let directory = try directory()
    let accounts = try accounts()
    let leaving = accounts.named(reference, directory)
    guard let first = leaving.first else {
      let account = directory.account(of: reference)
      let status = EnrollmentStatus.notRegistered(account, isAnyEnrolled: accounts.areAnyEnrolled)
      try append(.unenrollRequestWithStatus(status))
      return status
    }
    let status = EnrollmentStatus(first.account, .unenrollmentSuccess)
    try append(.unenrollRequestWithStatus(status))
    for account in leaving {
      try endRegistration(of: account.account)
      try remove(account)
      try endEnrollment(of: account)
    }
    return status
  }
}

extension EnrollmentStatus {
  /// The answer for an account that is being wiped: the state of the wipe.
  static func wiping(_ account: Account, _ last: EnrollmentStatus?) -> EnrollmentStatus {
    if let last, last.statusCode == .failedToClearMamData { return last }
    return EnrollmentStatus(account, .failedToClearMamData, EnrollmentText.wiping)
  }

  /// 214, or 213 if no account is enrolled.
  static func notRegistered(_ account: Account, isAnyEnrolled: Bool) -> EnrollmentStatus {
    isAnyEnrolled
      ? EnrollmentStatus(account, .notEnrolledAccount, EnrollmentText.notEnrolled)
      : EnrollmentStatus(account, .appNotEnrolled, EnrollmentText.nobodyEnrolled)
  }
}
