import Model

extension PolicyQuestions {
  /// Whether the user may do this with the account's data. `keyboard` is the package id of the keyboard, if known.
  package func isActionAllowed(
    _ action: EnforcedAction, keyboard: String? = nil, in accounts: some AccountPolicies
  ) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isActionAllowed) }
    if action == .thirdPartyKeyboard { return isKeyboardAllowed(keyboard, accounts.managed) }
    guard let policy else { return Decision(true, .unmanaged) }
    if action == .saveAs { return policy.copies }
    guard action == .screenCapture else { return policy.actions[action] ?? policy.unrestricted(action) }
    return isScreenCaptureAllowed(account.map { accounts.standing(of: $0).appConfig } ?? .empty)
  }

  /// Whether the screen may be captured while it shows this account's data. `appConfig` is the configuration of the
  /// account.
  package func isScreenCaptureAllowed(_ appConfig: AppConfig) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isActionAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    if let decision = policy.actions[.screenCapture] { return decision }
    guard policy.effective.platform == .ios else { return policy.unrestricted(.screenCapture) }
    return policy.capture(isDetached: appConfig.detachesScreenCapture)
  }

  /// A keyboard sees the data of every account that is shown, so one account that blocks it blocks it for all.
  private func isKeyboardAllowed(_ keyboard: String?, _ accounts: [ManagedAccount]) -> Decision<Bool> {
    for account in accounts {
      guard let decision = account.policy.keyboards(keyboard), !decision.value else { continue }
      return account.policy === policy
        ? decision : Decision(false, .blockedForAll, decision.setting, by: .anyAccount, account.reference)
    }
    return policy.map { $0.keyboards(keyboard) ?? $0.unrestricted(.thirdPartyKeyboard) } ?? Decision(true, .unmanaged)
  }
}

extension CompiledPolicy {
  /// Nil if the policy does not set anything about keyboards.
  fileprivate func keyboards(_ keyboard: String?) -> Decision<Bool>? {
    guard let decision = actions[.thirdPartyKeyboard], !decision.value, effective.platform == .android else {
      return actions[.thirdPartyKeyboard]
    }
    guard let keyboard, actions.approvedKeyboards.contains(keyboard) else { return decision }
    return Decision(true, .keyboardApproved, .approvedKeyboards)
  }

  fileprivate func unrestricted(_ action: EnforcedAction) -> Decision<Bool> {
    unrestricted(true, by: action.setting(on: effective.platform))
  }

  /// Whether copies may be saved at all, without regard to the location.
  fileprivate var copies: Decision<Bool> {
    confines(send)
      ? Decision(true, .withinOrganization, send.setting)
      : send.generalIfSet?.leaving(.saving) ?? Decision(!isSavingCopiesBlocked, .settingDecides, .saveAsBlocked)
  }

  /// Whether the screen may be captured if the policy has no setting for it.
  fileprivate func capture(isDetached: Bool) -> Decision<Bool> {
    if let general = send.general, general.value { return general }
    return isDetached
      ? Decision(true, .screenCaptureDetached) : Decision(false, .screenCaptureFollowsSending, send.setting)
  }
}

/// A policy's rules about features of the system, in the form that questions read.
struct ActionRules: Sendable {
  /// How many characters may be copied at any clipboard level.
  let clipboardException: Int64
  /// Package ids of keyboards that Android may show even if others are blocked.
  let approvedKeyboards: Set<String>
  /// Package ids of apps that may get data on Android even if they are not managed, by the policy's own list.
  let exemptPackages: Set<String>
  /// Actions that no policy sets are missing.
  private let switches: [EnforcedAction: Switch]

  private struct Switch: Sendable {
    let setting: SettingName
    let isBlocked: Bool
  }

  /// Package ids of the apps that every policy lets have data: the full exemptions of Microsoft's "Android app protection
  /// policy settings" of March 2026.
  static let alwaysExempt: Set = [
    "com.android.phone", "com.android.vending", "com.google.android.webview", "com.android.webview",
    "com.google.android.tts", "com.android.providers.settings", "com.android.settings", "com.azure.authenticator",
    "com.microsoft.windowsintune.companyportal", "com.android.providers.contacts",
    "com.samsung.android.providers.contacts", "com.android.providers.blockednumber",
  ]

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

  /// The decision by the action's own setting alone; nil if that is not set.
  subscript(action: EnforcedAction) -> Decision<Bool>? {
    switches[action].map { Decision(!$0.isBlocked, .settingDecides, $0.setting) }
  }
}

extension EnforcedAction {
  /// The action's own setting; nil if other settings decide.
  fileprivate func setting(on platform: DevicePlatform) -> SettingName? {
    switch self {
    case .print: .printBlocked
    case .screenCapture: platform == .android ? .screenCaptureBlocked : .screenCaptureConfigurationState
    case .thirdPartyKeyboard: platform == .android ? .keyboardsRestricted : .thirdPartyKeyboardsBlocked
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
  /// Administrators write a package id in either half of a pair, and the display name in the other half.
  fileprivate func packages(_ name: SettingName) -> Set<String> {
    let pairs = value(of: name)?.pairsValue ?? []
    let texts = pairs.flatMap { [$0.name] + $0.value.split(separator: ";").map(String.init) }
    return Set(texts.map { String($0.filter { !$0.isWhitespace }) }.filter { !$0.isEmpty })
  }
}
