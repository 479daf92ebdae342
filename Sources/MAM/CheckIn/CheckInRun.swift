import Glibc
import Model
import SQLite
import Support
import Tenancy
import Vault

/// Check-ins inside one change of the store, after one reading of the policy source.
struct CheckInRun {
  /// One check-in that was made.
  struct Outcome: Sendable {
    let status: EnrollmentStatus
    /// What the log calls it.
    let request: StaticString
    let time: Timestamp
  }

  private var transaction: StoreTransaction
  private let inquiry: PolicyInquiry
  private let allowsMany: Bool
  private let directory: AccountDirectory
  private let tests: TestPolicies
  private var accounts: [StoredAccount]
  private var answers: [AccountReference: SourceAnswer] = [:]
  private let begunOperations: Set<BegunOperation>
  private(set) var outcomes: [Outcome] = []

  init(_ transaction: StoreTransaction, _ inquiry: PolicyInquiry, allowsMany: Bool) throws(SQLiteError) {
    self.transaction = transaction
    self.inquiry = inquiry
    self.allowsMany = allowsMany
    directory = try transaction.learn(inquiry.directory)
    tests = try transaction.testPolicies()
    accounts = try transaction.accounts()
    begunOperations = try transaction.begunOperations()
    try dropTwins()
  }

  /// One account, or all of them, due or not. One that is being wiped does not check in.
  mutating func checkIn(_ reference: AccountReference?) throws(SQLiteError) {
    for index in checkingIn where reference.map({ accounts[index].isNamed($0, directory) }) ?? true {
      try checkIn(at: index)
    }
    try finish()
  }

  /// All that is due through `end`, each at its time but not in the past; of what is due at once, in the order of
  /// registration. `stoppingForWipes` ends it where a wipe begins, which is to be done before what is due later.
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
    let mayEnroll = allowsMany || !accounts.contains(where: \.takesPlace)
    let decision = EnrollmentDecision(
      stored, answer: answer(for: stored.reference), mayEnroll: mayEnroll,
      testedBy: tests.policy(of: stored, directory),
      on: inquiry.device, among: transaction.deliveries, at: transaction.now)
    // Every attempt before the account is enrolled is an enrollment request, and so is one after it was forgotten.
    let isEnrollment = stored.enrolledAt == nil || decision.isEnrollment
    let status = decision.status
    accounts[index] = try transaction.carryOut(
      decision, telling: isEnrollment ? .enrollmentRequestWithStatus(status) : .policyRequestWithStatus(status))
    let request: StaticString = stored.enrolledAt == nil ? "enroll" : isEnrollment ? "enroll anew" : "check in"
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

  /// Takes out who was registered by id and by name, before the source told that both are one.
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
    if let snapshot = inquiry.snapshot { try transaction.setAllowedAccounts(snapshot.effectiveAllowedAccounts) }
    try transaction.finish()
  }
}

extension StoredAccount {
  /// Whether it counts where one account may be enrolled.
  var takesPlace: Bool { enrolledAt != nil && wipe == nil }

  fileprivate var plan: DuePlan { DuePlan(self) }
}

/// Held by the one process of a state folder whose turn it is to check in. The kernel lets go of it when that dies.
enum CheckInLock {
  /// Nil when another holds it and this does not wait. Throws `stateInUse` when others hold it for too long.
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

/// The steps of an enrollment or a check-in, for verbose lines.
extension TenantSource {
  /// What the policy source said, and how long that took.
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

  /// Which policies were considered for the account of each status and why, what came of it, and what is next.
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
      of: user, app: appId, platform: device.device.platform, managementLevel: snapshot.managementLevel
    ).considered
  }
}

extension TenantUser {
  fileprivate var standing: String {
    "\(isEnabled ? "enabled" : "disabled"), \(isLicensed ? "licensed" : "not licensed"), in \(groups.count) groups"
  }
}
