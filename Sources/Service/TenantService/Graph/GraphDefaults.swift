import JSON
import Model

/// What a new policy has where the client says nothing.
///
/// Nobody has published what Graph creates from a display name alone. The values are those of policies that nobody has
/// changed and of the Intune portal; those of `recorded` were seen in answers of Graph.
enum GraphDefaults {
  static func of(_ list: PolicyList) -> JSONObject { lists[list] ?? [:] }

  /// What recorded answers of Graph prove, by list.
  static let recorded: [PolicyList: Set<String>] = [
    .configurations: ["customSettings", "settings", "assignments"],
    .ios: ["assignments"], .android: ["assignments"],
  ]

  private static let lists: [PolicyList: JSONObject] = [
    .ios: common.adding(group).adding(protection).adding(ios),
    .android: common.adding(group).adding(protection).adding(android),
    .default: common.adding(protection).adding(ios).adding(android).adding(["customSettings": []]),
    .windows: common.adding(windows).adding(["apps": [], "assignments": []]),
    .configurations: common.adding(group).adding(["customSettings": []]),
  ]

  private static let common: JSONObject = ["description": .null, "roleScopeTagIds": ["0"]]

  private static let group: JSONObject = [
    "appGroupType": "selectedPublicApps", "targetedAppManagementLevels": "unspecified", "apps": [], "assignments": [],
  ]

  /// Of iOS and of Android. A setting that is not here or in the next two is null.
  private static let protection: JSONObject = [
    "periodOfflineBeforeAccessCheck": "PT12H", "periodOnlineBeforeAccessCheck": "PT30M",
    "periodOfflineBeforeWipeIsEnforced": "P90D", "periodBeforePinReset": "PT0S", "pinRequired": true,
    "deviceComplianceRequired": true, "organizationalCredentialsRequired": false, "dataBackupBlocked": false,
    "saveAsBlocked": false, "managedBrowserToOpenLinksRequired": false, "simplePinBlocked": false,
    "contactSyncBlocked": false, "printBlocked": false, "fingerprintBlocked": false,
    "disableAppPinIfDevicePinIsSet": false, "blockDataIngestionIntoOrganizationDocuments": false,
    "maximumPinRetries": 5, "minimumPinLength": 4, "previousPinBlockCount": 0,
    "allowedOutboundClipboardSharingExceptionLength": 0, "allowedInboundDataTransferSources": "allApps",
    "allowedOutboundDataTransferDestinations": "allApps", "dialerRestrictionLevel": "allApps",
    "allowedOutboundClipboardSharingLevel": "managedAppsWithPasteIn", "pinCharacterSet": "numeric",
    "managedBrowser": "notConfigured", "maximumAllowedDeviceThreatLevel": "notConfigured",
    "notificationRestriction": "allow", "protectedMessagingRedirectAppType": "anyApp",
    "appActionIfDeviceComplianceRequired": "block", "appActionIfMaximumPinRetriesExceeded": "block",
    "mobileThreatDefenseRemediationAction": "block", "allowedDataStorageLocations": [],
    "allowedDataIngestionLocations": ["oneDriveForBusiness", "sharePoint", "camera", "photoLibrary"],
  ]

  private static let ios: JSONObject = [
    "appDataEncryptionType": "whenDeviceLocked", "faceIdBlocked": false, "thirdPartyKeyboardsBlocked": false,
    "filterOpenInToOnlyManagedApps": false, "disableProtectionOfManagedOutboundOpenInData": false,
    "protectInboundDataFromUnknownSources": false, "allowWidgetContentSync": false,
    "appActionIfIosDeviceModelNotAllowed": "block", "customBrowserProtocol": "", "customDialerAppProtocol": "",
    "exemptedAppProtocols": [], "managedUniversalLinks": [], "exemptedUniversalLinks": [],
  ]

  private static let android: JSONObject = [
    "encryptAppData": true, "screenCaptureBlocked": false, "disableAppEncryptionIfDeviceEncryptionIsEnabled": false,
    "keyboardsRestricted": false, "biometricAuthenticationBlocked": false, "deviceLockRequired": false,
    "connectToVpnOnLaunch": false, "requireClass3Biometrics": false, "requirePinAfterBiometricChange": false,
    "minimumRequiredPatchVersion": "0000-00-00", "minimumWarningPatchVersion": "0000-00-00",
    "minimumWipePatchVersion": "0000-00-00", "allowedAndroidDeviceModels": [], "approvedKeyboards": [],
    "exemptedAppPackages": [], "appActionIfAndroidDeviceManufacturerNotAllowed": "block",
    "appActionIfAndroidDeviceModelNotAllowed": "block", "appActionIfAndroidSafetyNetDeviceAttestationFailed": "block",
    "appActionIfAndroidSafetyNetAppsVerificationFailed": "block", "appActionIfDeviceLockNotSet": "block",
    "requiredAndroidSafetyNetDeviceAttestationType": "none", "requiredAndroidSafetyNetAppsVerificationType": "none",
    "requiredAndroidSafetyNetEvaluationType": "basic", "blockAfterCompanyPortalUpdateDeferralInDays": 0,
    "warnAfterCompanyPortalUpdateDeferralInDays": 0, "wipeAfterCompanyPortalUpdateDeferralInDays": 0,
    "customBrowserPackageId": "", "customBrowserDisplayName": "", "customDialerAppPackageId": "",
    "customDialerAppDisplayName": "",
  ]

  private static let windows: JSONObject = [
    "printBlocked": false, "allowedInboundDataTransferSources": "allApps",
    "allowedOutboundDataTransferDestinations": "allApps",
    "allowedOutboundClipboardSharingLevel": "anyDestinationAnySource",
    "maximumAllowedDeviceThreatLevel": "notConfigured", "mobileThreatDefenseRemediationAction": "block",
    "periodOfflineBeforeWipeIsEnforced": "P90D", "periodOfflineBeforeAccessCheck": "PT12H",
  ]
}
