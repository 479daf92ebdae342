import Model
import SQLite
import Support

/// What becomes of an account after an answer of the policy source, and what is told about it.
///
/// The first line that fits decides. Who the user is comes first, then what the administrator grants, then what this
/// app allows: the text of a status never leads to a step after which another one would still refuse. A refusal leaves
/// everything as it was: an enrolled account keeps its last good policy, any other stays registered only.
///
/// | found | status |
/// |---|---|
/// | no policy source | 204 |
/// | a file of it does not parse | 206 |
/// | the user is not listed, or disabled | 203 |
/// | the device is managed for another user | 210 |
/// | the user has no license | 200 |
/// | not enrolled yet, another account is, and one may be | 227 |
/// | a policy, and it is new, or the account is | 100 |
/// | a policy, the same as before | 101 |
/// | no policy, but configuration, or the account was enrolled before | 103 |
/// | neither | 225, registered only |
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
    case .refusal(let code, let text):
      self.init(stored, code, text)
    case .delivery where stored.enrolledAt == nil && !mayEnroll:
      self.init(stored, .singleManagedAccountMode, EnrollmentText.singleAccount)
    case .delivery(let delivery):
      self.init(stored, receiving: delivery, at: now)
    }
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
    if after.protectsOtherwise(than: before) { changes.append(.dataProtectionDidChange(new.account)) }
    if after.appConfig.fullData != before.appConfig.fullData { changes.append(.appConfigDidChange(new.account)) }
    let code: EnrollmentStatusCode =
      if after.isManaged {
        isNews ? .newPoliciesReceived : .policiesHaveNotChanged
      } else {
        after.isEnrolled ? .noPolicyReceived : .licensedNotTargeted
      }
    self.init(new, code, EnrollmentText.notTargeted, changes: changes)
  }

  private init(
    _ stored: StoredAccount, _ code: EnrollmentStatusCode, _ failureText: String, changes: [CoreEvent] = []
  ) {
    status = EnrollmentStatus(stored.account, code, code.didSucceed ? nil : failureText)
    var stored = stored
    stored.status = status
    account = stored
    self.changes = changes
  }
}

extension AccountState {
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
  func carryOut(_ decision: EnrollmentDecision, telling event: CoreEvent) throws(SQLiteError) {
    try save(decision.account)
    try append(event)
    for change in decision.changes { try append(change) }
  }
}
