// Policy decides. It is pure: it has no store, reads no file, asks no clock, and gets time and facts about the device
// as arguments. Whoever wants to know what mambridge does with a setting reads this target alone.
//
// A setting is a row of `SettingName`: its names in Graph and in the SDK, its platforms, its type, how two policies
// merge, and what it decides. A document is read into a `PolicyDocument`, which keeps what it does not know.
// `EffectivePolicy` is the merge of all documents that apply to an account; where they differ, the row says how, and
// mostly the stricter value wins.
//
// `PolicyQuestions` answers what an app may do. Each answer is a `Decision`: a value, and the reasons in order, from
// the identity to the value of the setting. An explanation is the same code, printed. Launch/ has the rules of
// conditional launch, PIN/ those of the PIN, AppConfig/ joins app configurations.
//
// The rule above all others: what is absent, unknown or of a wrong type loosens nothing.

import JSON
import Model

/// The policy of one account in one app: all its policies merged, with the origin of each setting.
package struct EffectivePolicy: Hashable, Sendable {
  package struct Setting: Hashable, Sendable {
    package var value: SettingValue
    /// The policy that the value comes from. If merging made the value, the first policy that sets the setting.
    package var policyID: String
  }

  package struct Source: Hashable, Sendable {
    package var id: String
    package var displayName: String
    package var version: String?
    /// `PolicyDocument.filterNote`.
    package var filterNote: String?
  }

  package let platform: DevicePlatform
  /// The merged policies, sorted by id.
  package let sources: [Source]
  package internal(set) var settings: [SettingName: Setting]
  /// The values that were merged, of the settings that several policies set, in order of the policies.
  private let candidates: [SettingName: [Setting]]
  /// Members that describe the policies. Each value is from the first policy that has the member.
  let description: [SettingName: Setting]
  /// Whether the policy is the tenant's default.
  package let isDefault: Bool
  package let warnings: [PolicyWarning]
  /// The files of the merged policies, by the policies' ids.
  private let files: [String: String]
  /// What the policies set that mambridge does not know, in order of the policies.
  package let unknownRestrictions: [UnknownRestriction]

  /// Nil if none of the documents is for the platform. A targeted policy hides default policies completely.
  package init?(merging documents: [PolicyDocument], platform: DevicePlatform) {
    let counting = documents.filter { $0.counts(on: platform) }
    let targeted = counting.filter { $0.kind != .default }
    let merged = (targeted.isEmpty ? counting : targeted).sorted { $0.id < $1.id }
    guard !merged.isEmpty else { return nil }
    var merge = PolicyMerge(merged, on: platform)
    merge.run()
    self.platform = platform
    sources = merged.map {
      Source(id: $0.id, displayName: $0.displayName, version: $0.version, filterNote: $0.filterNote)
    }
    settings = merge.settings
    candidates = merge.candidates
    description = merged.reduce(into: [:]) { description, document in
      let members = document.description.mapValues { Setting(value: $0, policyID: document.id) }
      description.merge(members) { first, _ in first }
    }
    isDefault = targeted.isEmpty
    warnings = merge.warnings
    files = Dictionary(merged.filter { !PolicyDocument.answerFiles.contains($0.source) }.map { ($0.id, $0.source) }) {
      first, _ in
      first
    }
    unknownRestrictions = merged.flatMap(\.unknownRestrictions)
  }

  /// Whether both policies are the same for an account: enrollment status 101 if they are, else 100.
  package func hasSamePolicy(as other: EffectivePolicy) -> Bool {
    platform == other.platform && settings == other.settings && sources == other.sources
      && unknownRestrictions == other.unknownRestrictions
  }

  /// The values that policies give a setting, in order of the policies.
  func candidates(of name: SettingName) -> [Setting] { candidates[name] ?? settings[name].map { [$0] } ?? [] }

  /// The policy that sets a setting: its name, its id and its file, if it has one. Nil if no policy sets the setting.
  package func spokenOrigin(of name: SettingName) -> String? {
    guard let id = settings[name]?.policyID, let source = sources.first(where: { $0.id == id }) else { return nil }
    let policy = "policy " + AppliedPolicy(id: id, displayName: source.displayName).spoken
    return files[id].map { $0.isEmpty ? policy : "\(policy), \($0)" } ?? policy
  }

  /// The value that applies on the platform. A default policy also has settings for other platforms, and so may a policy
  /// that an earlier version stored.
  package func value(of name: SettingName) -> SettingValue? {
    name.definition.kinds.contains(platform.policyKind) ? settings[name]?.value : nil
  }
}

extension PolicyDocument {
  fileprivate var unknownRestrictions: [UnknownRestriction] {
    unknown.members.map { member in
      UnknownRestriction(
        policy: AppliedPolicy(id: id, displayName: displayName), setting: member.name, value: member.value,
        blocks: blocksUnknown)
    }
  }
}
