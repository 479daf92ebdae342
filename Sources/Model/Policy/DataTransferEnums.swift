/// With which apps data may be exchanged.
public enum DataTransferLevel: String, GraphEnum {
  case allApps, managedApps, none
  public static let graphName = "managedAppDataTransferLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2]
  public static let sdkNumbers: [Int?] = [2, 1, 0]
  public static let sdkWords: [String: DataTransferLevel] = [
    "unrestricted": .allApps, "managed": .managedApps, "blocked": .none,
  ]
}

/// With which apps the clipboard may be shared.
public enum ClipboardSharingLevel: String, GraphEnum {
  case allApps, managedAppsWithPasteIn, managedApps, blocked
  public static let graphName = "managedAppClipboardSharingLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [3, 2, 1, 0]
  public static let sdkWords: [String: ClipboardSharingLevel] = [
    "unrestricted": .allApps, "managed": .managedApps,
  ]
}

/// To which locations data may be saved although saving copies is blocked. The SDK's numbers are bits.
public enum DataStorageLocation: String, GraphEnum {
  case oneDriveForBusiness, sharePoint, box, localStorage, photoLibrary, iManage, egnyte
  public static let graphName = "managedAppDataStorageLocation"
  public static let graphNumbers: [Int?] = [1, 2, 3, 6, 7, 8, 9]
  public static let sdkNumbers: [Int?] = [1, 2, 4, 32, 128, nil, nil]
  /// The header of the SDK says 64, its log 128.
  public static let sdkAliases: [Int: DataStorageLocation] = [64: .photoLibrary]
}

/// From which locations data may be opened although that is blocked. The SDK's numbers are bits.
public enum DataIngestionLocation: String, GraphEnum {
  /// `localStorage` is known to the SDK only.
  case oneDriveForBusiness, sharePoint, camera, photoLibrary, localStorage
  public static let graphName = "managedAppDataIngestionLocation"
  public static let graphNumbers: [Int?] = [1, 2, 3, 4, nil]
  public static let sdkNumbers: [Int?] = [1, 2, 4, 16, 8]
}

/// Which browser is the managed one.
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

/// When the files of an app are encrypted.
public enum DataEncryptionType: String, GraphEnum {
  case useDeviceSettings, afterDeviceRestart, whenDeviceLockedExceptOpenFiles, whenDeviceLocked
  public static let graphName = "managedAppDataEncryptionType"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [3, 2, 1, 0]
}

/// Which app may be handed a telephone number.
public enum PhoneNumberRedirectLevel: String, GraphEnum {
  case allApps, managedApps, customApp, blocked
  public static let graphName = "managedAppPhoneNumberRedirectLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [3, 2, 1, 0]
  public static let sdkWords: [String: PhoneNumberRedirectLevel] = [
    "unrestricted": .allApps, "managed": .managedApps,
  ]
}

/// Which app may be handed a message's recipient.
public enum MessagingRedirectAppType: String, GraphEnum {
  case anyApp, anyManagedApp, specificApps, blocked
  public static let graphName = "messagingRedirectAppType"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}

/// Whether a feature of the system is blocked; Graph has this once for each feature.
public enum ConfigurationState: String, GraphEnum {
  case notBlocked, blocked
  public static let graphName = "screenCaptureIosManagedAppConfigurationState"
  public static let graphNumbers: [Int?] = [0, 1]
}
