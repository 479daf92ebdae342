import Model
import Policy
import Support

/// What questions read: built as a whole from the store, and never changed in place.
package final class CoreState: Sendable {
  /// The registered accounts, in the order of registration.
  package let accounts: [AccountState]
  private let places: AccountPlaces
  package let directory: AccountDirectory
  /// `nil` for a state that was never changed.
  let time: StateTime?
  /// The number of the newest event; 0 if there has been none.
  let newestEvent: Int64
  /// The settings in effect, including overrides.
  package let settings: Settings
  /// Warnings about stored policies and settings, each once.
  let warnings: [String]
  /// The account that was enrolled first, if possible one that is not being wiped.
  package let primaryAccount: AccountState?
  /// The account whose policy applies if no identity is set: the primary account; `nil` in a multi-identity app.
  package let effectiveAccount: AccountState?
  let deviceRecord: DeviceRecord
  /// `nil` if the administrator has not set any.
  package let allowedAccounts: [Account]?
  package let management: DeviceManagement
  /// The user that the device is managed for, according to the last answer of the policy source; `nil` for nobody.
  package let mdmEnrolledAccount: Account?
  /// When the next account checks in, or the policy source must be told something; `nil` if nothing is to be done. In the
  /// past if something is due at once.
  let nextDue: Timestamp?
  /// When the policy source must next be told something; `nil` if there is nothing to tell.
  let nextReport: Timestamp?
  let signIns: SignIns
  let blocks: AccountBlocks
  let requiresPolicy: Bool
  /// The level of hosts that do not say their level.
  package let sdkLevel: SDKLevel
  let hasManagedAccount: Bool
  /// Whether debug.setPolicy has stored test policies.
  private let hasStoredTests: Bool

  convenience init(configuration: CoreConfiguration) {
    self.init(
      accounts: [], AccountPlaces(), directory: AccountDirectory([:]), time: nil, newestEvent: 0, DeviceRecord(), nil,
      nil, SignIns(), AccountBlocks(), configuration.settings, DeviceManagement(), nextReport: nil)
  }

  /// Takes over from `former`, another state of the same core, what has not changed.
  convenience init(
    _ stored: StoredState, _ device: DeviceRecord, among deliveries: CompiledDeliveries,
    configuration: CoreConfiguration, after former: CoreState? = nil
  ) {
    let tests = TestPolicies(stored: stored.testPolicies, configured: configuration.debugSettings)
    let (platform, directory) = (device.device.platform, stored.directory)
    // A stored test policy may be for any of the names of an account.
    let areComparable =
      former.map { !$0.hasStoredTests && stored.testPolicies.isEmpty && $0.device.platform == platform } ?? false
    var known = (areComparable ? former?.accounts ?? [] : [])[...]
    let accounts = stored.accounts.rows.map { row in
      known = known.drop { $0.position < row.stored.position }
      if let same = known.first, same.isState(of: row) { return same }
      return AccountState(
        row, testedBy: tests.policy(of: row.stored, directory), on: platform, among: deliveries)
    }
    self.init(
      accounts: accounts, stored.accounts.places, directory: directory,
      time: stored.time(sharing: device.manualTime, configuration.clock), newestEvent: stored.newestEvent,
      device, stored.allowedAccounts, stored.mdmEnrolledAccount, stored.signIns,
      stored.blocks, configuration.settings(overriddenBy: stored.overrides), stored.management,
      nextReport: configuration.source?.capabilities.usesRegistrations == true ? stored.nextReport : nil,
      tests.warnings,
      hasStoredTests: !stored.testPolicies.isEmpty)
  }

  /// The same state with other policies for its accounts.
  convenience init(_ state: CoreState, with accounts: [AccountState]) {
    self.init(
      accounts: accounts, state.places, directory: state.directory, time: state.time, newestEvent: state.newestEvent,
      state.deviceRecord, state.allowedAccounts, state.mdmEnrolledAccount, state.signIns, state.blocks, state.settings,
      state.management, nextReport: state.nextReport)
  }

  private init(
    accounts: [AccountState], _ places: AccountPlaces, directory: AccountDirectory, time: StateTime?,
    newestEvent: Int64, _ device: DeviceRecord, _ allowedAccounts: [Account]?, _ mdmEnrolledAccount: Account?,
    _ signIns: SignIns, _ blocks: AccountBlocks, _ settings: Settings, _ management: DeviceManagement,
    nextReport: Timestamp?, _ warnings: [String] = [], hasStoredTests: Bool = false
  ) {
    deviceRecord = device
    self.hasStoredTests = hasStoredTests
    self.signIns = signIns
    self.blocks = blocks
    self.allowedAccounts = allowedAccounts
    self.management = management
    self.mdmEnrolledAccount = mdmEnrolledAccount
    self.nextReport = nextReport
    nextDue = (accounts.map { $0.due(on: device) } + [nextReport].compactMap { $0 }).min()
    self.accounts = accounts
    self.places = places
    self.directory = directory
    self.time = time
    self.newestEvent = newestEvent
    self.settings = settings
    var seen: Set<String> = []
    self.warnings = (accounts.flatMap(\.warnings) + settings.warnings + warnings).filter { seen.insert($0).inserted }
    primaryAccount =
      accounts.firstEnrolled { $0.isEnrolled && !$0.isWiping } ?? accounts.firstEnrolled(where: \.isEnrolled)
    effectiveAccount = settings.separatesIdentities ? nil : primaryAccount
    requiresPolicy = settings.bool(.mamPolicyRequired)
    sdkLevel = settings.sdkLevel
    hasManagedAccount = accounts.contains(where: \.isManaged)
  }

  /// The latest time that the state has seen; `nil` for a state that was never changed.
  package var latestTime: Timestamp? { time?.now }
  package var device: Device { deviceRecord.device }
  package var devicePIN: DevicePIN {
    DevicePIN(isSet: device.devicePinSet, isDeviceManaged: management.isDeviceManaged)
  }
  package var isConfined: Bool { management.isConfined }
  /// When a wipe is tried again; `nil` if there is none.
  var nextWipe: Timestamp? { accounts.filter(\.isWiping).map { $0.due(on: deviceRecord) }.min() }
  /// When the next account checks in, without those that are being wiped.
  var nextCheckIn: Timestamp? { accounts.filter { !$0.isWiping }.map { $0.due(on: deviceRecord) }.min() }

  /// Whether several accounts may be managed at a time, and shown together.
  package var allowsSeveralAccounts: Bool { settings.bool(.multiManagedIdentities) && !isConfined }

  package var enrolledAccounts: [AccountState] { accounts.filter(\.isEnrolled) }
  package var managedAccounts: [AccountState] { accounts.filter(\.isManaged) }

  /// Whether any account is managed, or the settings require a managed account.
  package var isManagementEnabled: Bool { managementDecision.value }

  /// The source of the policy of the managed account that was enrolled first; `other` for a test policy.
  package var policySource: PolicySource {
    guard let account = accounts.firstEnrolled(where: \.isManaged), !account.hasTestPolicy else { return .other }
    return account.isMDM ? .mdm : .mam
  }

  /// The registered account of that name; `nil` for no user, and for an account that is not registered.
  package func account(_ reference: AccountReference) -> AccountState? {
    if let first = accounts.first, first.isNamed(reference, directory) { return first }
    return places.candidates(reference, directory).lazy.map { self.accounts[$0] }
      .first { $0.isNamed(reference, self.directory) }
  }

  func account(at position: Int) -> AccountState? {
    let place = accounts.partitioningIndex { $0.position >= position }
    return place < accounts.count && accounts[place].position == position ? accounts[place] : nil
  }

  /// The registered accounts of that name, more than one only until the policy source has said that they are the same
  /// user. `nil` names all accounts.
  func accounts(named reference: AccountReference?) -> [AccountState] {
    guard let reference else { return accounts }
    return places.candidates(reference, directory).map { accounts[$0] }.filter { $0.isNamed(reference, directory) }
  }

  /// Throws 4001 if a policy is required but no account has one.
  package func checkPolicyIsThere() throws(MAMError) {
    guard requiresPolicy, !hasManagedAccount else { return }
    throw MAMError(
      .policyRequired, "MAMPolicyRequired is set, but no account has a policy",
      hint: "Enroll an account that has a policy, with enrollmentManager.registerAndEnrollAccount")
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
    guard let known = account(reference) else {
      let renamed = accounts.first { $0.wasCalled(reference) }?.account
      return AccountStanding(directory.account(of: reference), renamed: renamed)
    }
    return AccountStanding(
      known.account, known.isEnrolled ? .enrolled : .registered, isWiping: known.isWiping, status: known.status,
      appConfig: known.appConfig)
  }

  /// The questions about a view or, without one, about an account, which defaults to the effective account. Throws 4001 if a policy is
  /// required but no account has one.
  package func questions(
    about reference: AccountReference?, sharing view: SharedView? = nil
  ) throws(MAMError) -> PolicyQuestions {
    try checkPolicyIsThere()
    return questionsUnchecked(about: reference, sharing: view)
  }

  /// Like `questions`, for callers that have already checked for the required policy.
  func questionsUnchecked(about reference: AccountReference?, sharing view: SharedView? = nil) -> PolicyQuestions {
    if let view { return PolicyQuestions(of: view, in: self) }
    guard let reference else {
      let account = effectiveAccount
      return PolicyQuestions(policy: account?.policy, account: account?.reference)
    }
    return PolicyQuestions(policy: policy(of: reference), account: reference)
  }
}

extension CoreState {
  /// The app configuration of an account; empty for no user.
  package func appConfig(of reference: AccountReference?) -> AppConfig {
    reference.flatMap(account)?.appConfig ?? .empty
  }

  /// The app configuration of several accounts. Names of one account count once, and accounts without a configuration
  /// add nothing.
  package func appConfig(of references: [AccountReference]) -> JoinedAppConfig {
    JoinedAppConfig(directory.folding(references).map { appConfig(of: $0) })
  }
}

extension CoreState {
  /// Whether any account is managed, or the settings require a managed account, with the reason.
  package var managementDecision: Decision<Bool> {
    guard !hasManagedAccount else { return Decision(true, .someAccountIsManaged) }
    return requiresPolicy ? Decision(true, .managementIsRequired) : Decision(false, .noAccountIsManaged)
  }

  /// Whether an account is managed. "No user" never is.
  package func isManaged(_ reference: AccountReference?) -> Decision<Bool> {
    let isManaged = reference.flatMap(account)?.isManaged ?? false
    return Decision(isManaged, isManaged ? .accountIsManaged : .accountIsNotManaged)
  }
}

extension CoreConfiguration {
  /// The settings in effect with these stored overrides.
  fileprivate func settings(overriddenBy stored: [String: String]) -> Settings {
    let settings = settings.overridden(by: stored)
    return locksTestPolicies ? settings.fixed(.debugSettingsEnabled, to: false) : settings
  }
}

extension CoreState {
  /// The complete policy of a view or, without one, of an account, which defaults to the effective account.
  package func report(
    about reference: AccountReference?, sharing view: SharedView? = nil
  ) throws(MAMError) -> PolicyReport {
    let questions = try questions(about: reference, sharing: view)
    let account = questions.account.map(named) ?? Account(accountId: nil, identity: nil)
    var report = questions.report(
      of: account, devicePIN, appConfig: appConfig(of: questions.account))
    report.lockDown = questions.isLockedDown
    report.accounts = view.map { $0.accounts.map(named) }
    return report
  }

  /// Which policies set the settings of an account, which defaults to the effective account.
  package func settingSources(about reference: AccountReference?) throws(MAMError) -> SettingSourcesReport {
    try questions(about: reference).settingSources
  }
}

extension CoreState {
  /// The account with its object id and user principal name, as far as they are known.
  package func named(_ reference: AccountReference) -> Account {
    account(reference)?.account ?? directory.account(of: reference)
  }

  /// The identity of the process: the one that was set or, in a single-identity app, the enrolled account.
  package func processIdentity(_ identity: AccountReference?) -> Account? {
    identity.map(named) ?? effectiveAccount?.account
  }

  /// Whether the device is known to have a managed app for a scheme, given in lower case.
  package func isSchemeOfManagedApp(_ scheme: String) -> Bool {
    device.managedAppSchemes.contains { $0.lowercasedASCII == scheme }
  }

  /// Whether a window may show the account beside the enrolled accounts: not if another account of the same tenant is
  /// enrolled, unless several accounts may be managed.
  func mayShow(_ reference: AccountReference) -> Bool {
    guard !allowsSeveralAccounts, reference.kind != .noUser else { return true }
    let known = account(reference)
    guard known?.isEnrolled != true else { return true }
    let (tenant, domain) = (known?.tenantId, named(reference).domain)
    return !enrolledAccounts.contains { enrolled in
      (tenant != nil && tenant == enrolled.tenantId) || (domain != nil && domain == enrolled.account.domain)
    }
  }
}

extension Account {
  /// The domain of the user principal name, in lower case.
  fileprivate var domain: String? {
    guard let identity, let sign = identity.lastIndex(of: "@") else { return nil }
    return String(identity[identity.index(after: sign)...]).lowercasedASCII
  }
}
