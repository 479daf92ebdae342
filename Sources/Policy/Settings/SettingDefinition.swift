import Model

/// What is known of one setting. `all` is the one list; names, types, merge and both number systems come from it.
public struct SettingDefinition: Sendable {
  public let name: SettingName
  public let type: SettingType
  public let merge: MergeRule
  /// The kinds of policies that have it.
  public let kinds: Set<PolicyKind>
  public let sdk: SDKForm?
}

extension SettingDefinition {
  public static let all: [SettingDefinition] =
    description + transfer + links + access + conditionalLaunch + android + androidInformation

  private static let index = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  private static let indexBySDKName = Dictionary(
    all.flatMap { definition in (definition.sdk?.names ?? []).map { ($0.lowercasedASCII, definition) } }
  ) { first, _ in first }

  private static let indexByGraphName = Dictionary(all.map { ($0.name.rawValue, $0) }) { first, _ in first }

  /// By Graph's name, which is matched exactly. Faster than through `SettingName`.
  public static func named(byGraph name: String) -> SettingDefinition? { indexByGraphName[name] }

  /// By the name that the SDK delivers and logs, in any ASCII case.
  public static func named(bySDK name: String) -> SettingDefinition? { indexBySDKName[name.lowercasedASCII] }

  public static func of(_ name: SettingName) -> SettingDefinition? { index[name] }
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

/// Shorthands of the list.
extension SettingDefinition {
  static func flag(
    _ name: SettingName, restricting: Bool = true, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: name, type: .bool, merge: .restricting(restricting), kinds: kinds, sdk: sdk)
  }

  package static func word(
    _ name: SettingName, _ type: any GraphEnum.Type, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: name, type: .word(type), merge: .stricter, kinds: kinds, sdk: sdk)
  }

  static func action(
    _ name: SettingName, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    word(name, RemediationAction.self, kinds, sdk)
  }

  static func number(
    _ name: SettingName, _ range: ClosedRange<Int64>, portal: Int64, _ kinds: Set<PolicyKind> = .everywhere,
    _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(
      name: name, type: .integer(range), merge: .portalDefault(.integer(portal)), kinds: kinds, sdk: sdk)
  }

  static func duration(
    _ name: SettingName, _ merge: MergeRule, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: name, type: .duration, merge: merge, kinds: kinds, sdk: sdk)
  }

  static func minimum(
    _ name: SettingName, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: name, type: .version, merge: .highest, kinds: kinds, sdk: sdk)
  }

  static func maximum(_ name: SettingName, _ sdk: SDKForm? = nil) -> SettingDefinition {
    SettingDefinition(name: name, type: .version, merge: .lowest, kinds: .everywhere, sdk: sdk)
  }

  static func list(
    _ name: SettingName, _ type: SettingType, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: name, type: type, merge: .intersection, kinds: kinds, sdk: sdk)
  }

  package static func text(
    _ name: SettingName, _ kinds: Set<PolicyKind> = .everywhere, _ sdk: SDKForm? = nil
  ) -> SettingDefinition {
    SettingDefinition(name: name, type: .string, merge: .first, kinds: kinds, sdk: sdk)
  }

  static func about(_ name: SettingName, _ type: SettingType = .opaque, _ kinds: Set<PolicyKind> = .everywhere)
    -> SettingDefinition
  {
    SettingDefinition(name: name, type: type, merge: .none, kinds: kinds, sdk: nil)
  }
}
