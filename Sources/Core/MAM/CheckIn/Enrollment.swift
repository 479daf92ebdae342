import Model
import Policy
import SQLite
import Support

/// Registers, enrolls, checks in and unenrolls the accounts of a core. Calls may block on files.
///
/// Every attempt sends an event with its status, followed by the events of the changes that it caused. A request to
/// register a registered account sends no event, because nothing is attempted.
package struct Enrollment: Sendable {
  let core: Core

  /// Registers an account and tries to enroll it with what the policy source has answered. A failed attempt is a status,
  /// not an error, and the account stays registered. If the account is registered by now, nothing is tried.
  func registerAndEnroll(
    _ reference: AccountReference?, with inquiry: PolicyInquiry
  ) throws(MAMError) -> EnrollmentStatus {
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    let services = try core.refresh()
    switch try enroll(reference, inquiry) {
    case .known(let status, let account):
      if let account { services.log.writeRepetition(of: account) }
      return status
    case .tried(let status):
      services.countApp(for: core.state.account(reference))
      services.log.write(inquiry.warnings)
      core.source.trace("enroll", [status], inquiry)
      services.log.write("enroll", status)
      return status
    }
  }

  /// The answer to a request to register an account that cannot be registered, or is registered according to the state;
  /// `nil` if the policy source must be asked. Call `refresh` before.
  func statusWithoutAttempt(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus? {
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    guard let known = core.state.account(reference) else { return nil }
    if known.isWiping { return .wiping(known.account, known.status) }
    try core.refresh().log.writeRepetition(of: known.account)
    return known.repeatedStatus(on: core.state.deviceRecord, at: core.sdkLevel, core.now)
  }

  /// Like `registerAndEnroll`, but a registered account checks in, because registering it again would try nothing.
  /// `nil` if another check-in has overtaken the answer.
  func attempt(
    _ reference: AccountReference, with inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus]? {
    try core.refresh()
    guard core.state.account(reference) != nil else { return [try registerAndEnroll(reference, with: inquiry)] }
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
    try core.commit { transaction throws(SQLiteError) in
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
    try core.commit { transaction throws(SQLiteError) in try transaction.append(event(status)) }
    return status
  }
}

/// The requests as hosts make them. Wipes that were marked earlier run first. Then the tokens are asked for, which may
/// let users sign in, then the policy source. Then the request is committed, and the wipes that it marks run. At the
/// end, the host is asked to restart if necessary.
extension Enrollment {
  /// How often the policy source is asked again because another check-in has overtaken its answer.
  private static let mostTries = 10

  package func enrollAndFollowUp(_ reference: AccountReference?) async throws(MAMError) -> EnrollmentStatus {
    guard let reference else { return try nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    let statuses = try await followingUp(reference) { () throws(MAMError) in
      if let status = try statusWithoutAttempt(reference) { return [status] }
      let tokens = try await core.tokens.signingIn(await tokens(forNew: reference))
      return try await asking(.account(reference), with: tokens) { inquiry throws(MAMError) in
        [try registerAndEnroll(reference, with: inquiry)]
      }
    }
    return statuses[0]
  }

  /// Asks for a token unless `given` holds the tokens of the attempt.
  func attemptAndFollowUp(
    _ reference: AccountReference, with given: TokenGrants? = nil
  ) async throws(MAMError) -> EnrollmentStatus {
    let statuses = try await followingUp(reference) { () throws(MAMError) in
      let tokens = if let given { given } else { await grants(forAttempt: reference) }
      return [try await attempt(reference, with: tokens, announcing: true)]
    }
    return statuses[0]
  }

  /// Asks the policy source about an account now. With `announcing`, tells the host before the account stops being
  /// managed.
  func attempt(
    _ reference: AccountReference, with tokens: TokenGrants = .none, announcing: Bool = false
  ) async throws(MAMError) -> EnrollmentStatus {
    let statuses = try await asking(.account(reference), with: tokens, announcing: announcing) {
      inquiry throws(MAMError) in
      try attempt(reference, with: inquiry)
    }
    return statuses[0]
  }

  /// The tokens that are there without the user.
  func grants(forAttempt reference: AccountReference) async -> TokenGrants {
    await core.state.account(reference) == nil
      ? tokens(forNew: reference) : core.tokens.collect(forCheckIn: reference)
  }

  package func checkInAndFollowUp(_ named: AccountReference?) async throws(MAMError) -> [EnrollmentStatus] {
    let reference = try named.map { named throws(MAMError) in try registered(named) }
    return try await followingUp(reference) { () throws(MAMError) in
      if let statuses = try statusesWithoutCheckIn(reference) { return statuses }
      let tokens = try await core.tokens.signingIn(await core.tokens.collect(forCheckIn: reference))
      return try await asking(.account(reference), with: tokens, announcing: true) { inquiry throws(MAMError) in
        try checkIn(reference, with: inquiry)
      }
    }
  }

  /// The object id of an account that the state does not know by this name if a folder says whose name it is, as after a
  /// change of the name.
  private func registered(_ reference: AccountReference) throws(MAMError) -> AccountReference {
    try core.refresh()
    guard core.state.account(reference) == nil, let accountId = core.source.fullAccount(of: reference).accountId,
      case let found = AccountReference(accountId), core.state.account(found) != nil
    else { return reference }
    return found
  }

  /// The account counts as enrolling while a token is asked for, which may involve its user.
  private func tokens(forNew reference: AccountReference) async -> TokenGrants {
    core.ongoingEnrollments.begin(reference)
    defer { core.ongoingEnrollments.end(reference) }
    return await core.tokens.collect(for: [reference])
  }

  /// Asks the policy source without a lock, and then commits. If another check-in has overtaken the answer, which
  /// `commit` reports with `nil`, the source is asked again.
  private func asking(
    _ scope: TenantSource.Scope, with tokens: TokenGrants, announcing: Bool = false,
    _ commit: (PolicyInquiry) throws(MAMError) -> [EnrollmentStatus]?
  ) async throws(MAMError) -> [EnrollmentStatus] {
    let new = scope.unregistered(in: core.state)
    if let new { core.ongoingEnrollments.begin(new) }
    defer { if let new { core.ongoingEnrollments.end(new) } }
    for _ in 1...Self.mostTries {
      let inquiry = try await core.source.ask(scope, with: tokens)
      if announcing { await core.managementEnd.announceCheckIns(with: inquiry) }
      if let statuses = try commit(inquiry) { return statuses }
    }
    throw .stateInUse(core.configuration.stateFolder.checkInLock, by: "other processes", "check-ins")
  }

  /// `reference` is `nil` for all accounts.
  private func followingUp(
    _ reference: AccountReference?, request: () async throws(MAMError) -> [EnrollmentStatus]
  ) async throws(MAMError) -> [EnrollmentStatus] {
    try await core.wipes.finish(of: reference)
    let before = core.state
    let statuses = try await request()
    try await core.wipes.goOn(of: reference)
    await core.restarts.followUp(statuses, since: before)
    return statuses
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

extension DiagnosticsLog {
  /// Logs how a request ended.
  func write(_ request: StaticString, _ status: EnrollmentStatus, at time: Timestamp? = nil) {
    let account = Account(accountId: status.accountId, identity: status.identity)
    let text = status.errorString.map { ": " + $0 } ?? ""
    write(
      status.didSucceed ? .info : .warning, .enrollment, at: time, causedBy: .current,
      "\(request) \(personal: account): \(status.statusCode) (\(status.statusCode.sdkValue))\(public: text)")
  }

  fileprivate func writeRepetition(of account: Account) {
    write(.warning, .enrollment, "\(personal: account) is already registered; nothing was tried")
  }

  fileprivate func writeRename(of status: EnrollmentStatus, at time: Timestamp) {
    let account = Account(accountId: status.accountId, identity: status.identity)
    let former = Account(accountId: nil, identity: status.formerIdentity)
    write(
      .warning, .enrollment, at: time, causedBy: .current,
      "\(personal: account): the user was renamed; the name \(personal: former) no longer names the account")
  }

  /// Logs what was ignored in the policy source: the first 100 warnings, and how many more there are.
  func write(_ warnings: [PolicyWarning]) {
    let most = 100
    for warning in warnings.prefix(most) { write(.warning, .tenant, "\(public: warning.description)") }
    guard warnings.count > most else { return }
    write(
      .warning, .tenant,
      """
      The policy source has \(warnings.count - most) more warnings. If the source is a folder, "mambridge tenant check" lists them.
      """)
  }
}

extension Enrollment {
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
  private func statusesWithoutCheckIn(_ reference: AccountReference?) throws(MAMError) -> [EnrollmentStatus]? {
    try core.refresh()
    guard let reference else { return nil }
    guard let account = core.state.account(reference) else {
      let account = core.state.directory.account(of: reference)
      return [.notRegistered(account, isAnyEnrolled: !core.state.enrolledAccounts.isEmpty)]
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

  /// An account as a check-in would leave it.
  struct Prospect: Sendable {
    let state: AccountState
    /// Whether the check-in would begin a wipe.
    let isWipe: Bool
  }

  /// What a check-in now would make of an account, without changing anything; `nil` if the account is gone.
  func prospect(of account: AccountState, with inquiry: PolicyInquiry) throws(MAMError) -> Prospect? {
    let services = try core.refresh()
    let testing = PolicyTesting(configured: core.configuration.debugSettings, platform: core.state.device.platform)
    let position = account.position
    return try services.store.inspect(at: core.time) { transaction throws(SQLiteError) -> Prospect? in
      var transaction = transaction
      transaction.testing = testing
      guard let stored = try transaction.accounts().account(at: position) else { return nil }
      let test = try transaction.testPolicies().policy(of: stored, try transaction.directory())
      let answer = inquiry.answer(for: stored, begun: try transaction.begunOperations())
      let decision = EnrollmentDecision(
        stored, answer: answer, inquiry.hold(for: stored), in: .free, testedBy: test, on: inquiry.device,
        among: transaction.deliveries,
        at: transaction.time)
      let changed = AccountState(
        decision.account, testedBy: test, on: testing.platform, among: transaction.deliveries)
      return Prospect(state: changed, isWipe: decision.order != nil)
    }
  }

  /// `nil` if the run was overtaken.
  private func run(
    with inquiry: PolicyInquiry, _ body: @Sendable (inout CheckInRun) throws(SQLiteError) -> Void
  ) throws(MAMError) -> [CheckInRun.Outcome]? {
    let services = try core.refresh()
    let result = try core.commit { transaction throws(SQLiteError) -> [CheckInRun.Outcome]? in
      var run = try CheckInRun(transaction, inquiry)
      try body(&run)
      return run.isOvertaken ? nil : run.outcomes
    }
    guard let outcomes = result else { return nil }
    for outcome in outcomes { services.countApp(for: core.state.account(of: outcome.status)) }
    services.log.write(inquiry.warnings)
    core.source.trace("check in", outcomes.map(\.status), inquiry)
    for outcome in outcomes {
      services.log.write(outcome.request, outcome.status, at: outcome.time)
      if outcome.isRename { services.log.writeRename(of: outcome.status, at: outcome.time) }
    }
    return outcomes
  }
}

extension Enrollment {
  /// With `withWipe`, also removes everything that this app holds of the account. A wipe that has already begun goes on
  /// in any case. Does not wait for the token that a service of the tenant would ask for.
  package func deRegisterAndUnenroll(
    _ reference: AccountReference?, withWipe: Bool
  ) async throws(MAMError) -> EnrollmentStatus {
    try core.refresh()
    if let reference, let account = core.state.account(reference)?.account {
      core.tokens.askForFarewell(of: reference)
      core.sourceTokens.drop(for: account)
    }
    if let reference, let known = core.state.account(reference), withWipe || known.isWiping {
      if let status = try await core.wipes.wipe(reference, .host) { return status }
    }
    await core.managementEnd.announceUnenrollment(of: reference)
    return try unenroll(reference)
  }

  /// Unenrolls an account without a wipe.
  func unenroll(_ reference: AccountReference?) throws(MAMError) -> EnrollmentStatus {
    let services = try core.refresh()
    guard let reference, reference.kind != .noUser else { return try nilAccount(CoreEvent.unenrollRequestWithStatus) }
    let status = try core.commit { transaction throws(SQLiteError) in
      try transaction.unenroll(reference)
    }
    core.screens.settle()
    services.log.write("unenroll", status)
    return status
  }
}

extension StoreTransaction {
  /// The answer to a request to register a registered account.
  fileprivate func repetition(
    of known: StoredAccount, _ directory: AccountDirectory, _ inquiry: PolicyInquiry
  ) throws(SQLiteError) -> Enrollment.Registration {
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
