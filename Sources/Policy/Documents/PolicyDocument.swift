import JSON
import Model

/// One protection policy with typed settings.
package struct PolicyDocument: Hashable, Sendable {
  package var id: String
  package var displayName: String
  /// Changes whenever an administrator saves the policy; nil when the source has none.
  package var version: String?
  package var kind: PolicyKind
  /// The file it was read from, relative to the tenant's folder.
  package var source: String
  package var targeting: PolicyTargeting
  /// What is set, and nothing else.
  package var settings: [SettingName: SettingValue]
  /// Members that only describe the policy, such as `createdDateTime`, as they were written.
  package var about: [SettingName: SettingValue]
  /// App configuration that a default policy carries.
  package var customSettings: [KeyValuePair]

  package init(
    id: String, displayName: String? = nil, version: String? = nil, kind: PolicyKind, source: String = "",
    targeting: PolicyTargeting = PolicyTargeting(), settings: [SettingName: SettingValue] = [:],
    about: [SettingName: SettingValue] = [:], customSettings: [KeyValuePair] = []
  ) {
    self.id = id
    self.displayName = displayName ?? id
    self.version = version
    self.kind = kind
    self.source = source
    self.targeting = targeting
    self.settings = settings
    self.about = about
    self.customSettings = customSettings
  }

  /// All that describes it.
  var description: [SettingName: SettingValue] {
    var description = about
    description[.id] = .string(id)
    description[.displayName] = .string(displayName)
    description[.version] = version.map(SettingValue.string)
    if !customSettings.isEmpty { description[.customSettings] = .pairs(customSettings) }
    return description
  }

  /// Whether it counts on a system.
  package func counts(on platform: DevicePlatform) -> Bool {
    switch kind {
    case .ios: platform == .ios
    case .android: platform == .android
    case .default: true
    }
  }
}
