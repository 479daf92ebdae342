import Model
import Policy
import Support

/// A registered account, with its policy ready for questions.
package final class AccountState: Sendable {
  package let account: Account
  /// The name for questions: the object id or, while it is unknown, the user principal name.
  let reference: AccountReference?
  let tenantId: String?
  package let isEnrolled: Bool
  package let isMDM: Bool
  package let enrolledAt: Timestamp?
  package let checkedInAt: Timestamp?
  package let status: EnrollmentStatus?
  /// Whether the policy is a test policy, which replaces what the tenant says.
  package let hasTestPolicy: Bool
  let position: Int
  /// The `StoredAccount.revision`.
  let revision: Int64
  let plan: DuePlan
  /// When the policy source last answered about the account, whatever the answer was.
  package let contactedAt: Timestamp?
  let clock: ClockEntry?
  let isSignInRefused: Bool
  let signInDueAt: Timestamp?
  let wipe: StoredWipe?
  private let etag: String
  private let etagVersion: String
  private let platform: DevicePlatform
  private let key: AccountKey
  let delivery: CompiledDelivery

  /// `test` is the test policy for the account, if there is one; it applies even if the account is not enrolled.
  /// `platform` is the platform of the device. `content` is the content of the stored documents, if it is known.
  init(
    _ stored: StoredAccount, testedBy test: PolicyDocument? = nil, on platform: DevicePlatform = .ios,
    among deliveries: CompiledDeliveries, _ content: DeliveryContent? = nil
  ) {
    account = stored.account
    reference = stored.account.reference
    tenantId = stored.tenantId
    isEnrolled = stored.enrolledAt != nil
    isMDM = stored.isMDM
    enrolledAt = stored.enrolledAt
    checkedInAt = stored.checkedInAt
    status = stored.status
    position = stored.position
    revision = stored.revision
    plan = DuePlan(stored)
    contactedAt = stored.contactedAt
    clock = stored.clock
    isSignInRefused = stored.isSignInRefused
    signInDueAt = stored.signInDueAt
    wipe = stored.wipe
    (etag, etagVersion, self.platform) = (stored.etag, stored.etagVersion, stored.platform)
    key = AccountKey(stored.account)
    hasTestPolicy = test != nil
    let origin = CompiledDelivery.Origin(
      documents: stored.documents, isEnrolled: stored.enrolledAt != nil,
      platform: test == nil ? stored.platform : platform, test: test)
    delivery = deliveries.delivery(of: origin, content)
  }

  /// The same account with another policy.
  init(_ account: AccountState, with policy: CompiledPolicy?) {
    self.account = account.account
    reference = account.reference
    tenantId = account.tenantId
    isEnrolled = account.isEnrolled
    isMDM = account.isMDM
    enrolledAt = account.enrolledAt
    checkedInAt = account.checkedInAt
    status = account.status
    position = account.position
    revision = account.revision
    plan = account.plan
    contactedAt = account.contactedAt
    clock = account.clock
    isSignInRefused = account.isSignInRefused
    signInDueAt = account.signInDueAt
    wipe = account.wipe
    (etag, etagVersion, platform) = (account.etag, account.etagVersion, account.platform)
    key = account.key
    hasTestPolicy = account.hasTestPolicy
    delivery = account.delivery.with(policy)
  }

  package var appConfig: AppConfig { delivery.appConfig }
  package var certificatePins: CertificatePins { delivery.certificatePins }
  /// `nil` without a policy. An enrolled account without a policy is unmanaged.
  package var policy: CompiledPolicy? { delivery.policy }
  var warnings: [String] { delivery.warnings }

  package var isManaged: Bool { policy != nil }

  /// Whether the account's data in this app is being removed. Until that is done, the policy stays in effect, so that
  /// whatever the host still shows stays restricted. The data can no longer be read or protected.
  package var isWiping: Bool { wipe != nil }

  /// The name of what a source outside of this process delivered last; `nil` if it must deliver everything. Another
  /// version of the program may understand more of it.
  func etag(on platform: DevicePlatform, version: String) -> String? {
    isEnrolled && !etag.isEmpty && platform == self.platform && version == etagVersion ? etag : nil
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
