import Model
import Policy
import SQLite
import Support

/// What happens to an account after an answer of the policy source, and which events report it.
struct EnrollmentDecision: Sendable {
  private(set) var account: StoredAccount
  private(set) var status: EnrollmentStatus
  /// Whether the source delivers documents that differ from those stored.
  private(set) var hasNewDocuments = false
  /// Whether the answer enrolls the account, for the first time or again after the source has forgotten it.
  private(set) var isEnrollment = false
  private(set) var finding: Finding
  private(set) var text: String
  /// The events to send after the status.
  private(set) var changes: [CoreEvent] = []
  /// The wipe to begin; `nil` for none.
  private(set) var order: WipeOrder?
  /// The test policy, which hides the policy of the source.
  private let test: PolicyDocument?
  private let platform: DevicePlatform
  private let deliveries: CompiledDeliveries
  /// When the source wants the next check-in; `nil` for the usual time.
  private var due: Timestamp?
  /// The source refuses a check-in before this time; `nil` if it does not say so.
  private var earliest: Timestamp?

  /// `stored` is the account before the answer. `hold` is what the source says about wipes. `place` says whether it may
  /// enroll if it is not enrolled. `test` is the test policy that applies to the account.
  init(
    _ stored: StoredAccount, answer: AccountAnswer, _ hold: HoldNews, in place: EnrollmentPlace,
    testedBy test: PolicyDocument? = nil,
    on device: DeviceRecord, for level: SDKLevel = .sdk19, among deliveries: CompiledDeliveries, at time: StateTime
  ) {
    let now = time.now
    account = stored
    self.test = test
    self.deliveries = deliveries
    platform = device.device.platform
    status = stored.status(.internalError)
    let answer = account.hold(hold, answer)
    if case .delivery = answer { account.isBlocked = false }
    switch answer {
    case .refusal(.otherMDMUser, _) where stored.enrolledAt == nil && place == .confined:
      (finding, text) = (.otherAccount, place.text)
    case .refusal(let finding, let text):
      (self.finding, self.text) = (finding, text)
    case .fault(let fault):
      (finding, text) = (fault.finding, fault.text)
      earliest = fault.retryAfter.map { now.advanced(by: $0.milliseconds) }
    case .wipe(let order):
      (finding, text) = (order.finding, order.text)
      self.order = order
      account.isBlocked = finding == .blockedUser
    case .delivery(let delivery) where stored.enrolledAt == nil && delivery.barsEnrollment:
      (finding, text) = (.managedDevice, EnrollmentText.managedDevice)
    case .delivery where stored.enrolledAt == nil && place != .free:
      (finding, text) = (.otherAccount, place.text)
    case .delivery(let delivery):
      (finding, text) = (.nothing, EnrollmentText.notTargeted)
      receive(delivery, at: time)
      due = delivery.nextCheckIn.map { now.advanced(by: $0.milliseconds) }
    }
    conclude(wasEnrolled: stored.enrolledAt != nil, on: device, at: time)
    if isAnswered { noteAnswer(after: stored, at: time) }
    status = status.read(on: platform, at: level, isEnrolled: account.enrolledAt != nil)
    if order != nil || account.heldWipe != nil { status.access = .block }
    status.lacksToken = finding.isOfToken
  }

  /// Whether the source answered about the account. A refusal of the token, or of a user whom the source does not list, is
  /// no answer.
  private var isAnswered: Bool { finding.saysSomething && StatusMeaning(of: status.statusCode).isAnswer }

  /// Notes what the conditional launch needs to know about an answer. A later failure to reach the source does not change
  /// these notes.
  private mutating func noteAnswer(after stored: StoredAccount, at time: StateTime) {
    account.isSignInRefused = finding.refusesSignIn
    // An account that missed no check-in cannot have been away too long, so its policy need not be read.
    if stored.hasMissedCheckIn(at: time.now) {
      let before = state(of: stored)
      if before.wasAwayTooLong(at: time.now) { account.signInDueAt = time.now }
      if before.wasAwayTooLong(byCounted: time.counted) { account.signInOwedAt = time.now }
    }
    guard account.isSignInRefused, order == nil else { return }
    order = state(of: stored).wipeOfDisabledUser
    guard let held = order?.reason, account.hold != nil else { return }
    (order, account.heldWipe) = (nil, account.heldWipe ?? held)
    status = account.status(status.statusCode, [text, EnrollmentText.held(held, account.hold)].joined(separator: " "))
    account.status = status
  }

  private mutating func receive(_ delivery: Delivery, at time: StateTime) {
    let (stored, now) = (account, time.now)
    let content = delivery.content
    isEnrollment = !content.isEmpty && (stored.enrolledAt == nil || stored.isForgotten(atCounted: time.counted))
    account.takeNames(of: delivery.account)
    account.tenantId = delivery.tenantId
    account.isMDM = delivery.isMDM
    account.documents = delivery.unchangedDocuments ?? content.texts
    (account.etag, account.etagVersion) = (delivery.etag ?? "", delivery.etag == nil ? "" : delivery.version)
    account.platform = platform
    account.clock = delivery.clock
    if isEnrollment { account.enrolledAt = now }
    hasNewDocuments = account.documents != stored.documents
    let isManaged = account.enrolledAt != nil && content.policies.contains { $0.counts(on: platform) }
    let isSame = !hasNewDocuments && !isEnrollment && platform == stored.platform
    let isNews = !isSame && compare(content, with: stored)
    reportClock(at: now)
    if isManaged {
      finding = isNews || isEnrollment ? .newPolicy : .samePolicy
    } else if account.enrolledAt != nil {
      finding = .noPolicy
    }
  }

  /// Adds an event for each change of policy, configuration or management. Returns whether the policy of the source has
  /// changed, even if a test policy hides the change.
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

  private mutating func conclude(wasEnrolled: Bool, on device: DeviceRecord, at time: StateTime) {
    let now = time.now
    let rule = LifeRule.rule(for: finding, isEnrolled: wasEnrolled)
    let (code, interval) = (rule?.code ?? .internalError, rule?.interval ?? .day)
    account.checkedInAt = now
    if StatusMeaning(of: code).isAnswer, finding.saysSomething {
      (account.contactedAt, account.countedContactAt) = (now, time.counted)
    }
    account.failures = interval.grows ? account.failures + 1 : 0
    let wanted = due ?? now.advanced(by: interval.milliseconds(failures: account.failures))
    account.dueAt = earliest.map { max($0, wanted) } ?? wanted
    account.deviceRevision = device.revision
    status = account.status(code, code.didSucceed ? nil : text)
    account.status = status
  }
}

extension EnrollmentDecision {
  /// Adds an event if the clock status differs from the one that was reported last.
  private mutating func reportClock(at now: Timestamp) {
    guard account.clock != nil || account.toldClock != nil else { return }
    if let event = account.reportClock(state(of: account), at: now) { changes.append(event) }
  }
}

extension StoredAccount {
  /// Notes the clock status as reported, and returns an event if it differs from the one that was reported last.
  /// `state` is the state of the account that questions read.
  mutating func reportClock(_ state: AccountState, at now: Timestamp) -> CoreEvent? {
    let status = state.clockStatus(at: now) ?? .notConfigured
    defer { toldClock = status }
    return status == toldClock ?? .notConfigured ? nil : .userStatusDidChange(account)
  }

  /// Takes over what the source says about wipes. Returns the answer with a refusal in place of a wipe that must wait.
  fileprivate mutating func hold(_ news: HoldNews, _ answer: AccountAnswer) -> AccountAnswer {
    switch news {
    case .nothing:
      // For example from an older replica of a service, which knows of no hold.
      guard let hold, let reason = answer.orderedWipe else { return answer }
      return wait(for: reason, hold)
    case .lifted:
      (hold, heldWipe) = (nil, nil)
      return answer
    case .held(let said):
      hold = said.hold
      guard let reason = answer.orderedWipe ?? (said.isOrdered ? .administrator() : nil) else {
        // A check-in decides about other wipes below, if it is answered, and the next launch about the rest.
        heldWipe = heldWipe.flatMap { $0.isOfLaunch || answer.isFault && $0.cause == .policy ? $0 : nil }
        return answer
      }
      return wait(for: reason, said.hold)
    }
  }

  private mutating func wait(for reason: WipeReason, _ hold: WipeHold) -> AccountAnswer {
    heldWipe = reason
    return .refusal(.heldWipe, EnrollmentText.held(reason, hold))
  }

  fileprivate func hasMissedCheckIn(at now: Timestamp) -> Bool {
    guard enrolledAt != nil, let last = contactedAt ?? enrolledAt else { return false }
    return last.advanced(by: CheckInInterval.halfHour.milliseconds(failures: 0)) < now
  }

  /// Whether the source has forgotten the registration, because its last answer is too old.
  fileprivate func isForgotten(atCounted now: Timestamp) -> Bool {
    guard let last = countedContactAt ?? contactedAt ?? checkedInAt ?? enrolledAt else { return false }
    return last.advanced(by: CheckInInterval.registrationLifetime) <= now
  }
}

extension AccountAnswer {
  /// Why the source wants a wipe; `nil` if it does not.
  fileprivate var orderedWipe: WipeReason? { if case .wipe(let order) = self { order.reason } else { nil } }

  fileprivate var isFault: Bool { if case .fault = self { true } else { false } }
}

extension AccountState {
  /// The events for hosts if this state replaces `before`.
  func policyChanges(since before: AccountState) -> [CoreEvent] {
    (hasSamePolicy(as: before) ? [] : [.policyDidChange(account)])
      + (protectsOtherwise(than: before) ? [.dataProtectionDidChange(account)] : [])
      + (before.isManaged && !isManaged ? [.managementRemoved(account)] : [])
  }

  /// Whether protected data must be protected again. An account that becomes managed has no protected data yet, and an
  /// account that is no longer managed cannot protect data.
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
  /// Stores a decision about an answer of `source` with its events, and begins its wipe. Returns the account afterwards.
  @discardableResult
  func carryOut(
    _ decision: EnrollmentDecision, of source: SourceCapabilities, telling event: CoreEvent
  ) throws(SQLiteError) -> StoredAccount {
    var account = decision.account
    account.revision += 1
    let before = try accounts().account(at: account.position)
    if before?.account != account.account { try nameRegistration(of: account.account) }
    if account.enrolledAt != before?.enrolledAt {
      account.enrolledAt = try timeInOrder(account.enrolledAt)
      if !source.isForDevelopment { try noteEnrolledElsewhere() }
    }
    if decision.hasNewDocuments || account.position == 0 {
      account.position = try save(account)
    } else {
      try saveWithoutDocuments(account)
    }
    try append(event)
    if account.clock?.status != .clockedOut, try blocks().reason(of: account.account) == .clockedOut {
      try endBlock(of: account.account)
    }
    for change in decision.changes { try append(change) }
    if decision.order == nil { try announceHold(of: account, before: before) }
    return try decision.order.map { order throws(SQLiteError) in try begin(order, of: account) } ?? account
  }

  /// Blocks an account whose wipe begins to wait, so that hosts hide it. When the wipe no longer waits, sends an event, so
  /// that hosts evaluate the account again.
  private func announceHold(of account: StoredAccount, before: StoredAccount?) throws(SQLiteError) {
    guard account.enrolledAt != nil, (account.heldWipe == nil) != (before?.heldWipe == nil) else { return }
    if account.heldWipe != nil { return try block(account.account, .conditionalLaunchBlocked) }
    try append(.policyDidChange(account.account))
  }

  /// The time of an enrollment, moved after all earlier enrollments if the clock stands still or went back. So the account
  /// that was enrolled first stays the first.
  private func timeInOrder(_ time: Timestamp?) throws(SQLiteError) -> Timestamp? {
    guard let time, let latest = try accounts().lazy.compactMap(\.enrolledAt).max() else { return time }
    return max(time, latest.advanced(by: 1))
  }
}
