import Model
import Policy
import Support

/// A registered account as the store holds it.
struct StoredAccount: Equatable, Sendable {
  /// What the policy source sent for an account, each kind in its order.
  enum DocumentKind: String, CaseIterable, Sendable {
    case policy, configuration, certificatePins
  }

  /// In the order of registration; 0 before the first save.
  var position = 0
  var account: Account
  /// Nil while the policy source has not told it.
  var tenantId: String?
  /// Nil when it is registered only.
  var enrolledAt: Timestamp?
  var isMDM = false
  var status: EnrollmentStatus?
  var checkedInAt: Timestamp?
  /// When the policy source last answered about it, whatever the answer was; nil before the first time.
  var contactedAt: Timestamp?
  /// When it is to check in next; nil for at once.
  var dueAt: Timestamp?
  /// How many check-ins in a row found no network.
  var failures = 0
  /// The platform for which the documents were chosen.
  var platform = DevicePlatform.ios
  /// The `DeviceRecord.revision` that the last check-in saw.
  var deviceRevision: Int64 = 0
  var clock: ClockEntry?
  /// What hosts were told last, or could read at the last check-in.
  var toldClock: ClockStatus?
  /// Whether the policy source's last answer was that the user is unknown or disabled.
  var isSignInRefused = false
  /// When the source answered an app that had been away for too long: a sign-in before that does not count. Nil where
  /// that never happened.
  var signInDueAt: Timestamp?
  var documents: [DocumentKind: [String]] = [:]
  /// Nil but while what the app holds of it is being removed.
  var wipe: StoredWipe?
}

extension StoredAccount {
  /// By what it is asked for at the policy source: the object id, before that is known the name.
  var reference: AccountReference { AccountReference(account.accountId ?? account.identity ?? "") }

  func isNamed(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    AccountKey(account).isNamed(reference, directory)
  }

  /// Takes over what has become known of the account: its object id, another user principal name.
  mutating func takeNames(from directory: AccountDirectory) {
    let known = directory.account(of: reference)
    account = Account(accountId: known.accountId, identity: known.identity ?? account.identity)
  }
}
