import Model

/// What holds for one account in one app: all its policies merged, with the origin of each setting.
package struct EffectivePolicy: Hashable, Sendable {
  package struct Setting: Hashable, Sendable {
    package var value: SettingValue
    /// The policy whose value it is; of a value that no policy has alone, the first of those that set it.
    package var policyID: String
  }

  package struct Source: Hashable, Sendable {
    package var id: String
    package var displayName: String
    package var version: String?
  }

  package let platform: DevicePlatform
  /// In the order of the ids.
  package let sources: [Source]
  package let settings: [SettingName: Setting]
  /// What describes the policies, each member of the first that has it.
  let description: [SettingName: Setting]
  /// Whether it comes from the tenant's default.
  package let isDefault: Bool
  package let warnings: [PolicyWarning]

  /// Nil when none of the documents counts on the platform. A targeted policy hides default ones whole.
  package init?(merging documents: [PolicyDocument], platform: DevicePlatform) {
    let counting = documents.filter { $0.counts(on: platform) }
    let targeted = counting.filter { $0.kind != .default }
    let merged = (targeted.isEmpty ? counting : targeted).sorted { $0.id < $1.id }
    guard !merged.isEmpty else { return nil }
    var merge = PolicyMerge(merged)
    merge.run()
    self.platform = platform
    sources = merged.map { Source(id: $0.id, displayName: $0.displayName, version: $0.version) }
    settings = merge.settings
    description = merged.reduce(into: [:]) { description, document in
      let members = document.description.mapValues { Setting(value: $0, policyID: document.id) }
      description.merge(members) { first, _ in first }
    }
    isDefault = targeted.isEmpty
    warnings = merge.warnings
  }

  /// Whether an account that has this policy would notice nothing of the other: enrollment status 101, else 100.
  package func hasSamePolicy(as other: EffectivePolicy) -> Bool {
    platform == other.platform && settings == other.settings && sources == other.sources
  }

  /// The value that decides here. A default policy has settings for both systems; those of the other do not count.
  package func value(of name: SettingName) -> SettingValue? {
    guard let setting = settings[name] else { return nil }
    guard isDefault else { return setting.value }
    return name.definition.kinds.contains(platform == .ios ? .ios : .android) ? setting.value : nil
  }
}
