import Model
import Policy

/// The documents that make what a user gets in one place, without what only describes them. Equal contents have equal
/// answers to every question.
struct ShareContent: Hashable, Sendable {
  struct Protection: Hashable, Sendable {
    var document: PolicyDocument
    /// Whether a filter that nobody can evaluate turns each wipe into a block.
    var isBlocking: Bool
  }

  struct Entries: Hashable, Sendable {
    var id: String
    var entries: [KeyValuePair]
  }

  /// In order of their ids, like the others.
  var policies: [Protection] = []
  var configurations: [Entries] = []
  /// The app configuration of default policies, hidden or not.
  var defaults: [Entries] = []
  /// What the management of the device delivers to the user; `nil` for nothing.
  var deviceConfiguration: [String: String]?
}

extension TenantOutcomes {
  /// What a result gives the user that the device is managed for, or another one.
  func content(of result: Int, isDeviceUser: Bool) -> ShareContent {
    ShareContent(
      policies: protections(of: result),
      configurations: configurations(of: result).map { .init(id: $0.id, entries: $0.customSettings.firstOfEach) },
      defaults: defaults(of: result).filter { !$0.customSettings.isEmpty }
        .map { .init(id: $0.id, entries: $0.customSettings.firstOfEach) },
      deviceConfiguration: isDeviceUser ? tenant.mdm?.appConfig : nil)
  }
}

extension TenantOutcomes {
  func protections(of result: Int) -> [ShareContent.Protection] {
    let filters = filters(of: result)
    return visiblePolicies(of: result).numbers.map { number in
      ShareContent.Protection(
        document: tenant.policies[number].withoutDescription, isBlocking: filters[number]?.isEmpty == false)
    }
  }
}

extension [KeyValuePair] {
  /// If a name occurs twice, the first value counts. The order does not.
  fileprivate var firstOfEach: [KeyValuePair] {
    var names: Set<String> = []
    return filter { names.insert($0.name).inserted }.sorted { $0.name < $1.name }
  }
}

extension PolicyDocument {
  /// The policy without names, versions, dates and targeting: nothing but what decides, and the id.
  var withoutDescription: PolicyDocument {
    var policy = PolicyDocument(id: id, kind: kind, source: "-", settings: settings)
    policy.unknown = unknown
    policy.blocksUnknown = blocksUnknown
    return policy
  }
}

/// What a user gets in one place, in the form that questions are asked about.
struct ComparedShare: Sendable {
  let platform: DevicePlatform
  /// `nil` if no policy applies.
  let policy: CompiledPolicy?
  let appConfig: AppConfig

  init(_ content: ShareContent, on platform: DevicePlatform) {
    self.platform = platform
    policy = CompiledPolicy(
      merging: content.policies.map { $0.isBlocking ? $0.document.blockingInsteadOfWiping : $0.document },
      platform: platform)
    appConfig = AppConfig(
      configurations: content.configurations.map { ConfigurationDocument(id: $0.id, customSettings: $0.entries) },
      defaults: content.defaults.map { PolicyDocument(id: $0.id, kind: .default, customSettings: $0.entries) },
      mdm: content.deviceConfiguration, tokens: .unreplaced)
  }

  /// Equal for shares that answer every question in the same way.
  struct Key: Hashable {
    let platform: DevicePlatform
    /// `nil` if no policy applies.
    let values: [SettingName: SettingValue]?
    let isDefault: Bool
    let unknown: [UnknownRestriction]
    let entries: [[KeyValuePair]]
    let areDefaults: [Bool]
  }

  var key: Key {
    Key(
      platform: platform, values: policy?.effective.settings.mapValues(\.value),
      isDefault: policy?.effective.isDefault ?? false,
      unknown: policy?.effective.unknownRestrictions ?? [],
      entries: appConfig.sources.map(\.entries), areDefaults: appConfig.sources.map(\.isDefault))
  }

  func value(_ name: SettingName) -> SettingValue? { policy?.effective.value(of: name) }
}

extension ConfigTokens {
  /// Every token stands for itself: what differs between users is no difference between versions.
  fileprivate static let unreplaced = ConfigTokens(
    userId: "{{userid}}", userPrincipalName: "{{partialupn}}@{{userprincipalname}}", displayName: "{{username}}",
    mail: "{{mail}}", tenantId: "{{accountid}}")
}

/// The accounts that questions name: the one in question, another managed one, and one that is not managed.
struct ComparedAccounts: AccountPolicies {
  static let own = AccountReference("own@compared.invalid")
  static let other = AccountReference("other@compared.invalid")
  static let unmanaged = AccountReference("unmanaged@compared.invalid")

  let share: ComparedShare

  /// By platform: policies that restrict nothing, so that only the policy in question decides.
  private static let lenient = Dictionary(
    uniqueKeysWithValues: DevicePlatform.allCases.map { platform in
      let document = PolicyDocument(id: "other", kind: platform.policyKind, source: "-")
      return (platform, CompiledPolicy(merging: [document], platform: platform))
    })

  init(_ share: ComparedShare) { self.share = share }

  /// The policy of the other managed account.
  private var lenient: CompiledPolicy? { Self.lenient[share.platform] ?? nil }

  func policy(of account: AccountReference) -> CompiledPolicy? {
    account == Self.own ? share.policy : account == Self.other ? lenient : nil
  }

  func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool { first == second }

  var managed: [ManagedAccount] {
    [(Self.own, share.policy), (Self.other, lenient)].compactMap { account, policy in
      policy.map { ManagedAccount(account, $0) }
    }
  }

  var effective: AccountReference? { Self.own }

  func standing(of account: AccountReference) -> AccountStanding {
    AccountStanding(
      Account(accountId: nil, identity: nil), .enrolled, appConfig: account == Self.own ? share.appConfig : .empty)
  }

  /// The account in question.
  var questions: PolicyQuestions { PolicyQuestions(policy: share.policy, account: Self.own) }
  /// The other managed account, about what it exchanges with the account in question.
  var othersQuestions: PolicyQuestions { PolicyQuestions(policy: lenient, account: Self.other) }
}
