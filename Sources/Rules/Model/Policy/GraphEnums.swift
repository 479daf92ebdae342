/// The apps that data may be exchanged with.
public enum DataTransferLevel: String, GraphEnum {
  /// Only policies for Windows have `selectedApps`: no app, but the locations that another setting lists.
  case allApps, managedApps, selectedApps, none
  public static let graphName = "managedAppDataTransferLevel"
  public static let graphNumbers: [Int?] = [0, 1, nil, 2]
  public static let sdkNumbers: [Int?] = [2, 1, nil, 0]
  public static let sdkWords: [String: DataTransferLevel] = [
    "unrestricted": .allApps, "managed": .managedApps, "blocked": .none,
  ]
}

/// A location that policies for Windows select for data transfer.
public enum WindowsTransferLocation: String, GraphEnum {
  /// `none` selects no location.
  case none, oneDriveForBusiness
  public static let graphName = "windowsManagedAppDataTransferLocations"
  public static let graphNumbers: [Int?] = [nil, nil]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// The apps that the clipboard may be shared with.
public enum ClipboardSharingLevel: String, GraphEnum {
  case allApps, managedAppsWithPasteIn, managedApps, blocked
  public static let graphName = "managedAppClipboardSharingLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [3, 2, 1, 0]
  public static let sdkWords: [String: ClipboardSharingLevel] = [
    "unrestricted": .allApps, "managed": .managedApps,
  ]
}

/// A location where data may be saved although saving copies is blocked. The SDK's numbers are bits.
public enum DataStorageLocation: String, GraphEnum {
  case oneDriveForBusiness, sharePoint, box, localStorage, photoLibrary, iManage, egnyte
  public static let graphName = "managedAppDataStorageLocation"
  public static let graphNumbers: [Int?] = [1, 2, 3, 6, 7, 8, 9]
  public static let sdkNumbers: [Int?] = [1, 2, 4, 32, 128, nil, nil]
  /// The header of the SDK says 64, its log 128.
  public static let sdkAliases: [Int: DataStorageLocation] = [64: .photoLibrary]
}

/// A location that data may be opened from although opening is blocked. The SDK's numbers are bits.
public enum DataIngestionLocation: String, GraphEnum {
  /// Only the SDK knows `localStorage`. No policy can list the last three yet: they are locations of the SDK, and a
  /// list that names them one day is understood.
  case oneDriveForBusiness, sharePoint, camera, photoLibrary, localStorage, box, iManage, egnyte
  public static let graphName = "managedAppDataIngestionLocation"
  public static let graphNumbers: [Int?] = [1, 2, 3, 4, nil, nil, nil, nil]
  public static let sdkNumbers: [Int?] = [1, 2, 4, 16, 8, nil, nil, nil]
}

/// The managed browser.
public enum ManagedBrowserType: String, GraphEnum {
  case notConfigured, microsoftEdge
  public static let graphName = "managedBrowserType"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// What notifications may show.
public enum NotificationRestriction: String, GraphEnum {
  case allow, blockOrganizationalData, block
  public static let graphName = "managedAppNotificationRestriction"
  public static let graphNumbers: [Int?] = [0, 1, 2]
  public static let sdkWords: [String: NotificationRestriction] = [
    "unrestricted": .allow, "block_org_data": .blockOrganizationalData, "blocked": .block,
  ]
}

/// When an app's files are encrypted.
public enum DataEncryptionType: String, GraphEnum {
  case useDeviceSettings, afterDeviceRestart, whenDeviceLockedExceptOpenFiles, whenDeviceLocked
  public static let graphName = "managedAppDataEncryptionType"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [3, 2, 1, 0]
}

/// The app that a telephone number may be handed to.
public enum PhoneNumberRedirectLevel: String, GraphEnum {
  case allApps, managedApps, customApp, blocked
  public static let graphName = "managedAppPhoneNumberRedirectLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [3, 2, 1, 0]
  public static let sdkWords: [String: PhoneNumberRedirectLevel] = [
    "unrestricted": .allApps, "managed": .managedApps,
  ]
}

/// The app that the recipient of a message may be handed to.
public enum MessagingRedirectAppType: String, GraphEnum {
  case anyApp, anyManagedApp, specificApps, blocked
  public static let graphName = "messagingRedirectAppType"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}

/// Whether a feature of the system is blocked. Graph has a separate enumeration for each feature.
public enum ConfigurationState: String, GraphEnum {
  case notBlocked, blocked
  public static let graphName = "screenCaptureIosManagedAppConfigurationState"
  public static let graphNumbers: [Int?] = [0, 1]
}

/// What a PIN consists of.
public enum PINCharacterSet: String, GraphEnum {
  case numeric, alphanumericAndSymbol
  public static let graphName = "managedAppPinCharacterSet"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [1, 0]
}

/// What happens when a rule is broken.
public enum RemediationAction: String, GraphEnum {
  case block, wipe, warn, blockWhenSettingIsSupported
  public static let graphName = "managedAppRemediationAction"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkWords: [String: RemediationAction] = ["reset_pin": .block, "wipe_data": .wipe]
  public static let fromLenientToStrict: [RemediationAction] = [.warn, .blockWhenSettingIsSupported, .block, .wipe]
}

/// The highest threat that a device may report.
public enum DeviceThreatLevel: String, GraphEnum {
  case notConfigured, secured, low, medium, high
  public static let graphName = "managedAppDeviceThreatLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3, 4]
  public static let fromLenientToStrict: [DeviceThreatLevel] = [.notConfigured, .high, .medium, .low, .secured]
}

/// Which of two threat defense partners takes precedence.
public enum ThreatDefensePartnerPriority: String, GraphEnum {
  case defenderOverThirdPartyPartner, thirdPartyPartnerOverDefender
  public static let graphName = "mobileThreatDefensePartnerPriority"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// Whether content must be evaluated by Purview. No numbers are published.
public enum PurviewEvaluationRequirement: String, GraphEnum {
  case notRequired, requiredWhenOnline, required
  public static let graphName = "managedAppPurviewEvaluationRequirement"
  public static let graphNumbers: [Int?] = [nil, nil, nil]
}

/// What Google's attestation must say about a device.
public enum DeviceAttestationType: String, GraphEnum {
  case none, basicIntegrity, basicIntegrityAndDeviceCertification
  public static let graphName = "androidManagedAppSafetyNetDeviceAttestationType"
  public static let graphNumbers: [Int?] = [0, 1, 2]
  public static let sdkNumbers: [Int?] = [nil, nil, nil]
}

/// Whether Google's scan of apps must be on.
public enum AppsVerificationType: String, GraphEnum {
  case none, enabled
  public static let graphName = "androidManagedAppSafetyNetAppsVerificationType"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// How the attestation is evaluated.
public enum AttestationEvaluationType: String, GraphEnum {
  case basic, hardwareBacked
  public static let graphName = "androidManagedAppSafetyNetEvaluationType"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// How a device is managed. Graph's numbers are bits; its words are joined by commas.
public enum AppManagementLevel: String, GraphEnum {
  case unspecified, unmanaged, mdm, androidEnterprise, androidEnterpriseDedicatedDevicesWithAzureAdSharedMode
  case androidOpenSourceProjectUserAssociated, androidOpenSourceProjectUserless
  public static let graphName = "appManagementLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 4, 8, 16, 32]
  public static let sdkNumbers: [Int?] = Array(repeating: nil, count: 7)
}

/// The apps that a policy is for.
public enum AppGroupType: String, GraphEnum {
  case selectedPublicApps, allCoreMicrosoftApps, allMicrosoftApps, allApps
  public static let graphName = "targetedManagedAppGroupType"
  public static let graphNumbers: [Int?] = [0, 1, 2, 4]
  public static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}

/// Why a registration is flagged.
public enum FlaggedReason: String, GraphEnum {
  case none, rootedDevice, androidBootloaderUnlocked, androidFactoryRomModified
  public static let graphName = "managedAppFlaggedReason"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}
