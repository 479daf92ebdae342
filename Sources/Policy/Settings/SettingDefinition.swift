import Model

/// What is known of one setting: its row of the table in `SettingName`.
public struct SettingDefinition: Sendable {
  public let name: SettingName
  public let type: SettingType
  public let merge: MergeRule
  /// The kinds of policies that have it.
  public let kinds: Set<PolicyKind>
  public let sdk: SDKForm?
  public let role: SettingRole
  /// What the user is told where it refuses something, unless the rule that decided has a message of its own.
  package let refusal: SharingMessage?
}

extension SettingDefinition {
  public static let all: [SettingDefinition] = SettingName.allCases.map(\.row)

  fileprivate static let index = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  private static let indexBySDKName = Dictionary(
    all.flatMap { definition in (definition.sdk?.names ?? []).map { ($0.lowercasedASCII, definition) } }
  ) { first, _ in first }

  private static let indexByGraphName = Dictionary(uniqueKeysWithValues: all.map { ($0.name.rawValue, $0) })

  /// By Graph's name, which is matched exactly. Faster than through `SettingName`.
  public static func named(byGraph name: String) -> SettingDefinition? { indexByGraphName[name] }

  /// By the name that the SDK delivers and logs, in any ASCII case.
  public static func named(bySDK name: String) -> SettingDefinition? { indexBySDKName[name.lowercasedASCII] }
}

extension SettingName {
  public var definition: SettingDefinition { SettingDefinition.index[self] ?? row }
}

/// What kind of value a setting holds.
public enum SettingType: Sendable {
  case bool
  case integer(ClosedRange<Int64>)
  /// A length of time.
  case duration
  case string
  /// A word of an enumeration.
  case word(any GraphEnum.Type)
  /// Words of an enumeration. Graph lists them; with `joined` they are one text with commas, or added numbers.
  case words(any GraphEnum.Type, joined: Bool)
  case version
  /// Texts. Graph lists them, or joins them with this separator. An empty list of what is allowed is unset, because it
  /// would forbid everything, unless it may be empty.
  case strings(joinedBy: Character?, mayBeEmpty: Bool = false)
  case pairs
  /// A moment, or what else only describes a policy: kept as it is.
  case opaque
}

/// What becomes of a setting that several policies set.
public enum MergeRule: Sendable {
  /// This boolean restricts, and wins.
  case restricting(Bool)
  /// The most restrictive word wins.
  case stricter
  /// What all of them allow or exempt; of pairs those that agree in this part.
  case intersection(PairPart? = nil)
  case highest
  case lowest
  /// When they are not all equal, the value that the portal proposes.
  case portalDefault(SettingValue)
  /// The first policy's, in the order of the ids, with a warning when they differ.
  case first
  /// Tells something about one policy; not part of what is merged.
  case none

  /// What tells pairs apart. A value may join URL schemes with semicolons.
  public enum PairPart: Sendable { case name, value, schemes }
}

/// What a setting is there for, in words.
public enum SettingRole: Hashable, Sendable {
  /// What depends on it: methods, or what is enforced.
  case decides(String)
  /// Kept and shown, but nothing depends on it; why.
  case informs(String)
  /// Tells who, what or for whom a policy is; not a setting of it.
  case describes(String)

  static func untold(_ subject: String) -> SettingRole { .informs("nothing here tells it of a device: \(subject)") }

  public var isDescription: Bool { if case .describes = self { true } else { false } }
  public var decides: Bool { if case .decides = self { true } else { false } }

  public var text: String {
    switch self {
    case .decides(let text), .informs(let text), .describes(let text): text
    }
  }
}

/// The kinds of protection policies.
public enum PolicyKind: String, CaseIterable, Hashable, Sendable {
  case ios, android
  /// The tenant's default, for both systems.
  case `default`
}

extension Set<PolicyKind> {
  static let everywhere: Set = [.ios, .android, .default]
  static let ios: Set = [.ios, .default]
  static let android: Set = [.android, .default]
}

/// The kinds of rows.
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

  /// `portal` is the number that the portal proposes.
  func number(
    portal: Int64, on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm? = nil, _ role: SettingRole
  ) -> SettingDefinition {
    row(.integer(0...65535), .portalDefault(.integer(portal)), kinds, sdk, role)
  }

  func duration(_ merge: MergeRule, sdk: SDKForm, _ role: SettingRole) -> SettingDefinition {
    row(.duration, merge, .everywhere, sdk, role)
  }

  func minimum(
    on kinds: Set<PolicyKind> = .everywhere, sdk: SDKForm? = nil, _ role: SettingRole
  ) -> SettingDefinition {
    row(.version, .highest, kinds, sdk, role)
  }

  func maximum(sdk: SDKForm, _ role: SettingRole) -> SettingDefinition {
    row(.version, .lowest, .everywhere, sdk, role)
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
    _ what: String, _ type: SettingType = .opaque, on kinds: Set<PolicyKind> = .everywhere
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
