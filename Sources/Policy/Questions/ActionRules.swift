import Model

/// What a policy says of features of the system, in the form that questions read.
struct ActionRules: Sendable {
  /// How many characters may be copied whatever the level is.
  let clipboardException: Int64
  /// Package ids of keyboards that Android may show although others are blocked.
  let approvedKeyboards: Set<String>
  /// Package ids of apps that Android may give data although they are not managed.
  let exemptPackages: Set<String>
  /// Nothing for what no policy sets.
  private let switches: [EnforcedAction: Switch]

  private struct Switch: Sendable {
    package let setting: SettingName
    let isBlocked: Bool
  }

  init(_ policy: EffectivePolicy) {
    clipboardException = policy.value(of: .allowedOutboundClipboardSharingExceptionLength)?.integerValue ?? 0
    approvedKeyboards = policy.packages(.approvedKeyboards)
    exemptPackages = policy.packages(.exemptedAppPackages)
    var switches: [EnforcedAction: Switch] = [:]
    for action in EnforcedAction.allCases {
      guard let setting = action.setting(on: policy.platform), let value = policy.value(of: setting) else { continue }
      switches[action] = Switch(setting: setting, isBlocked: value.blocks)
    }
    self.switches = switches
  }

  /// By the action's own setting alone; nil where none is set.
  subscript(action: EnforcedAction) -> Decision<Bool>? {
    switches[action].map { Decision(!$0.isBlocked, .settingDecides, $0.setting) }
  }
}

extension EnforcedAction {
  /// Its own; nil for what other settings decide.
  fileprivate func setting(on platform: DevicePlatform) -> SettingName? {
    switch self {
    case .print: .printBlocked
    case .screenCapture: platform == .ios ? .screenCaptureConfigurationState : .screenCaptureBlocked
    case .thirdPartyKeyboard: platform == .ios ? .thirdPartyKeyboardsBlocked : .keyboardsRestricted
    case .dictation: .dictationBlocked
    case .backup: .dataBackupBlocked
    case .genmoji: .genmojiConfigurationState
    case .writingTools: .writingToolsConfigurationState
    case .saveAs: nil
    }
  }
}

extension SettingValue {
  fileprivate var blocks: Bool { self == .bool(true) || word() == ConfigurationState.blocked }
}

extension EffectivePolicy {
  /// Administrators write the id of a package on either side of such a pair, and its name for people on the other.
  fileprivate func packages(_ name: SettingName) -> Set<String> {
    let pairs = value(of: name)?.pairsValue ?? []
    let texts = pairs.flatMap { [$0.name] + $0.value.split(separator: ";").map(String.init) }
    return Set(texts.map { String($0.filter { !$0.isWhitespace }) }.filter { !$0.isEmpty })
  }
}
