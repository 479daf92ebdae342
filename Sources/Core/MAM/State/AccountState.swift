import Model
import Policy
import Support

/// A registered account, with its policy ready for questions.
package final class AccountState: Sendable {
  /// `nil` for an account that is not, or not yet, in the store like this.
  private let row: KnownAccount?
  /// The stored account without its documents.
  private let stored: StoredAccount
  private let key: AccountKey
  /// The name for questions: the object id or, while it is unknown, the user principal name.
  let reference: AccountReference?
  let plan: DuePlan
  /// Whether the policy is a test policy, which replaces what the tenant says.
  package let hasTestPolicy: Bool
  let delivery: CompiledDelivery

  /// `test` is the test policy for the account, if there is one; it applies even if the account is not enrolled.
  /// `platform` is the platform of the device. `content` is the content of the stored documents, if it is known.
  convenience init(
    _ stored: StoredAccount, testedBy test: PolicyDocument? = nil, on platform: DevicePlatform = .ios,
    among deliveries: CompiledDeliveries, _ content: DeliveryContent? = nil
  ) {
    self.init(nil, stored, testedBy: test, on: platform, among: deliveries, content)
  }

  convenience init(
    _ row: KnownAccount, testedBy test: PolicyDocument?, on platform: DevicePlatform,
    among deliveries: CompiledDeliveries
  ) {
    self.init(row, row.stored, testedBy: test, on: platform, among: deliveries, nil)
  }

  private init(
    _ row: KnownAccount?, _ stored: StoredAccount, testedBy test: PolicyDocument?, on platform: DevicePlatform,
    among deliveries: CompiledDeliveries, _ content: DeliveryContent?
  ) {
    self.row = row
    var facts = stored
    facts.documents = [:]
    self.stored = facts
    key = AccountKey(stored.account)
    reference = stored.account.reference
    plan = DuePlan(stored)
    hasTestPolicy = test != nil
    let origin = CompiledDelivery.Origin(
      documents: stored.documents, isEnrolled: stored.enrolledAt != nil,
      platform: test == nil ? stored.platform : platform, test: test)
    delivery = deliveries.delivery(of: origin, content)
  }

  /// The same account with another policy.
  init(_ account: AccountState, with policy: CompiledPolicy?) {
    row = nil
    (stored, key, reference, plan) = (account.stored, account.key, account.reference, account.plan)
    hasTestPolicy = account.hasTestPolicy
    delivery = account.delivery.with(policy)
  }

  /// Whether this is the state of these rows, apart from test policies and the platform of the device.
  func isState(of row: KnownAccount) -> Bool { self.row === row }

  package var account: Account { stored.account }
  /// Whether the user had this name before the user was renamed.
  func wasCalled(_ reference: AccountReference) -> Bool {
    stored.formerIdentity.map { $0.lowercasedASCII == reference.key } ?? false
  }
  var tenantId: String? { stored.tenantId }
  package var isEnrolled: Bool { stored.enrolledAt != nil }
  package var isMDM: Bool { stored.isMDM }
  package var enrolledAt: Timestamp? { stored.enrolledAt }
  package var checkedInAt: Timestamp? { stored.checkedInAt }
  package var status: EnrollmentStatus? { stored.status }
  var position: Int { stored.position }
  /// The `StoredAccount.revision`.
  var revision: Int64 { stored.revision }
  /// When the policy source last answered about the account, whatever the answer was.
  package var contactedAt: Timestamp? { stored.contactedAt }
  var countedContactAt: Timestamp? { stored.countedContactAt }
  var clock: ClockEntry? { stored.clock }
  var isSignInRefused: Bool { stored.isSignInRefused }
  var signInDueAt: Timestamp? { stored.signInDueAt }
  var signInOwedAt: Timestamp? { stored.signInOwedAt }
  var wipe: StoredWipe? { stored.wipe }
  /// Why and since when wipes are on hold; `nil` if they are not.
  package var hold: WipeHold? { stored.hold }
  /// Why the account would be wiped if wipes were not on hold; `nil` if it would not.
  var heldWipe: WipeReason? { stored.heldWipe }

  package var appConfig: AppConfig { delivery.appConfig }
  package var certificatePins: CertificatePins { delivery.certificatePins }
  /// `nil` without a policy. An enrolled account without a policy is unmanaged.
  package var policy: CompiledPolicy? { delivery.policy }
  var warnings: [String] { delivery.warnings }

  package var isManaged: Bool { policy != nil }

  /// Whether the account's data in this app is being removed. Until that is done, the policy stays in effect, so that
  /// whatever the host still shows stays restricted. The data can no longer be read or protected.
  package var isWiping: Bool { wipe != nil }

  /// Whether nothing of the account can be read or protected: it is being wiped, or would be if wipes were not on hold.
  var isShut: Bool { isWiping || heldWipe != nil }

  /// The name of what a source outside of this process delivered last; `nil` if it must deliver everything. Another
  /// version of the program may understand more of it.
  func etag(on platform: DevicePlatform, version: String) -> String? {
    let isUsable = isEnrolled && !stored.etag.isEmpty && platform == stored.platform && version == stored.etagVersion
    return isUsable ? stored.etag : nil
  }

  /// By the time of enrollment, then by the order of registration.
  var enrollmentOrder: (Timestamp, Int) { (enrolledAt ?? .distantFuture, position) }

  package func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    key.isNamed(reference, directory)
  }
}

/// When the next work for an account is due.
struct DuePlan: Hashable, Sendable {
  /// `nil` for at once.
  var checkIn: Timestamp?
  /// The revision of the device that the last check-in saw.
  var deviceRevision: Int64
  /// Whether the rest of a wipe is due instead of a check-in.
  var isWipe: Bool
  /// When the clock status of the user becomes stale; `nil` if it does not.
  var clockStale: Timestamp?

  init(_ account: StoredAccount) {
    checkIn = account.dueAt
    deviceRevision = account.deviceRevision
    isWipe = account.wipe != nil
    clockStale = isWipe || account.toldClock?.stale == nil ? nil : account.clock?.staleAt
  }

  /// Due at once if the device has changed since the last check-in.
  func checkInDue(on device: DeviceRecord) -> Timestamp {
    guard isWipe || deviceRevision == device.revision, let checkIn else { return .atOnce }
    return checkIn
  }

  func due(on device: DeviceRecord) -> Timestamp {
    min(checkInDue(on: device), clockStale ?? .distantFuture)
  }
}

extension Timestamp {
  /// Earlier than any time of a clock.
  static let atOnce = Timestamp(milliseconds: 0)
}

extension AccountState {
  func due(on device: DeviceRecord) -> Timestamp { plan.due(on: device) }
}
