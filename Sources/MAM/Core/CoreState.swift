import Model
import Support

/// What questions read: made whole from the store, never changed in place.
package final class CoreState: Sendable {
  /// In the order of registration.
  package let accounts: [AccountState]
  package let directory: AccountDirectory
  let latestTime: Timestamp?
  /// The number of the newest event; 0 when there was none yet.
  let newestEvent: Int64
  /// Those in force, overrides included.
  package let settings: Settings
  /// What in the store could not be used, each once.
  let warnings: [String]
  /// The account that was enrolled first.
  package let primaryAccount: AccountState?
  /// The account whose policy holds where no identity is set: the enrolled one, in a multi-identity app nobody's.
  package let effectiveAccount: AccountState?
  let deviceRecord: DeviceRecord
  /// Nil when the administrator set none.
  package let allowedAccounts: [Account]?
  /// When the next account checks in; nil while none is registered. In the past for what is due at once.
  let nextDue: Timestamp?
  let signIns: SignIns
  let requiresPolicy: Bool
  let hasManagedAccount: Bool

  convenience init(configuration: CoreConfiguration) {
    self.init(
      accounts: [], directory: AccountDirectory([:]), latestTime: nil, newestEvent: 0, DeviceRecord(), nil,
      SignIns(), configuration.settings)
  }

  /// `former` is what was read before: policies that are still the same are not compiled again.
  convenience init(
    _ stored: StoredState, _ device: DeviceRecord, after former: CoreState? = nil, configuration: CoreConfiguration
  ) {
    let tests = TestPolicies(stored: stored.testPolicies, configured: configuration.debugSettings)
    let directory = AccountDirectory(stored.directory)
    let accounts = stored.accounts.map { account in
      AccountState(
        account, testedBy: tests.policy(of: account, directory), on: device.device.platform,
        after: former?.accounts.first { $0.position == account.position })
    }
    self.init(
      accounts: accounts, directory: directory, latestTime: stored.latestTime, newestEvent: stored.newestEvent, device,
      stored.allowedAccounts, stored.signIns, configuration.settings.overridden(by: stored.overrides), tests.warnings)
  }

  private init(
    accounts: [AccountState], directory: AccountDirectory, latestTime: Timestamp?,
    newestEvent: Int64, _ device: DeviceRecord, _ allowedAccounts: [Account]?, _ signIns: SignIns,
    _ settings: Settings, _ warnings: [String] = []
  ) {
    deviceRecord = device
    self.signIns = signIns
    self.allowedAccounts = allowedAccounts
    nextDue = accounts.map { $0.due(on: device) }.min()
    self.accounts = accounts
    self.directory = directory
    self.latestTime = latestTime
    self.newestEvent = newestEvent
    self.settings = settings
    var seen: Set<String> = []
    self.warnings = (accounts.flatMap(\.warnings) + settings.warnings + warnings).filter { seen.insert($0).inserted }
    primaryAccount =
      accounts.firstEnrolled { $0.isEnrolled && !$0.isWiping } ?? accounts.firstEnrolled(where: \.isEnrolled)
    effectiveAccount = settings.bool(.multiIdentity) ? nil : primaryAccount
    requiresPolicy = settings.bool(.mamPolicyRequired)
    hasManagedAccount = accounts.contains(where: \.isManaged)
  }

  package var device: Device { deviceRecord.device }
  /// When a wipe is to be tried again; nil when there is none.
  var nextWipe: Timestamp? { accounts.filter(\.isWiping).map { $0.due(on: deviceRecord) }.min() }
  /// Of those that are not being wiped.
  var nextCheckIn: Timestamp? { accounts.filter { !$0.isWiping }.map { $0.due(on: deviceRecord) }.min() }

  package var enrolledAccounts: [AccountState] { accounts.filter(\.isEnrolled) }
  package var managedAccounts: [AccountState] { accounts.filter(\.isManaged) }

  /// Any managed account, or the setting that there must be one.
  package var isManagementEnabled: Bool { managementDecision.value }

  /// Of the account that was enrolled first among those with a policy; a test policy is neither's.
  package var policySource: PolicySource {
    guard let account = accounts.firstEnrolled(where: \.isManaged), !account.hasTestPolicy else { return .other }
    return account.isMDM ? .mdm : .mam
  }

  /// The registered account of that name; nil for no user and for one that is not registered.
  package func account(_ reference: AccountReference) -> AccountState? {
    accounts.first { $0.isNamed(reference, directory) }
  }

  /// Refuses while a policy is required and none is there.
  package func checkPolicyIsThere() throws(MAMError) {
    guard requiresPolicy, !hasManagedAccount else { return }
    throw MAMError(
      .policyRequired, "MAMPolicyRequired is set and no account has a policy",
      hint: "Enroll an account with a policy: enrollmentManager.registerAndEnrollAccount")
  }
}

extension [AccountState] {
  fileprivate func firstEnrolled(where condition: (AccountState) -> Bool) -> AccountState? {
    filter(condition).min { $0.enrollmentOrder < $1.enrollmentOrder }
  }
}
