import Model
import Policy
import Support

/// A registered account with its policy ready to be asked.
package final class AccountState: Sendable {
  package let account: Account
  /// The name by which it is asked about: the object id, before that is known the user principal name.
  let reference: AccountReference?
  let tenantId: String?
  package let isEnrolled: Bool
  package let isMDM: Bool
  package let enrolledAt: Timestamp?
  package let checkedInAt: Timestamp?
  package let status: EnrollmentStatus?
  /// Whether the policy is one for tests, which replaces what the tenant says.
  package let hasTestPolicy: Bool
  let position: Int
  let plan: DuePlan
  /// When the policy source last answered about it, whatever the answer was.
  package let contactedAt: Timestamp?
  let clock: ClockEntry?
  let isSignInRefused: Bool
  let signInDueAt: Timestamp?
  let wipe: StoredWipe?
  private let key: AccountKey
  let delivery: CompiledDelivery

  /// `test` is the test policy that holds for it, if there is one, and holds although it may not be enrolled;
  /// `platform` is the device's. `content` is what the stored documents say, if that is known.
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
    plan = DuePlan(stored)
    contactedAt = stored.contactedAt
    clock = stored.clock
    isSignInRefused = stored.isSignInRefused
    signInDueAt = stored.signInDueAt
    wipe = stored.wipe
    key = AccountKey(stored.account)
    hasTestPolicy = test != nil
    let origin = CompiledDelivery.Origin(
      documents: stored.documents, isEnrolled: stored.enrolledAt != nil,
      platform: test == nil ? stored.platform : platform, test: test)
    delivery = deliveries.delivery(of: origin, content)
  }

  package var appConfig: AppConfig { delivery.appConfig }
  package var certificatePins: CertificatePins { delivery.certificatePins }
  /// Nil without policy; an account that is enrolled but has none is unmanaged.
  package var policy: CompiledPolicy? { delivery.policy }
  var warnings: [String] { delivery.warnings }

  package var isManaged: Bool { policy != nil }

  /// Whether what the app holds of it is being removed. Its policy stays in force until that is done, so that what the
  /// host still shows stays restricted; nothing of it can be read or protected any more.
  package var isWiping: Bool { wipe != nil }

  /// By time, and where that is the same by registration.
  var enrollmentOrder: (Timestamp, Int) { (enrolledAt ?? .distantFuture, position) }

  package func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    key.isNamed(reference, directory)
  }
}

/// When something is to be done for an account.
struct DuePlan: Hashable, Sendable {
  /// Nil for at once.
  var checkIn: Timestamp?
  /// Of the device as the last check-in saw it.
  var deviceRevision: Int64
  /// Whether it is not a check-in that is due, but the rest of a wipe.
  var isWipe: Bool
  /// When what its time clock says grows stale; nil when it does not.
  var clockStale: Timestamp?

  init(_ account: StoredAccount) {
    checkIn = account.dueAt
    deviceRevision = account.deviceRevision
    isWipe = account.wipe != nil
    clockStale = isWipe || account.toldClock?.stale == nil ? nil : account.clock?.staleAt
  }

  /// A device that changed since makes the check-in due at once.
  func checkInDue(on device: DeviceRecord) -> Timestamp {
    guard isWipe || deviceRevision == device.revision, let checkIn else { return .atOnce }
    return checkIn
  }

  func due(on device: DeviceRecord) -> Timestamp {
    min(checkInDue(on: device), clockStale ?? .distantFuture)
  }
}

extension Timestamp {
  /// Before every time of a clock.
  static let atOnce = Timestamp(milliseconds: 0)
}

extension AccountState {
  func due(on device: DeviceRecord) -> Timestamp { plan.due(on: device) }
}
