import Model
import Policy
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

  convenience init(
    _ stored: StoredState, _ device: DeviceRecord, among deliveries: CompiledDeliveries,
    configuration: CoreConfiguration
  ) {
    let tests = TestPolicies(stored: stored.testPolicies, configured: configuration.debugSettings)
    let directory = AccountDirectory(stored.directory)
    let accounts = stored.accounts.map { account in
      AccountState(
        account, testedBy: tests.policy(of: account, directory), on: device.device.platform, among: deliveries)
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

extension CoreState: AccountPolicies {
  package func policy(of account: AccountReference) -> CompiledPolicy? { self.account(account)?.policy }

  package func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool {
    directory.areEqual(first, second)
  }

  package var managed: [ManagedAccount] {
    accounts.compactMap { account in account.policy.map { ManagedAccount(account.reference, $0) } }
  }

  package var effective: AccountReference? { effectiveAccount?.reference }

  package func standing(of reference: AccountReference) -> AccountStanding {
    guard let known = account(reference) else { return AccountStanding(directory.account(of: reference)) }
    return AccountStanding(
      known.account, known.isEnrolled ? .enrolled : .registered, isWiping: known.isWiping, status: known.status,
      appConfig: known.appConfig)
  }

  /// What can be asked about an account; without one about that which holds where no identity is set. Refuses while a
  /// policy is required and none is there.
  package func questions(about reference: AccountReference?) throws(MAMError) -> PolicyQuestions {
    try checkPolicyIsThere()
    return questionsUnchecked(about: reference)
  }

  /// For who has checked that.
  func questionsUnchecked(about reference: AccountReference?) -> PolicyQuestions {
    guard let reference else {
      let account = effectiveAccount
      return PolicyQuestions(policy: account?.policy, account: account?.reference)
    }
    return PolicyQuestions(policy: policy(of: reference), account: reference)
  }
}

extension CoreState {
  /// The configuration of an account; no user has none.
  package func appConfig(of reference: AccountReference?) -> AppConfig {
    reference.flatMap(account)?.appConfig ?? .empty
  }
}

extension CoreState {
  /// Any managed account, or the setting that there must be one.
  package var managementDecision: Decision<Bool> {
    guard !hasManagedAccount else { return Decision(true, .someAccountIsManaged) }
    return requiresPolicy ? Decision(true, .managementIsRequired) : Decision(false, .noAccountIsManaged)
  }

  /// No user is never managed.
  package func isManaged(_ reference: AccountReference?) -> Decision<Bool> {
    let isManaged = reference.flatMap(account)?.isManaged ?? false
    return Decision(isManaged, isManaged ? .accountIsManaged : .accountIsNotManaged)
  }
}

extension CoreState {
  /// The whole policy of an account; without one of that which holds where no identity is set, which may be nobody.
  package func report(about reference: AccountReference?) throws(MAMError) -> PolicyReport {
    let questions = try questions(about: reference)
    let account = questions.account.map(named) ?? Account(accountId: nil, identity: nil)
    return questions.report(of: account, devicePINIsSet: device.devicePinSet)
  }
}

extension CoreState {
  /// With both halves as far as they are known.
  package func named(_ reference: AccountReference) -> Account {
    account(reference)?.account ?? directory.account(of: reference)
  }

  /// The identity of the process: what was set, in a single identity app else the enrolled account.
  package func processIdentity(_ identity: AccountReference?) -> Account? {
    identity.map(named) ?? effectiveAccount?.account
  }

  /// Whether the device is known to have a managed app for a scheme in lower case.
  package func isSchemeOfManagedApp(_ scheme: String) -> Bool {
    device.managedAppSchemes.contains { $0.lowercasedASCII == scheme }
  }

  /// Whether a window may show the account beside the enrolled ones: one account of a tenant is enough, unless the
  /// setting MultipleManagedAccounts says otherwise.
  func mayShow(_ reference: AccountReference) -> Bool {
    guard !settings.bool(.multipleManagedAccounts), reference.kind != .noUser else { return true }
    let known = account(reference)
    guard known?.isEnrolled != true else { return true }
    let (tenant, domain) = (known?.tenantId, named(reference).domain)
    return !enrolledAccounts.contains { enrolled in
      (tenant != nil && tenant == enrolled.tenantId) || (domain != nil && domain == enrolled.account.domain)
    }
  }
}

extension Account {
  /// That of the user principal name, in lower case.
  fileprivate var domain: String? {
    guard let identity, let sign = identity.lastIndex(of: "@") else { return nil }
    return String(identity[identity.index(after: sign)...]).lowercasedASCII
  }
}
