import Model

/// One setting: its row in the table of `SettingName`.
package struct SettingDefinition: Sendable {
  package let name: SettingName
  package let type: SettingType
  package let merge: MergeRule
  /// The kinds of policies that have the setting.
  package let kinds: Set<PolicyKind>
  package let sdk: SDKForm?
  package let role: SettingRole
  /// The message to the user if the setting refuses something, unless the rule that decided has its own message.
  package let refusal: SharingMessage?
}

extension SettingDefinition {
  package static let all: [SettingDefinition] = SettingName.allCases.map(\.row)

  /// The place of each row in `all`, by Graph's name. A dictionary of rows takes three times as long to make.
  private static let placesByGraphName = {
    var places = [String: Int](minimumCapacity: all.count)
    for place in all.indices { places[all[place].name.rawValue] = place }
    return places
  }()

  private static let indexBySDKName = Dictionary(
    all.flatMap { definition in (definition.sdk?.names ?? []).map { ($0.lowercasedASCII, definition) } }
  ) { first, _ in first }

  /// Looks up Graph's name, which must match exactly. Faster than through `SettingName`.
  package static func named(byGraph name: String) -> SettingDefinition? { placesByGraphName[name].map { all[$0] } }

  private static let indexByLowercaseName = Dictionary(all.map { ($0.name.rawValue.lowercasedASCII, $0) }) { first, _ in
    first
  }

  /// Looks up Graph's name in any ASCII case, for a hint at the spelling.
  static func named(likeGraph name: String) -> SettingDefinition? { indexByLowercaseName[name.lowercasedASCII] }

  /// Looks up the name that the SDK delivers and logs, in any ASCII case.
  package static func named(bySDK name: String) -> SettingDefinition? { indexBySDKName[name.lowercasedASCII] }
}

extension SettingName {
  package var definition: SettingDefinition { .named(byGraph: rawValue) ?? row }
}

/// The type of a setting's value.
package enum SettingType: Sendable {
  case bool
  case integer(ClosedRange<Int64>)
  /// A length of time.
  case duration
  case string
  /// A word of an enumeration.
  case word(any GraphEnum.Type)
  /// Words of an enumeration. Graph lists them or, if `joined`, writes one text with commas or a sum of numbers.
  case words(any GraphEnum.Type, joined: Bool)
  case version
  /// Texts. Graph lists them, or joins them with this separator. Unless `mayBeEmpty`, an empty list counts as not set,
  /// because a list of allowed values without entries would forbid everything.
  case strings(joinedBy: Character?, mayBeEmpty: Bool = false)
  case pairs
  /// A time or another value that only describes a policy, kept unchanged.
  case opaque

  /// Whether exports write "" for a member that is not set.
  var mayBeEmptyText: Bool {
    switch self {
    case .bool, .integer, .duration, .word: false
    case .string, .words, .version, .strings, .pairs, .opaque: true
    }
  }
}

/// How a setting that several policies set is merged.
package enum MergeRule: Sendable {
  /// The boolean that restricts wins.
  case restricting(Bool)
  /// The most restrictive word wins.
  case stricter
  /// What all policies allow or exempt. Pairs are equal if this part is.
  case intersection(PairPart? = nil)
  case highest
  case lowest
  /// If the values differ, the default of the Intune portal.
  case portalDefault(SettingValue)
  /// The value of the first policy by id, with a warning if the values differ.
  case first
  /// Describes one policy; not merged.
  case none

  /// The part that tells pairs apart. A value may be several URL schemes, separated by semicolons.
  package enum PairPart: Sendable { case name, value, schemes }
}

/// What a setting does, in words.
package enum SettingRole: Hashable, Sendable {
  /// What the setting affects: methods, or what is enforced. A noun phrase.
  case decides(String)
  /// The setting is only kept and shown. A clause that says why it affects nothing.
  case informs(String)
  /// The member describes the policy and is not a setting. A noun phrase.
  case describes(String)

  static func untold(_ subject: String) -> SettingRole { .informs("mambridge does not know \(subject)") }

  package var isDescription: Bool { if case .describes = self { true } else { false } }
  package var decides: Bool { if case .decides = self { true } else { false } }

  package var text: String {
    switch self {
    case .decides(let text), .informs(let text), .describes(let text): text
    }
  }
}

/// The kinds of protection policies.
package enum PolicyKind: String, CaseIterable, Hashable, Sendable {
  case ios, android
  /// Graph's windowsManagedAppProtection, for Microsoft Edge on a device that is not managed.
  case windows
  /// The tenant's default policy, for iOS and Android.
  case `default`

  /// The platforms that policies of this kind are for.
  package var platforms: [DevicePlatform] {
    DevicePlatform.allCases.filter { $0.policyKind == self || self == .default && $0 != .windows }
  }
}

extension Set<PolicyKind> {
  /// Policies for phones.
  static let everywhere: Set = [.ios, .android, .default]
  static let withWindows: Set = [.ios, .android, .windows, .default]
  static let ios: Set = [.ios, .default]
  static let iosAndWindows: Set = [.ios, .windows, .default]
  static let android: Set = [.android, .default]
  static let windowsAlone: Set = [.windows]
}

/// The kinds of rows in the table.
extension SettingName {
  func flag(
    restricting: Bool = true, on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm? = nil, _ role: SettingRole,
    refusal: SharingMessage? = nil
  ) -> SettingDefinition {
    row(.bool, .restricting(restricting), kinds, sdk, role, refusal)
  }

  func word(
    _ type: any GraphEnum.Type, merge: MergeRule = .stricter, on kinds: Set<PolicyKind> = .everywhere,
    sdk: SDKForm? = nil, _ role: SettingRole, refusal: SharingMessage? = nil
  ) -> SettingDefinition {
    row(.word(type), merge, kinds, sdk, role, refusal)
  }

  func action(
    on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm? = nil, _ role: SettingRole
  ) -> SettingDefinition {
    word(RemediationAction.self, on: kinds, sdk: sdk, role)
  }

  /// `portal` is the default of the Intune portal.
  func number(
    portal: Int64, on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm? = nil, _ role: SettingRole
  ) -> SettingDefinition {
    row(.integer(0...65535), .portalDefault(.integer(portal)), kinds, sdk, role)
  }

  func duration(
    _ merge: MergeRule, on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm, _ role: SettingRole
  ) -> SettingDefinition {
    row(.duration, merge, kinds, sdk, role)
  }

  func minimum(
    on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm? = nil, _ role: SettingRole
  ) -> SettingDefinition {
    row(.version, .highest, kinds, sdk, role)
  }

  func maximum(sdk: SDKForm, _ role: SettingRole) -> SettingDefinition {
    row(.version, .lowest, .withWindows, sdk, role)
  }

  func list(
    _ type: SettingType, by part: MergeRule.PairPart? = nil, on kinds: Set<PolicyKind> = .everywhere,
    sdk: SDKForm? = nil, _ role: SettingRole, refusal: SharingMessage? = nil
  ) -> SettingDefinition {
    row(type, .intersection(part), kinds, sdk, role, refusal)
  }

  func text(
    on kinds: Set<PolicyKind>, sdk: SDKForm? = nil, _ role: SettingRole, refusal: SharingMessage? = nil
  ) -> SettingDefinition {
    row(.string, .first, kinds, sdk, role, refusal)
  }

  func about(
    _ what: String, _ type: SettingType = .opaque, on kinds: Set<PolicyKind> = .withWindows
  ) -> SettingDefinition {
    row(type, .none, kinds, nil, .describes(what))
  }

  private func row(
    _ type: SettingType, _ merge: MergeRule, _ kinds: Set<PolicyKind>, _ sdk: SDKForm?, _ role: SettingRole,
    _ refusal: SharingMessage? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: self, type: type, merge: merge, kinds: kinds, sdk: sdk, role: role, refusal: refusal)
  }
}

extension MergeRule {
  static func portalMinutes(_ minutes: Int64) -> MergeRule {
    .portalDefault(.duration(ISODuration(seconds: minutes * 60)))
  }
}
