/// The apps that data may be exchanged with.
package enum DataTransferLevel: String, GraphEnum {
  /// Only policies for Windows have `selectedApps`: no app, but the locations that another setting lists.
  case allApps, managedApps, selectedApps, none
  package static let graphName = "managedAppDataTransferLevel"
  package static let graphNumbers: [Int?] = [0, 1, nil, 2]
  package static let sdkNumbers: [Int?] = [2, 1, nil, 0]
  package static let sdkWords: [String: DataTransferLevel] = [
    "unrestricted": .allApps, "managed": .managedApps, "blocked": .none,
  ]
}

/// A location that policies for Windows select for data transfer.
package enum WindowsTransferLocation: String, GraphEnum {
  /// `none` selects no location.
  case none, oneDriveForBusiness
  package static let graphName = "windowsManagedAppDataTransferLocations"
  package static let graphNumbers: [Int?] = [nil, nil]
  package static let sdkNumbers: [Int?] = [nil, nil]
}

/// The apps that the clipboard may be shared with.
package enum ClipboardSharingLevel: String, GraphEnum {
  case allApps, managedAppsWithPasteIn, managedApps, blocked
  package static let graphName = "managedAppClipboardSharingLevel"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3]
  package static let sdkNumbers: [Int?] = [3, 2, 1, 0]
  package static let sdkWords: [String: ClipboardSharingLevel] = [
    "unrestricted": .allApps, "managed": .managedApps,
  ]
}

/// A location where data may be saved although saving copies is blocked. The SDK's numbers are bits.
package enum DataStorageLocation: String, GraphEnum {
  case oneDriveForBusiness, sharePoint, box, localStorage, photoLibrary, iManage, egnyte
  package static let graphName = "managedAppDataStorageLocation"
  package static let graphNumbers: [Int?] = [1, 2, 3, 6, 7, 8, 9]
  package static let sdkNumbers: [Int?] = [1, 2, 4, 32, 128, nil, nil]
  /// The header of the SDK says 64, its log 128.
  package static let sdkAliases: [Int: DataStorageLocation] = [64: .photoLibrary]
}

/// A location that data may be opened from although opening is blocked. The SDK's numbers are bits.
package enum DataIngestionLocation: String, GraphEnum {
  /// Only the SDK knows `localStorage`. No policy can list the last three yet: they are locations of the SDK, and a
  /// list that names them one day is understood.
  case oneDriveForBusiness, sharePoint, camera, photoLibrary, localStorage, box, iManage, egnyte
  package static let graphName = "managedAppDataIngestionLocation"
  package static let graphNumbers: [Int?] = [1, 2, 3, 4, nil, nil, nil, nil]
  package static let sdkNumbers: [Int?] = [1, 2, 4, 16, 8, nil, nil, nil]
}

/// The managed browser.
package enum ManagedBrowserType: String, GraphEnum {
  case notConfigured, microsoftEdge
  package static let graphName = "managedBrowserType"
  package static let graphNumbers: [Int?] = [0, 1]
  package static let sdkNumbers: [Int?] = [nil, nil]
}

/// What notifications may show.
package enum NotificationRestriction: String, GraphEnum {
  case allow, blockOrganizationalData, block
  package static let graphName = "managedAppNotificationRestriction"
  package static let graphNumbers: [Int?] = [0, 1, 2]
  package static let sdkWords: [String: NotificationRestriction] = [
    "unrestricted": .allow, "block_org_data": .blockOrganizationalData, "blocked": .block,
  ]
}

/// When an app's files are encrypted.
package enum DataEncryptionType: String, GraphEnum {
  case useDeviceSettings, afterDeviceRestart, whenDeviceLockedExceptOpenFiles, whenDeviceLocked
  package static let graphName = "managedAppDataEncryptionType"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3]
  package static let sdkNumbers: [Int?] = [3, 2, 1, 0]
}

/// The app that a telephone number may be handed to.
package enum PhoneNumberRedirectLevel: String, GraphEnum {
  case allApps, managedApps, customApp, blocked
  package static let graphName = "managedAppPhoneNumberRedirectLevel"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3]
  package static let sdkNumbers: [Int?] = [3, 2, 1, 0]
  package static let sdkWords: [String: PhoneNumberRedirectLevel] = [
    "unrestricted": .allApps, "managed": .managedApps,
  ]
}

/// The app that the recipient of a message may be handed to.
package enum MessagingRedirectAppType: String, GraphEnum {
  case anyApp, anyManagedApp, specificApps, blocked
  package static let graphName = "messagingRedirectAppType"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3]
  package static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}

/// Whether a feature of the system is blocked. Graph has a separate enumeration for each feature.
package enum ConfigurationState: String, GraphEnum {
  case notBlocked, blocked
  package static let graphName = "screenCaptureIosManagedAppConfigurationState"
  package static let graphNumbers: [Int?] = [0, 1]
}

/// What a PIN consists of.
package enum PINCharacterSet: String, GraphEnum {
  case numeric, alphanumericAndSymbol
  package static let graphName = "managedAppPinCharacterSet"
  package static let graphNumbers: [Int?] = [0, 1]
  package static let sdkNumbers: [Int?] = [1, 0]
}

/// What happens when a rule is broken.
package enum RemediationAction: String, GraphEnum {
  case block, wipe, warn, blockWhenSettingIsSupported
  package static let graphName = "managedAppRemediationAction"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3]
  package static let sdkWords: [String: RemediationAction] = ["reset_pin": .block, "wipe_data": .wipe]
  package static let fromLenientToStrict: [RemediationAction] = [.warn, .blockWhenSettingIsSupported, .block, .wipe]
}

/// The highest threat that a device may report.
package enum DeviceThreatLevel: String, GraphEnum {
  case notConfigured, secured, low, medium, high
  package static let graphName = "managedAppDeviceThreatLevel"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3, 4]
  package static let fromLenientToStrict: [DeviceThreatLevel] = [.notConfigured, .high, .medium, .low, .secured]
}

/// Which of two threat defense partners takes precedence.
package enum ThreatDefensePartnerPriority: String, GraphEnum {
  case defenderOverThirdPartyPartner, thirdPartyPartnerOverDefender
  package static let graphName = "mobileThreatDefensePartnerPriority"
  package static let graphNumbers: [Int?] = [0, 1]
  package static let sdkNumbers: [Int?] = [nil, nil]
}

/// Whether content must be evaluated by Purview. No numbers are published.
package enum PurviewEvaluationRequirement: String, GraphEnum {
  case notRequired, requiredWhenOnline, required
  package static let graphName = "managedAppPurviewEvaluationRequirement"
  package static let graphNumbers: [Int?] = [nil, nil, nil]
}

/// What Google's attestation must say about a device.
package enum DeviceAttestationType: String, GraphEnum {
  case none, basicIntegrity, basicIntegrityAndDeviceCertification
  package static let graphName = "androidManagedAppSafetyNetDeviceAttestationType"
  package static let graphNumbers: [Int?] = [0, 1, 2]
  package static let sdkNumbers: [Int?] = [nil, nil, nil]
}

/// Whether Google's scan of apps must be on.
package enum AppsVerificationType: String, GraphEnum {
  case none, enabled
  package static let graphName = "androidManagedAppSafetyNetAppsVerificationType"
  package static let graphNumbers: [Int?] = [0, 1]
  package static let sdkNumbers: [Int?] = [nil, nil]
}

/// How the attestation is evaluated.
package enum AttestationEvaluationType: String, GraphEnum {
  case basic, hardwareBacked
  package static let graphName = "androidManagedAppSafetyNetEvaluationType"
  package static let graphNumbers: [Int?] = [0, 1]
  package static let sdkNumbers: [Int?] = [nil, nil]
}

/// How a device is managed. Graph's numbers are bits; its words are joined by commas.
package enum AppManagementLevel: String, GraphEnum {
  case unspecified, unmanaged, mdm, androidEnterprise, androidEnterpriseDedicatedDevicesWithAzureAdSharedMode
  case androidOpenSourceProjectUserAssociated, androidOpenSourceProjectUserless
  package static let graphName = "appManagementLevel"
  package static let graphNumbers: [Int?] = [0, 1, 2, 4, 8, 16, 32]
  package static let sdkNumbers: [Int?] = Array(repeating: nil, count: 7)
}

/// The apps that a policy is for.
package enum AppGroupType: String, GraphEnum {
  case selectedPublicApps, allCoreMicrosoftApps, allMicrosoftApps, allApps
  package static let graphName = "targetedManagedAppGroupType"
  package static let graphNumbers: [Int?] = [0, 1, 2, 4]
  package static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}

/// Why a registration is flagged.
package enum FlaggedReason: String, GraphEnum {
  case none, rootedDevice, androidBootloaderUnlocked, androidFactoryRomModified
  package static let graphName = "managedAppFlaggedReason"
  package static let graphNumbers: [Int?] = [0, 1, 2, 3]
  package static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}
