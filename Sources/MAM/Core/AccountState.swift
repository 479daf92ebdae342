import Model
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
  package let appConfig: AppConfig
  package let certificatePins: CertificatePins
  /// Nil without policy; an account that is enrolled but has none is unmanaged.
  package let policy: CompiledPolicy?
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
  let warnings: [String]
  private let key: AccountKey

  /// `test` is the test policy that holds for it, if there is one, and holds although it may not be enrolled;
  /// `platform` is the device's.
  init(_ stored: StoredAccount, testedBy test: PolicyDocument? = nil, on platform: DevicePlatform = .ios) {
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
    let delivery = StoredDelivery(stored.documents)
    appConfig = isEnrolled ? delivery.appConfig : .empty
    certificatePins = isEnrolled ? delivery.certificatePins : .none
    let own = isEnrolled && test == nil ? delivery.policies : []
    policy = CompiledPolicy(merging: test.map { [$0] } ?? own, platform: test == nil ? stored.platform : platform)
    hasTestPolicy = test != nil
    warnings = delivery.warnings + (policy?.effective.warnings.map(\.description) ?? [])
  }

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
