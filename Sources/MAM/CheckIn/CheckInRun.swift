import Glibc
import Model
import SQLite
import Support
import Tenancy
import Vault

/// Check-ins in one transaction of the store, after the policy source was read once.
struct CheckInRun {
  /// The result of one check-in.
  struct Outcome: Sendable {
    let status: EnrollmentStatus
    /// What the log calls the check-in.
    let request: StaticString
    let time: Timestamp
  }

  private var transaction: StoreTransaction
  private let inquiry: PolicyInquiry
  private let directory: AccountDirectory
  private let tests: TestPolicies
  private var accounts: [StoredAccount]
  private var answers: [AccountReference: SourceAnswer] = [:]
  private let begunOperations: Set<BegunOperation>
  private(set) var outcomes: [Outcome] = []

  init(_ transaction: StoreTransaction, _ inquiry: PolicyInquiry) throws(SQLiteError) {
    self.transaction = transaction
    self.inquiry = inquiry
    directory = try transaction.learn(inquiry.directory)
    tests = try transaction.testPolicies()
    accounts = try transaction.accounts()
    begunOperations = try transaction.begunOperations()
    try dropTwins()
  }

  /// Checks in one account, or all accounts, whether they are due or not. An account that is being wiped does not check
  /// in.
  mutating func checkIn(_ reference: AccountReference?) throws(SQLiteError) {
    for index in checkingIn where reference.map({ accounts[index].isNamed($0, directory) }) ?? true {
      try checkIn(at: index)
    }
    try finish()
  }

  /// Runs what is due through `end`: check-ins, and events about a clock status that has become stale. Each gets the
  /// time when it was due, or the current time if that is later. If several accounts are due at the same time, the
  /// order of registration decides. With `stoppingForWipes`, stops when a wipe begins, because the wipe comes before
  /// whatever is due later.
  mutating func checkInDue(through end: Timestamp, stoppingForWipes: Bool) throws(SQLiteError) {
    while !(stoppingForWipes && hasBegunWipe), let index = nextIndex {
      let plan = accounts[index].plan
      guard plan.due(on: inquiry.device) <= end else { break }
      transaction.now = max(transaction.now, plan.due(on: inquiry.device))
      if plan.checkInDue(on: inquiry.device) <= transaction.now {
        try checkIn(at: index)
      } else {
        try tellStaleClock(at: index)
      }
    }
    try finish()
  }

  private var hasBegunWipe: Bool { accounts.contains { $0.wipe != nil && $0.dueAt == nil } }

  private var checkingIn: [Int] { accounts.indices.filter { accounts[$0].wipe == nil } }

  private var nextIndex: Int? {
    checkingIn.min { accounts[$0].plan.due(on: inquiry.device) < accounts[$1].plan.due(on: inquiry.device) }
  }

  private mutating func checkIn(at index: Int) throws(SQLiteError) {
    let stored = accounts[index]
    let decision = EnrollmentDecision(
      stored, answer: answer(for: stored.reference), in: inquiry.place(beside: accounts.contains(where: \.takesPlace)),
      testedBy: tests.policy(of: stored, directory),
      on: inquiry.device, for: inquiry.level, among: transaction.deliveries, at: transaction.now)
    // Every attempt is an enrollment request until the account is enrolled, and again after the source has forgotten
    // it.
    let isEnrollment = stored.enrolledAt == nil || decision.isEnrollment
    let status = decision.status
    accounts[index] = try transaction.carryOut(
      decision, telling: isEnrollment ? .enrollmentRequestWithStatus(status) : .policyRequestWithStatus(status))
    let request: StaticString = stored.enrolledAt == nil ? "enroll" : isEnrollment ? "enroll again" : "check in"
    outcomes.append(Outcome(status: status, request: request, time: transaction.now))
  }

  private mutating func tellStaleClock(at index: Int) throws(SQLiteError) {
    let state = try transaction.accountState(of: accounts[index])
    let event = accounts[index].tellClock(state, at: transaction.now)
    try transaction.saveWithoutDocuments(accounts[index])
    if let event { try transaction.append(event) }
  }

  private mutating func answer(for reference: AccountReference) -> SourceAnswer {
    if let answer = answers[reference] { return answer }
    let answer = inquiry.answer(for: reference, begun: begunOperations)
    answers[reference] = answer
    return answer
  }

  /// Removes the second registration of a user who was registered by id and by name, before the source said that both
  /// are the same user.
  private mutating func dropTwins() throws(SQLiteError) {
    var seen: Set<String> = []
    var kept: [StoredAccount] = []
    for var account in accounts {
      account.takeNames(from: directory)
      if let accountId = account.account.accountId, !seen.insert(accountId).inserted, account.wipe == nil {
        try transaction.remove(account)
      } else {
        kept.append(account)
      }
    }
    accounts = kept
  }

  private mutating func finish() throws(SQLiteError) {
    if let snapshot = inquiry.snapshot { try transaction.learn(aboutApp: snapshot) }
    try transaction.finish()
  }
}

extension StoredAccount {
  /// Whether the account counts if only one account may be enrolled.
  var takesPlace: Bool { enrolledAt != nil && wipe == nil }

  fileprivate var plan: DuePlan { DuePlan(self) }
}

/// The lock of the one process on a state folder that checks in now. The kernel releases the lock if the process dies.
enum CheckInLock {
  /// Returns `nil` if another process holds the lock and this call does not wait. Throws `stateInUse` if others hold
  /// the lock for too long.
  static func withLock<Result>(
    _ path: String, isWaiting: Bool, _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    guard try Flock.isTaken(descriptor, LOCK_EX, path, atMost: isWaiting ? nil : .zero) else {
      guard isWaiting else { return nil }
      throw .stateInUse(path, by: LockHolder.name(of: descriptor), "check-ins")
    }
    return try body()
  }
}

/// Verbose lines about the steps of an enrollment or a check-in.
extension TenantSource {
  /// Logs what the policy source contains, and how long it took to read.
  func trace(reading inquiry: PolicyInquiry, _ duration: Duration) {
    guard core.verbose.isOn else { return }
    let (kind, path) = (core.configuration.tenant.kind, core.configuration.tenant.path)
    let source: LogMessage =
      path.map { "policy source \(public: kind.rawValue) \(personal: $0, as: "path")" }
      ?? "policy source \(public: kind.rawValue)"
    core.trace(.enrollment) {
      switch inquiry.tenant {
      case nil: source + "not read: the device has no network"
      case .failure(let error): source + "failed after \(duration): \(public: error.description)"
      case .success(let tenant):
        source
          + """
          read in \(duration): \
          \(tenant.users.count) users, \(tenant.policies.count) policies, \
          \(tenant.configurations.count) configurations, \
          \(tenant.operations.count) operations, \(tenant.warnings.count) warnings
          """
      }
    }
  }

  /// Logs, for the account of each status, which policies were considered, why each applies or not, the result, and
  /// when the next check-in is due.
  func trace(_ step: StaticString, _ statuses: [EnrollmentStatus], _ inquiry: PolicyInquiry) {
    guard core.verbose.isOn else { return }
    let state = core.state
    for status in statuses {
      let account = Account(accountId: status.accountId, identity: status.identity)
      let found = account.reference.flatMap(state.account)
      let user = account.reference.flatMap { inquiry.snapshot?.user(for: $0) }
      let standing = user.map { "lists the user, \($0.standing)" } ?? "does not list the user"
      core.trace(.enrollment) { "\(step) \(personal: account): the source \(public: standing)" }
      for considered in user.map({ inquiry.considered($0) }) ?? [] {
        core.trace(.enrollment) {
          "\(step) \(personal: account): \(public: considered.policyID) \(public: considered.reason.text)"
        }
      }
      let due = found?.plan.checkInDue(on: state.deviceRecord)
      core.trace(.enrollment) {
        """
        \(step) \(personal: account): ended with \(status.statusCode) (\(status.statusCode.sdkValue)); \
        enrolled \(found?.isEnrolled ?? false), managed \(found?.isManaged ?? false), \
        next check-in \(public: due?.description ?? "not planned")
        """
      }
    }
  }
}

extension PolicyInquiry {
  fileprivate func considered(_ user: TenantUser) -> [Targeting.Considered] {
    guard let snapshot else { return [] }
    return snapshot.targeting(
      of: user, app: appId, platform: device.device.platform, managementLevel: managementLevel(of: user, in: snapshot)
    ).considered
  }
}

extension TenantUser {
  fileprivate var standing: String {
    "\(isEnabled ? "enabled" : "disabled"), \(isLicensed ? "licensed" : "not licensed"), in \(groups.count) groups"
  }
}
