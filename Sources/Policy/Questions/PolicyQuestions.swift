import Model

/// The questions to one account's policy. Without policy nothing is restricted.
package struct PolicyQuestions: Sendable {
  package let policy: CompiledPolicy?
  /// Whose policy it is; nil or "" for nobody's.
  package let account: AccountReference?

  package init(policy: CompiledPolicy?, account: AccountReference?) {
    self.policy = policy
    self.account = account
  }

  /// `devicePINIsSet` is what the host says of its device.
  package func isPINRequired(devicePINIsSet: Bool) -> Decision<Bool> {
    guard let policy else { return Decision(false, .unmanaged) }
    guard policy.isPINRequired else { return Decision(false, .settingDecides, .pinRequired) }
    guard policy.isPINDroppedWithDevicePIN, devicePINIsSet else { return Decision(true, .settingDecides, .pinRequired) }
    return Decision(false, .devicePINReplacesIt, .disableAppPinIfDevicePinIsSet)
  }

  package var isContactSyncAllowed: Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    return Decision(!policy.isContactSyncBlocked, .settingDecides, .contactSyncBlocked)
  }

  package var isWidgetContentSyncAllowed: Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    guard policy.isContactSyncBlocked, policy.allowsWidgetContent else { return isContactSyncAllowed }
    return Decision(true, .widgetsAllowed, .allowWidgetContentSync)
  }

  package var isSpotlightIndexingAllowed: Decision<Bool> { needsAllApps }

  package var areSiriIntentsAllowed: Decision<Bool> { needsAllApps }

  /// False only where data may go to no app.
  package var isAppSharingAllowed: Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    return Decision(policy.send != .some(.none), .settingDecides, .allowedOutboundDataTransferDestinations)
  }

  package var isManagedBrowserRequired: Decision<Bool> {
    guard let policy else { return Decision(false, .unmanaged) }
    guard policy.isManagedBrowserRequired, policy.hasCustomBrowser else {
      return Decision(policy.isManagedBrowserRequired, .settingDecides, .managedBrowserToOpenLinksRequired)
    }
    return Decision(false, .customBrowserReplacesIt, .customBrowserProtocol)
  }

  package var isFileEncryptionRequired: Decision<Bool> {
    guard let policy else { return Decision(false, .unmanaged) }
    if let type = policy.encryptionType, type != .useDeviceSettings {
      return Decision(true, .settingDecides, .appDataEncryptionType)
    }
    if policy.encryptsAppData { return Decision(true, .settingDecides, .encryptAppData) }
    return Decision(false, .nothingRestricts)
  }

  package var shouldFileProviderEncryptFiles: Decision<Bool> {
    let encryption = isFileEncryptionRequired
    guard encryption.value, policy?.send ?? .allApps == .allApps else { return encryption }
    return Decision(false, .allAppsAllowed, .allowedOutboundDataTransferDestinations)
  }

  package var notificationPolicy: Decision<NotificationPolicy> {
    guard let policy else { return Decision(.allow, .unmanaged) }
    return switch policy.notifications {
    case .block: Decision(.block, .settingDecides, .notificationRestriction)
    case .blockOrganizationalData: Decision(.blockOrgData, .settingDecides, .notificationRestriction)
    case .allow: Decision(.allow, .settingDecides, .notificationRestriction)
    case nil: Decision(.allow, .nothingRestricts)
    }
  }

  /// What the level of sending alone decides where the other end is no managed app.
  var needsAllApps: Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    guard let send = policy.send else { return Decision(true, .nothingRestricts) }
    return Decision(send == .allApps, .settingDecides, .allowedOutboundDataTransferDestinations)
  }
}
