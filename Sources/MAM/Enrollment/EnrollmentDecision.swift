import Model
import Support

/// What becomes of an account after an answer of the policy source, and what is told about it.
struct EnrollmentDecision: Sendable {
  let account: StoredAccount
  let status: EnrollmentStatus
  /// To be told after the status.
  let changes: [CoreEvent]

  /// `stored` is what was known; `mayEnroll` is false while another account is enrolled and only one may be.
  init(_ stored: StoredAccount, answer: SourceAnswer, mayEnroll: Bool, at now: Timestamp) {
    var stored = stored
    stored.checkedInAt = now
    switch answer {
    case .refusal(let code, let text): self.init(stored, refusedWith: code, text)
    case .delivery(let delivery) where stored.enrolledAt == nil && !mayEnroll:
      stored.account = delivery.account
      self.init(stored, refusedWith: .singleManagedAccountMode, EnrollmentText.singleAccount)
    case .delivery(let delivery): self.init(stored, receiving: delivery, at: now)
    }
  }

  /// The last good policy and configuration stay in force.
  private init(_ stored: StoredAccount, refusedWith code: EnrollmentStatusCode, _ text: String) {
    self.init(stored, code, text, changes: [])
  }

  private init(_ stored: StoredAccount, receiving delivery: Delivery, at now: Timestamp) {
    var new = stored
    new.account = delivery.account
    new.tenantId = delivery.tenantId
    new.isMDM = delivery.isMDM
    new.documents = delivery.documents
    new.enrolledAt = stored.enrolledAt ?? (delivery.isEmpty ? nil : now)
    let (before, after) = (AccountState(stored), AccountState(new))
    let isNews = !after.hasSamePolicy(as: before)
    var changes: [CoreEvent] = []
    if isNews { changes.append(.policyDidChange(new.account)) }
    if after.appConfig.fullData != before.appConfig.fullData { changes.append(.appConfigDidChange(new.account)) }
    let code: EnrollmentStatusCode =
      if after.isManaged {
        isNews || stored.enrolledAt == nil ? .newPoliciesReceived : .policiesHaveNotChanged
      } else {
        after.isEnrolled ? .noPolicyReceived : .licensedNotTargeted
      }
    self.init(new, code, EnrollmentText.notTargeted, changes: changes)
  }

  private init(
    _ stored: StoredAccount, _ code: EnrollmentStatusCode, _ failureText: String, changes: [CoreEvent]
  ) {
    status = EnrollmentStatus(
      accountId: stored.account.accountId, identity: stored.account.identity, statusCode: code,
      errorString: code.didSucceed ? nil : failureText)
    var stored = stored
    stored.status = status
    account = stored
    self.changes = changes
  }
}

extension AccountState {
  func hasSamePolicy(as other: AccountState) -> Bool {
    switch (policy, other.policy) {
    case (nil, nil): true
    case (let mine?, let others?): mine.hasSamePolicy(as: others)
    default: false
    }
  }
}
