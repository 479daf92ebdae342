import JSON
import Model

/// A policy whose assignment filter cannot be evaluated. It protects as if there were no filter, but it wipes nothing,
/// because the device may not be meant.
package enum FilteredPolicy {
  /// The member of a delivered policy that has `PolicyDocument.filterNote`.
  package static let noteName = "@mambridge.filter"

  /// The settings that wipe by a limit, with the setting that blocks by the same limit.
  private static let limits: [(wipe: SettingName, block: SettingName)] = [
    (.minimumWipeOsVersion, .minimumRequiredOsVersion), (.minimumWipeAppVersion, .minimumRequiredAppVersion),
    (.minimumWipeSdkVersion, .minimumRequiredSdkVersion), (.minimumWipePatchVersion, .minimumRequiredPatchVersion),
    (.minimumWipeCompanyPortalVersion, .minimumRequiredCompanyPortalVersion),
    (.maximumWipeOsVersion, .maximumRequiredOsVersion),
    (.wipeAfterCompanyPortalUpdateDeferralInDays, .blockAfterCompanyPortalUpdateDeferralInDays),
    (.periodOfflineBeforeWipeIsEnforced, .periodOfflineBeforeAccessCheck),
  ]

  /// The settings of a policy of this kind with each wipe turned into a block.
  static func blocking(_ settings: [SettingName: SettingValue], in kind: PolicyKind) -> [SettingName: SettingValue] {
    let wipe = SettingValue.word(RemediationAction.wipe.rawValue)
    var blocking = settings.mapValues { $0 == wipe ? .word(RemediationAction.block.rawValue) : $0 }
    for (name, block) in limits {
      guard let limit = settings[name] else { continue }
      blocking[name] = nil
      let allowsNoTime = kind == .windows && settings[block] == .duration(ISODuration(seconds: 0))
      guard !limit.isNoLimit, !allowsNoTime else { continue }
      blocking[block] = settings[block].map { stricter($0, limit, isMaximum: name == .maximumWipeOsVersion) } ?? limit
    }
    return blocking
  }

  private static func stricter(_ block: SettingValue, _ wipe: SettingValue, isMaximum: Bool) -> SettingValue {
    guard !block.isNoLimit else { return wipe }
    let isBlockStricter =
      switch (block, wipe) {
      case (.version(let first), .version(let second)): isMaximum == (first <= second)
      case (.duration(let first), .duration(let second)): first <= second
      case (.integer(let first), .integer(let second)): first <= second
      default: true
      }
    return isBlockStricter ? block : wipe
  }
}

extension SettingValue {
  fileprivate var isNoLimit: Bool {
    switch self {
    case .version(let version): version.isZero
    case .duration(let duration): duration.seconds == 0
    case .integer(let number): number == 0
    default: false
    }
  }
}

extension PolicyDocument {
  /// The policy with each wipe turned into a block.
  package var blockingInsteadOfWiping: PolicyDocument {
    var policy = self
    policy.settings = FilteredPolicy.blocking(settings, in: kind)
    return policy
  }

  /// An object of this policy as Graph writes it, with what differs from `original`, the policy that the object has.
  package func written(over object: JSONObject, of original: PolicyDocument) -> JSONObject {
    let names = Set(settings.keys).union(original.settings.keys)
    let changed = names.filter { settings[$0] != original.settings[$0] }
    var members = object.members.filter { member in
      let definition = SettingDefinition.named(byGraph: member.name) ?? SettingDefinition.named(bySDK: member.name)
      return definition.map { !changed.contains($0.name) } ?? true
    }.map { ($0.name, $0.value) }
    members += JSONObject(graph: settings.filter { changed.contains($0.key) }).members.map { ($0.name, $0.value) }
    if let filterNote { members.append((FilteredPolicy.noteName, .string(filterNote))) }
    return JSONObject(members)
  }
}
