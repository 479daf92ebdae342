import JSON
import Model

/// The questions about one account's policy, or about a view of several accounts. Without a policy there are no
/// restrictions.
package struct PolicyQuestions: Sendable {
  package let policy: CompiledPolicy?
  /// The account of the policy; nil or "" for no account, nil for a view that is locked down.
  package let account: AccountReference?
  /// The view, if it is locked down. Then `LockDown` answers, and there is no policy.
  package let lockedView: LockedView?

  package init(policy: CompiledPolicy?, account: AccountReference?) {
    self.policy = policy
    self.account = account
    lockedView = nil
  }

  init(lockedDown view: LockedView) {
    policy = nil
    account = nil
    lockedView = view
  }

  package var isLockedDown: Bool { lockedView != nil }

  package func isPINRequired(_ devicePIN: DevicePIN) -> Decision<Bool> {
    if let lockedView { return lockedView.isPINRequired(devicePIN) }
    guard let policy else { return Decision(false, .unmanaged) }
    guard policy.isPINRequired else { return Decision(false, .settingDecides, .pinRequired).leaving(.pin) }
    guard policy.isPINDroppedWithDevicePIN else { return Decision(true, .settingDecides, .pinRequired) }
    return devicePIN.replacement
  }

  package var isContactSyncAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isContactSyncAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    return Decision(!policy.isContactSyncBlocked, .settingDecides, .contactSyncBlocked)
  }

  package var isWidgetContentSyncAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isWidgetContentSyncAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    guard policy.isContactSyncBlocked, policy.allowsWidgetContent else {
      return isContactSyncAllowed.leaving(.widgets)
    }
    return Decision(true, .widgetsAllowed, .allowWidgetContentSync)
  }

  package var isSpotlightIndexingAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isSpotlightIndexingAllowed) }
    return policy?.send.forAllApps ?? Decision(true, .unmanaged)
  }

  package var areSiriIntentsAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.areIntentsAllowed) }
    return policy?.send.forAllApps ?? Decision(true, .unmanaged)
  }

  /// About what the app itself offers to assistants and other programs, with the account's data or actions.
  package var areAppIntentsAllowed: Decision<Bool> { areSiriIntentsAllowed }

  /// False only if data may not go to any app.
  package var isAppSharingAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isAppSharingAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    if policy.confines(policy.send) { return Decision(true, .withinOrganization, policy.send.setting) }
    return Decision(!policy.send.admitsNoApp, .settingDecides, policy.send.setting)
  }

  package var isManagedBrowserRequired: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isManagedBrowserRequired) }
    guard let policy else { return Decision(false, .unmanaged) }
    guard policy.isManagedBrowserRequired, let custom = policy.handOff.customBrowser else {
      return Decision(policy.isManagedBrowserRequired, .settingDecides, .managedBrowserToOpenLinksRequired)
    }
    return Decision(false, .customBrowserReplacesIt, custom)
  }

  package var isFileEncryptionRequired: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isFileEncryptionRequired) }
    guard let policy else { return Decision(false, .unmanaged) }
    if let type = policy.encryptionType, type != .useDeviceSettings {
      return Decision(true, .settingDecides, .appDataEncryptionType)
    }
    if policy.encryptsAppData { return Decision(true, .settingDecides, .encryptAppData) }
    return policy.unrestricted(false, by: .appDataEncryptionType)
  }

  package var shouldFileProviderEncryptFiles: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.shouldFileProviderEncryptFiles) }
    let encryption = isFileEncryptionRequired
    guard encryption.value, let send = policy?.send, send.general?.value == true else { return encryption }
    return Decision(false, .allAppsAllowed, send.setting)
  }

  package var notificationPolicy: Decision<NotificationPolicy> {
    if isLockedDown { return .lockedDown(LockDown.notificationPolicy) }
    guard let policy else { return Decision(.allow, .unmanaged) }
    return switch policy.notifications {
    case .block: Decision(.block, .settingDecides, .notificationRestriction)
    case .blockOrganizationalData: Decision(.blockOrgData, .settingDecides, .notificationRestriction)
    case .allow: Decision(.allow, .settingDecides, .notificationRestriction)
    case nil: policy.unrestricted(.allow, by: .notificationRestriction)
    }
  }
}

/// Web views that belong to no account.
extension PolicyQuestions {
  /// Whether a web view that belongs to no account may upload this account's files.
  package var isUploadToUnmanagedAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isWebViewInputAllowed) }
    return policy?.send.forAllApps ?? Decision(true, .unmanaged)
  }

  /// Whether this account's text may be pasted into a web view that belongs to no account.
  package var isPasteToUnmanagedAllowed: Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isWebViewInputAllowed) }
    return policy?.clipboard.forAllApps ?? Decision(true, .unmanaged)
  }
}

/// A notification in the form that may be shown.
package struct ShownNotification: Hashable, Sendable {
  package let isShown: Bool
  package let title: String
  package let body: String
}

extension PolicyQuestions {
  /// The form in which a notification about this account's data may be shown: unchanged, with neutral words, or not.
  package func redact(title: String, body: String, in language: Language) -> Decision<ShownNotification> {
    notificationPolicy.map { policy in
      switch policy {
      case .allow: ShownNotification(isShown: true, title: title, body: body)
      case .blockOrgData:
        ShownNotification(
          isShown: true, title: AlertMessage.notificationTitle.text(in: language),
          body: AlertMessage.notificationMessage.text(in: language))
      case .block: ShownNotification(isShown: false, title: "", body: "")
      }
    }
  }
}

extension PolicyQuestions {
  /// The values of all properties. `appConfig` is the configuration of the account.
  package func properties(_ devicePIN: DevicePIN, appConfig: AppConfig = .empty) -> PolicyProperties {
    var properties = PolicyProperties.unmanaged
    properties.isPINRequired = isPINRequired(devicePIN).value
    properties.isManagedBrowserRequired = isManagedBrowserRequired.value
    properties.isContactSyncAllowed = isContactSyncAllowed.value
    properties.isWidgetContentSyncAllowed = isWidgetContentSyncAllowed.value
    properties.isSpotlightIndexingAllowed = isSpotlightIndexingAllowed.value
    properties.areSiriIntentsAllowed = areSiriIntentsAllowed.value
    properties.areAppIntentsAllowed = areAppIntentsAllowed.value
    properties.isAppSharingAllowed = isAppSharingAllowed.value
    properties.shouldFileProviderEncryptFiles = shouldFileProviderEncryptFiles.value
    properties.isFileEncryptionRequired = isFileEncryptionRequired.value
    properties.notificationPolicy = notificationPolicy.value
    properties.isScreenCaptureAllowed = isScreenCaptureAllowed(appConfig).value
    return properties
  }

  /// `account` is the account of the policy with both names, if they are known.
  package func report(of account: Account, _ devicePIN: DevicePIN, appConfig: AppConfig = .empty) -> PolicyReport {
    PolicyReport(
      managed: policy != nil || isLockedDown, account: account,
      properties: properties(devicePIN, appConfig: appConfig),
      settings: policy?.effective.report ?? [:],
      policies: (policy?.effective.sources ?? []).map { AppliedPolicy(id: $0.id, displayName: $0.displayName) })
  }
}

extension PolicyQuestions {
  /// Which policies set the settings in force, by name. No settings for an unmanaged account and under lock-down.
  package var settingSources: SettingSourcesReport {
    SettingSourcesReport(settings: policy?.effective.settingSources ?? [])
  }
}

extension EffectivePolicy {
  fileprivate var settingSources: [SettingSources] {
    let names = Dictionary(sources.map { ($0.id, $0.displayName) }) { first, _ in first }
    return settings.sorted { $0.key.rawValue < $1.key.rawValue }.map { name, setting in
      let sources = candidates(of: name).map { candidate in
        SettingSource(
          policyId: candidate.policyID, displayName: names[candidate.policyID] ?? candidate.policyID,
          value: name.definition.write(graph: candidate.value, on: platform), wins: candidate.value == setting.value)
      }
      return SettingSources(setting: name.rawValue, sources: sources)
    }
  }

  fileprivate var report: [String: PolicySettingReport] {
    let reports = settings.merging(description) { setting, _ in setting }.map { name, setting in
      let definition = name.definition
      let report = PolicySettingReport(
        value: definition.write(graph: setting.value, on: platform), sdkName: sdkName(of: definition),
        sdkValue: platform == .windows ? .null : definition.write(sdk: setting.value), policyId: setting.policyID)
      return (name.rawValue, report)
    }
    return Dictionary(reports) { first, _ in first }
  }

  /// The SDK has two names for the list of models: the name says what happens to other models.
  private func sdkName(of definition: SettingDefinition) -> String? {
    // The SDK is for phones.
    guard platform != .windows else { return nil }
    let wipes = settings[.appActionIfIosDeviceModelNotAllowed]?.value == .word(RemediationAction.wipe.rawValue)
    guard definition.name == .allowedIosDeviceModels, wipes else { return definition.sdk?.names.first }
    return definition.sdk?.names.last
  }
}
