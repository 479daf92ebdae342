import Model
import Policy
import SQLite
import Support

/// What becomes of an account after an answer of the policy source, and what is told about it.
struct EnrollmentDecision: Sendable {
  private(set) var account: StoredAccount
  private(set) var status: EnrollmentStatus
  /// Whether what the source delivers is other than what is stored.
  private(set) var hasNewDocuments = false
  /// Whether the enrollment is a new one, also of an account whose former one was forgotten.
  private(set) var isEnrollment = false
  private(set) var finding: Finding
  private(set) var text: String
  /// To be told after the status.
  private(set) var changes: [CoreEvent] = []
  /// What an administrator wants gone.
  private(set) var order: WipeOrder?
  /// Hides what the source delivers.
  private let test: PolicyDocument?
  private let platform: DevicePlatform
  private let deliveries: CompiledDeliveries

  /// `stored` is what was known; `mayEnroll` is false while another account is enrolled and only one may be; `test` is
  /// the test policy that holds for it.
  init(
    _ stored: StoredAccount, answer: SourceAnswer, mayEnroll: Bool, testedBy test: PolicyDocument? = nil,
    on device: DeviceRecord, among deliveries: CompiledDeliveries, at now: Timestamp
  ) {
    account = stored
    self.test = test
    self.deliveries = deliveries
    platform = device.device.platform
    status = EnrollmentStatus(stored.account, .internalError)
    switch answer {
    case .refusal(let finding, let text):
      (self.finding, self.text) = (finding, text)
    case .wipe(let order):
      (finding, text) = (order.finding, order.text)
      self.order = order
    case .delivery where stored.enrolledAt == nil && !mayEnroll:
      (finding, text) = (.otherAccount, EnrollmentText.singleAccount)
    case .delivery(let delivery):
      (finding, text) = (.nothing, EnrollmentText.notTargeted)
      receive(delivery, at: now)
    }
    conclude(wasEnrolled: stored.enrolledAt != nil, on: device, at: now)
    if StatusMeaning(of: status.statusCode).isAnswer { noteAnswer(after: stored, at: now) }
  }

  /// What the conditional launch needs to know of an answer: a later failure to reach the source changes none of it.
  private mutating func noteAnswer(after stored: StoredAccount, at now: Timestamp) {
    account.isSignInRefused = status.statusCode == .authRequired
    // Who has missed no check-in cannot have been away too long: only then is the policy read for it.
    if stored.hasMissedCheckIn(at: now), state(of: stored).wasAwayTooLong(at: now) { account.signInDueAt = now }
    guard account.isSignInRefused, order == nil else { return }
    order = state(of: stored).wipeOfDisabledUser
  }

  private mutating func receive(_ delivery: Delivery, at now: Timestamp) {
    let stored = account
    let content = delivery.content
    isEnrollment = !content.isEmpty && (stored.enrolledAt == nil || stored.isForgotten(at: now))
    account.account = delivery.account
    account.tenantId = delivery.tenantId
    account.isMDM = delivery.isMDM
    account.documents = content.texts
    account.platform = platform
    account.clock = delivery.clock
    if isEnrollment { account.enrolledAt = now }
    hasNewDocuments = account.documents != stored.documents
    let isManaged = account.enrolledAt != nil && content.policies.contains { $0.counts(on: platform) }
    let isSame = !hasNewDocuments && !isEnrollment && platform == stored.platform
    let isNews = !isSame && compare(content, with: stored)
    tellClock(at: now)
    if isManaged {
      finding = isNews || isEnrollment ? .newPolicy : .samePolicy
    } else if account.enrolledAt != nil {
      finding = .noPolicy
    }
  }

  /// Whether the source has another policy, which changes nothing where a test policy hides it.
  private mutating func compare(_ content: DeliveryContent, with stored: StoredAccount) -> Bool {
    let (before, after) = (state(of: stored), state(of: account, content))
    changes += after.policyChanges(since: before)
    if after.appConfig.fullData != before.appConfig.fullData { changes.append(.appConfigDidChange(account.account)) }
    guard test != nil else { return !after.hasSamePolicy(as: before) }
    let delivered = AccountState(account, among: deliveries, content)
    return !delivered.hasSamePolicy(as: AccountState(stored, among: deliveries))
  }

  private func state(of account: StoredAccount, _ content: DeliveryContent? = nil) -> AccountState {
    AccountState(account, testedBy: test, on: platform, among: deliveries, content)
  }

  private mutating func conclude(wasEnrolled: Bool, on device: DeviceRecord, at now: Timestamp) {
    let code = LifeRule.code(for: finding, isEnrolled: wasEnrolled)
    let meaning = StatusMeaning(of: code)
    let interval = meaning.interval ?? .day
    account.checkedInAt = now
    if meaning.isAnswer { account.contactedAt = now }
    account.failures = interval == .backOff ? account.failures + 1 : 0
    account.dueAt = now.advanced(by: interval.milliseconds(failures: account.failures))
    account.deviceRevision = device.revision
    status = EnrollmentStatus(account.account, code, code.didSucceed ? nil : text)
    account.status = status
  }
}

extension EnrollmentDecision {
  /// Tells when the clock status is another one than was told last.
  private mutating func tellClock(at now: Timestamp) {
    guard account.clock != nil || account.toldClock != nil else { return }
    if let event = account.tellClock(state(of: account), at: now) { changes.append(event) }
  }
}

extension StoredAccount {
  /// Remembers the clock status, and returns the event when it is another one than was told last. `state` is what
  /// questions read of it.
  mutating func tellClock(_ state: AccountState, at now: Timestamp) -> CoreEvent? {
    let status = state.clockStatus(at: now) ?? .notConfigured
    defer { toldClock = status }
    return status == toldClock ?? .notConfigured ? nil : .userStatusDidChange(account)
  }

  fileprivate func hasMissedCheckIn(at now: Timestamp) -> Bool {
    guard enrolledAt != nil, let last = contactedAt ?? enrolledAt else { return false }
    return last.advanced(by: CheckInInterval.halfHour.milliseconds(failures: 0)) < now
  }

  /// Whether the source answered so long ago that it has forgotten the registration.
  fileprivate func isForgotten(at now: Timestamp) -> Bool {
    guard let last = contactedAt ?? checkedInAt ?? enrolledAt else { return false }
    return last.advanced(by: CheckInInterval.registrationLifetime) <= now
  }
}

extension AccountState {
  /// What hosts are told when this is the policy now.
  func policyChanges(since before: AccountState) -> [CoreEvent] {
    (hasSamePolicy(as: before) ? [] : [.policyDidChange(account)])
      + (protectsOtherwise(than: before) ? [.dataProtectionDidChange(account)] : [])
  }

  /// Whether data that is protected already is to be protected anew. An account that becomes managed has none yet, and
  /// one that ceases to be cannot protect.
  func protectsOtherwise(than other: AccountState) -> Bool {
    isManaged && other.isManaged && requiresEncryption != other.requiresEncryption
  }

  private var requiresEncryption: Bool {
    PolicyQuestions(policy: policy, account: reference).isFileEncryptionRequired.value
  }

  func hasSamePolicy(as other: AccountState) -> Bool {
    switch (policy, other.policy) {
    case (nil, nil): true
    case (let mine?, let others?): mine.hasSamePolicy(as: others)
    default: false
    }
  }
}

extension EnrollmentStatus {
  init(_ account: Account, _ code: EnrollmentStatusCode, _ text: String? = nil) {
    self.init(accountId: account.accountId, identity: account.identity, statusCode: code, errorString: text)
  }
}

extension StoreTransaction {
  /// What the account is then.
  @discardableResult
  func carryOut(_ decision: EnrollmentDecision, telling event: CoreEvent) throws(SQLiteError) -> StoredAccount {
    var account = decision.account
    if decision.hasNewDocuments || account.position == 0 {
      account.position = try save(account)
    } else {
      try saveWithoutDocuments(account)
    }
    try append(event)
    for change in decision.changes { try append(change) }
    return try decision.order.map { order throws(SQLiteError) in try begin(order, of: account) } ?? account
  }
}
