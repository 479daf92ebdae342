import Glibc
import Model
import SQLite
import Support
import Tenancy
import Vault

/// Check-ins in one transaction of the store, with what the policy source has answered before.
struct CheckInRun {
  /// The result of one check-in.
  struct Outcome: Sendable {
    let status: EnrollmentStatus
    /// What the log calls the check-in.
    let request: StaticString
    let time: Timestamp
    /// Whether the policy source reported another user principal name.
    let isRename: Bool
  }

  private var transaction: StoreTransaction
  private let inquiry: PolicyInquiry
  private let directory: AccountDirectory
  private let tests: TestPolicies
  private var accounts: [StoredAccount]
  /// The former names that are known already, by the positions of the accounts.
  private var formerIdentities: [Int: String] = [:]
  private var answers: [AccountReference: AccountAnswer] = [:]
  private let begunOperations: Set<BegunOperation>
  /// The positions of the accounts that the source was asked about, and that nobody has checked in since.
  private var current: Set<Int> = []
  /// How many accounts count if only one may be enrolled.
  private var takingPlace: Int
  private var hasBegunWipe: Bool
  private(set) var outcomes: [Outcome] = []
  /// Whether somebody else has checked in an account since the source was asked, so that the answer may be too old.
  private(set) var isOvertaken = false

  init(_ transaction: StoreTransaction, _ inquiry: PolicyInquiry) throws(SQLiteError) {
    self.transaction = transaction
    self.inquiry = inquiry
    directory = try transaction.learn(try transaction.names(in: inquiry))
    tests = try transaction.testPolicies()
    let known = try transaction.accounts()
    accounts = Array(known)
    takingPlace = known.takingPlace
    hasBegunWipe = accounts.contains(where: \.isWipeBegun)
    begunOperations = try transaction.begunOperations()
    let registrations =
      inquiry.usesRegistrations ? try transaction.connection.registrations() : RegisteredAccounts()
    for account in accounts where inquiry.isCurrent(account, among: registrations) {
      current.insert(account.position)
      formerIdentities[account.position] = account.formerIdentity
    }
    try dropTwins()
  }

  /// Checks in one account, or all accounts, whether they are due or not. An account that is being wiped does not check
  /// in. If the run is overtaken, no account checks in.
  mutating func checkIn(_ reference: AccountReference?) throws(SQLiteError) {
    let wanted = checkingIn.filter { index in reference.map { accounts[index].isNamed($0, directory) } ?? true }
    isOvertaken = !wanted.allSatisfy { current.contains(accounts[$0].position) }
    if !isOvertaken {
      for index in wanted { try checkIn(at: index) }
    }
    try finish()
  }

  /// Runs what is due through `end`: check-ins, and events about a clock status that has become stale. Each gets the
  /// time when it was due, or the current time if that is later. If several accounts are due at the same time, the
  /// order of registration decides. With `stoppingForWipes`, stops when a wipe begins, because the wipe comes before
  /// whatever is due later.
  mutating func checkInDue(through end: Timestamp, stoppingForWipes: Bool) throws(SQLiteError) {
    var queue = DueQueue(accounts.indices.compactMap { due(at: $0, through: end) })
    while !(stoppingForWipes && hasBegunWipe), let next = queue.popFirst() {
      transaction.move(to: next.time)
      if accounts[next.index].plan.checkInDue(on: inquiry.device) <= transaction.now {
        try checkIn(at: next.index)
      } else {
        try reportStaleClock(at: next.index)
      }
      if let again = due(at: next.index, through: end) { queue.insert(again) }
    }
    try finish()
  }

  /// When something of the account is due; `nil` if that is after `end`, or if the source was not asked about a check-in
  /// that is due.
  private func due(at index: Int, through end: Timestamp) -> DueQueue.Entry? {
    let account = accounts[index]
    let (plan, time) = (account.plan, account.plan.due(on: inquiry.device))
    guard account.wipe == nil, time <= end,
      current.contains(account.position) || plan.checkInDue(on: inquiry.device) > end
    else { return nil }
    return DueQueue.Entry(time: time, index: index)
  }

  private var checkingIn: [Int] { accounts.indices.filter { accounts[$0].wipe == nil } }

  private mutating func checkIn(at index: Int) throws(SQLiteError) {
    let stored = accounts[index]
    let decision = EnrollmentDecision(
      stored, answer: answer(for: stored), inquiry.hold(for: stored), in: inquiry.place(beside: takingPlace > 0),
      testedBy: tests.policy(of: stored, directory),
      on: inquiry.device, for: inquiry.level, among: transaction.deliveries, at: transaction.time)
    // Every attempt is an enrollment request until the account is enrolled, and again after the source has forgotten
    // it.
    let isEnrollment = stored.enrolledAt == nil || decision.isEnrollment
    let status = decision.status
    let account = try transaction.carryOut(
      decision, of: inquiry.source,
      telling: isEnrollment ? .enrollmentRequestWithStatus(status) : .policyRequestWithStatus(status))
    accounts[index] = account
    takingPlace += (account.takesPlace ? 1 : 0) - (stored.takesPlace ? 1 : 0)
    hasBegunWipe = hasBegunWipe || account.isWipeBegun
    let request: StaticString = stored.enrolledAt == nil ? "enroll" : isEnrollment ? "enroll again" : "check in"
    let isRename = status.formerIdentity != formerIdentities[stored.position]
    outcomes.append(Outcome(status: status, request: request, time: transaction.now, isRename: isRename))
  }

  private mutating func reportStaleClock(at index: Int) throws(SQLiteError) {
    let state = try transaction.accountState(of: accounts[index])
    let event = accounts[index].reportClock(state, at: transaction.now)
    try transaction.saveWithoutDocuments(accounts[index])
    if let event { try transaction.append(event) }
  }

  private mutating func answer(for account: StoredAccount) -> AccountAnswer {
    if let answer = answers[account.reference] { return answer }
    let answer = inquiry.answer(for: account, begun: begunOperations)
    answers[account.reference] = answer
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
        takingPlace -= account.takesPlace ? 1 : 0
      } else {
        kept.append(account)
      }
    }
    accounts = kept
  }

  private mutating func finish() throws(SQLiteError) {
    try transaction.learn(aboutApp: inquiry)
    try transaction.finish()
  }
}

extension StoredAccount {
  /// Whether the account counts if only one account may be enrolled.
  var takesPlace: Bool { enrolledAt != nil && wipe == nil }

  fileprivate var plan: DuePlan { DuePlan(self) }

  /// Whether a wipe must begin at once.
  fileprivate var isWipeBegun: Bool { wipe != nil && dueAt == nil }
}

/// What is due, by its time; among equal times, in the order of registration.
private struct DueQueue {
  struct Entry {
    let time: Timestamp
    /// The place of the account in the order of registration.
    let index: Int

    func isBefore(_ other: Entry) -> Bool { (time, index) < (other.time, other.index) }
  }

  /// The last entry is due first.
  private var entries: [Entry]

  init(_ entries: [Entry]) {
    self.entries = entries.sorted { $1.isBefore($0) }
  }

  mutating func popFirst() -> Entry? { entries.popLast() }

  mutating func insert(_ entry: Entry) {
    entries.insert(entry, at: entries.partitioningIndex { $0.isBefore(entry) })
  }
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
    guard try Flock.isTaken(descriptor, path, atMost: isWaiting ? nil : .zero) else {
      guard isWaiting else { return nil }
      throw .stateInUse(path, by: LockHolder.name(of: descriptor), "check-ins")
    }
    return try body()
  }
}
