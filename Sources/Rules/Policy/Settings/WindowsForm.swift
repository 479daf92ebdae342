import JSON
import Model

/// The words of policies for Windows that differ from those for iOS and Android.
///
/// A setting keeps the words that both kinds of policies have in common, so that questions know only these. The words for
/// Windows are read from a policy, and written for people.
enum WindowsForm {
  struct Word: Sendable {
    let graph: String
    let number: Int
    /// The word with the same meaning in policies for iOS and Android.
    let common: String

    init(_ graph: String, _ number: Int, _ common: some GraphEnum) {
      self.graph = graph
      self.number = number
      self.common = common.rawValue
    }
  }

  /// Nil if the setting has the same words everywhere.
  static func words(of name: SettingName) -> [Word]? {
    switch name {
    case .allowedInboundDataTransferSources, .allowedOutboundDataTransferDestinations: transferLevels
    case .allowedOutboundClipboardSharingLevel: clipboardLevels
    case .appActionIfUnableToAuthenticateUser, .mobileThreatDefenseRemediationAction: actions
    default: nil
    }
  }

  /// Nil if policies for the platform have the words of those for phones.
  static func words(of name: SettingName, on platform: DevicePlatform) -> [Word]? {
    platform == .windows ? words(of: name) : nil
  }

  /// The words in a setting's enumeration that policies for phones do not have.
  static let ownWords: Set<String> = [DataTransferLevel.selectedApps.rawValue]

  /// windowsManagedAppDataTransferLevel: a level for managed apps does not exist.
  private static let transferLevels = [
    Word("allApps", 0, DataTransferLevel.allApps), Word("none", 1, DataTransferLevel.none),
    Word("selectedApps", 2, DataTransferLevel.selectedApps),
  ]

  /// windowsManagedAppClipboardSharingLevel.
  private static let clipboardLevels = [
    Word("anyDestinationAnySource", 0, ClipboardSharingLevel.allApps),
    Word("none", 1, ClipboardSharingLevel.blocked),
    Word("orgDestinationAnySource", 2, ClipboardSharingLevel.managedAppsWithPasteIn),
    Word("orgDestinationOrgSource", 3, ClipboardSharingLevel.managedApps),
  ]

  /// managedAppRemediationAction without a warning.
  private static let actions = [Word("block", 0, RemediationAction.block), Word("wipe", 1, RemediationAction.wipe)]
}

extension SettingDefinition {
  /// Reads a member of a policy of this kind, which has the setting.
  func read(graph value: JSONValue, in kind: PolicyKind?) -> SettingReading {
    guard kind == .windows, !value.isNull, value != "" else { return read(graph: value) }
    guard let words = WindowsForm.words(of: name) else { return read(graph: value) }
    guard let word = words.first(where: { $0.isWritten(value) }) else {
      let list = words.map(\.graph).joined(separator: ", ")
      return .misfit(value, "must be one of \(list), or Graph's number for one of these")
    }
    return .of(.word(word.common))
  }

  /// The value as Graph writes it in a policy for the platform.
  package func write(graph value: SettingValue, on platform: DevicePlatform) -> JSONValue {
    guard case .word(let common) = value, let words = WindowsForm.words(of: name, on: platform),
      let word = words.first(where: { $0.common == common })
    else { return write(graph: value) }
    return .string(word.graph)
  }

  /// How several policies for the platform are merged: the portal for Windows has another default.
  func mergeRule(on platform: DevicePlatform) -> MergeRule {
    platform == .windows && name == .periodOfflineBeforeAccessCheck ? .portalMinutes(720) : merge
  }
}

extension WindowsForm.Word {
  /// Whether the value is the word, in any ASCII case, or its number, which may be text.
  fileprivate func isWritten(_ value: JSONValue) -> Bool {
    value.stringValue?.lowercasedASCII == graph.lowercasedASCII || value.intValue == number
  }
}

extension DevicePlatform {
  /// The kind of targeted policies for the platform.
  package var policyKind: PolicyKind {
    switch self {
    case .ios: .ios
    case .android: .android
    case .windows: .windows
    }
  }

  package var displayName: String {
    switch self {
    case .ios: "iOS"
    case .android: "Android"
    case .windows: "Windows"
    }
  }
}

extension EffectivePolicy {
  /// Whether policies for the platform cannot have the setting, although those for phones can. Administrators may expect
  /// it, so an explanation says so.
  func lacks(_ name: SettingName) -> Bool { platform == .windows && !name.definition.kinds.contains(.windows) }
}

extension CompiledPolicy {
  /// The decision if no setting restricts. `setting` is what policies for phones would restrict it with.
  func unrestricted<Value>(_ value: Value, by setting: SettingName?) -> Decision<Value> {
    guard let setting, effective.lacks(setting) else { return Decision(value, .nothingRestricts) }
    return Decision(value, .typeLacksSetting, setting)
  }

  /// Whether data stays within the account's own organization at the level: only policies for Windows know this. On iOS
  /// and Android, data goes nowhere at the level none.
  func confines(_ level: TransferLevel) -> Bool { effective.platform == .windows && level.admitsNoApp }
}

extension SettingDefinition {
  /// The words that Graph accepts for the setting in a policy of this kind. An enumeration also has words of the SDK and of
  /// Windows, which have no number of Graph's.
  package func graphWords(in kind: PolicyKind?) -> [String] {
    if kind == .windows, let words = WindowsForm.words(of: name) { return words.map(\.graph) }
    switch type {
    case .word(let type), .words(let type, _): return type.graphWords
    case .bool, .integer, .duration, .string, .version, .strings, .pairs, .opaque: return []
    }
  }
}

extension GraphEnum {
  fileprivate static var graphWords: [String] {
    let numbered = zip(words, graphNumbers).filter { $0.1 != nil }.map(\.0)
    return numbered.isEmpty ? words : numbered
  }
}
