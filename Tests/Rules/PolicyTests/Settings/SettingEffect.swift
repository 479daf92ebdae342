@testable import Model
@testable import Policy

/// Two values of a setting, as JSON, that lead to different answers beside these other members.
struct SettingEffect: Sendable {
  let name: SettingName
  let values: [String]
  let others: String

  private init(_ name: SettingName, _ first: String, _ second: String, beside others: String = "") {
    (self.name, values, self.others) = (name, [first, second], others)
  }

  private static func flag(_ name: SettingName, beside others: String = "") -> Self {
    Self(name, "false", "true", beside: others)
  }

  private static func word(_ name: SettingName, _ first: String, _ second: String, beside others: String = "") -> Self {
    Self(name, "\"\(first)\"", "\"\(second)\"", beside: others)
  }

  private static func versions(_ names: SettingName...) -> [Self] { names.map { word($0, "2.0", "4.0") } }

  static let all = transfer + windows + links + access + pin + launch + android

  private static let sendsToManaged = #""allowedOutboundDataTransferDestinations": "managedApps""#
  private static let receivesFromManaged = #""allowedInboundDataTransferSources": "managedApps""#

  private static let transfer: [Self] = [
    word(.allowedInboundDataTransferSources, "managedApps", "none"),
    word(.allowedOutboundDataTransferDestinations, "managedApps", "none"),
    word(.allowedOutboundClipboardSharingLevel, "managedApps", "managedAppsWithPasteIn"),
    Self(
      .allowedOutboundClipboardSharingExceptionLength, "2", "5",
      beside: #""allowedOutboundClipboardSharingLevel": "blocked""#),
    flag(.saveAsBlocked, beside: sendsToManaged),
    Self(.allowedDataStorageLocations, #"["box"]"#, #"["sharePoint"]"#, beside: #""saveAsBlocked": true"#),
    flag(.blockDataIngestionIntoOrganizationDocuments, beside: receivesFromManaged),
    Self(
      .allowedDataIngestionLocations, #"["camera"]"#, #"["photoLibrary"]"#,
      beside: #""blockDataIngestionIntoOrganizationDocuments": true"#),
    flag(.dataBackupBlocked), flag(.printBlocked), flag(.contactSyncBlocked),
    flag(.allowWidgetContentSync, beside: #""contactSyncBlocked": true"#),
    word(.notificationRestriction, "blockOrganizationalData", "block"),
    flag(.filterOpenInToOnlyManagedApps, beside: sendsToManaged),
    flag(.disableProtectionOfManagedOutboundOpenInData, beside: sendsToManaged),
    flag(.protectInboundDataFromUnknownSources, beside: #""allowedInboundDataTransferSources": "allApps""#),
    word(.appDataEncryptionType, "useDeviceSettings", "whenDeviceLocked"),
    flag(.thirdPartyKeyboardsBlocked), flag(.dictationBlocked),
    word(.genmojiConfigurationState, "notBlocked", "blocked"),
    word(.screenCaptureConfigurationState, "notBlocked", "blocked"),
    word(.writingToolsConfigurationState, "notBlocked", "blocked"),
  ]

  private static let windows: [Self] = [
    Self(
      .allowedInboundDataTransferSourceApps, #"["none"]"#, #"["oneDriveForBusiness"]"#,
      beside: #""allowedInboundDataTransferSources": "selectedApps""#),
    Self(
      .allowedOutboundDataTransferDestinationApps, #"["none"]"#, #"["oneDriveForBusiness"]"#,
      beside: #""allowedOutboundDataTransferDestinations": "selectedApps""#),
  ]

  private static let links: [Self] = [
    flag(.managedBrowserToOpenLinksRequired),
    word(.customBrowserProtocol, "fox", "bear", beside: #""managedBrowserToOpenLinksRequired": true"#),
    word(.dialerRestrictionLevel, "allApps", "blocked"),
    word(.customDialerAppProtocol, "fox", "bear", beside: #""dialerRestrictionLevel": "customApp""#),
    word(.protectedMessagingRedirectAppType, "anyApp", "blocked"),
    word(
      .messagingRedirectAppUrlScheme, "fox", "bear", beside: #""protectedMessagingRedirectAppType": "specificApps""#),
    Self(
      .exemptedAppProtocols, #"[{"name": "Default", "value": "skype"}]"#, #"[{"name": "Default", "value": "itms"}]"#,
      beside: sendsToManaged),
    Self(.managedUniversalLinks, #"["https://*.sharepoint.com/*"]"#, #"["https://maps.x/*"]"#, beside: sendsToManaged),
    Self(.exemptedUniversalLinks, #"["https://*.sharepoint.com/*"]"#, #"["https://maps.x/*"]"#, beside: sendsToManaged),
  ]

  private static let access: [Self] = [
    word(.periodOfflineBeforeAccessCheck, "PT1H", "P30D"), word(.periodOfflineBeforeWipeIsEnforced, "PT1H", "P30D"),
    word(.periodOnlineBeforeAccessCheck, "PT5M", "PT2H"), flag(.organizationalCredentialsRequired),
  ]

  private static let pin: [Self] = [
    flag(.pinRequired), flag(.disableAppPinIfDevicePinIsSet, beside: #""pinRequired": true"#),
    Self(.maximumPinRetries, "3", "9"),
    word(.appActionIfMaximumPinRetriesExceeded, "block", "wipe", beside: #""maximumPinRetries": 3"#),
    flag(.simplePinBlocked), Self(.minimumPinLength, "4", "6"),
    word(.pinCharacterSet, "numeric", "alphanumericAndSymbol"), word(.periodBeforePinReset, "P1D", "P365D"),
    Self(.previousPinBlockCount, "1", "3"), flag(.fingerprintBlocked), flag(.faceIdBlocked),
    word(.pinRequiredInsteadOfBiometricTimeout, "PT5M", "PT2H"),
  ]

  private static let launch: [Self] =
    versions(
      .maximumRequiredOsVersion, .maximumWarningOsVersion, .maximumWipeOsVersion, .minimumRequiredOsVersion,
      .minimumWarningOsVersion, .minimumWipeOsVersion, .minimumRequiredAppVersion, .minimumWarningAppVersion,
      .minimumWipeAppVersion, .minimumRequiredSdkVersion, .minimumWarningSdkVersion, .minimumWipeSdkVersion) + [
      flag(.deviceComplianceRequired),
      word(.appActionIfDeviceComplianceRequired, "block", "wipe", beside: #""deviceComplianceRequired": true"#),
      word(.maximumAllowedDeviceThreatLevel, "low", "high"),
      word(
        .mobileThreatDefenseRemediationAction, "block", "wipe", beside: #""maximumAllowedDeviceThreatLevel": "low""#),
      word(.appActionIfUnableToAuthenticateUser, "block", "wipe"),
      word(.allowedIosDeviceModels, "this", "that"),
      word(.appActionIfIosDeviceModelNotAllowed, "block", "wipe", beside: #""allowedIosDeviceModels": "that""#),
      word(.appActionIfAccountIsClockedOut, "block", "warn"),
      word(
        .gracePeriodToBlockAppsDuringOffClockHours, "PT5M", "PT2H",
        beside: #""appActionIfAccountIsClockedOut": "block""#),
    ]

  private static let android: [Self] = [
    flag(.encryptAppData), flag(.screenCaptureBlocked), flag(.keyboardsRestricted),
    Self(
      .approvedKeyboards, #"[{"name": "com.example.one", "value": "One"}]"#,
      #"[{"name": "com.example.two", "value": "Two"}]"#, beside: #""keyboardsRestricted": true"#),
    flag(.biometricAuthenticationBlocked),
    word(.customBrowserPackageId, "a.fox", "a.bear", beside: #""managedBrowserToOpenLinksRequired": true"#),
    word(.customDialerAppPackageId, "a.fox", "a.bear", beside: #""dialerRestrictionLevel": "customApp""#),
    word(
      .messagingRedirectAppPackageId, "a.fox", "a.bear",
      beside: #""protectedMessagingRedirectAppType": "specificApps""#),
    Self(
      .exemptedAppPackages, #"[{"name": "One", "value": "com.example.one"}]"#,
      #"[{"name": "Two", "value": "com.example.two"}]"#, beside: sendsToManaged),
    Self(.allowedAndroidDeviceModels, #"["this"]"#, #"["that"]"#),
    word(
      .appActionIfAndroidDeviceModelNotAllowed, "block", "wipe", beside: #""allowedAndroidDeviceModels": ["that"]"#),
    word(.allowedAndroidDeviceManufacturers, "this", "that"),
    word(
      .appActionIfAndroidDeviceManufacturerNotAllowed, "block", "wipe",
      beside: #""allowedAndroidDeviceManufacturers": "that""#),
    flag(.deviceLockRequired),
    word(.appActionIfDeviceLockNotSet, "block", "wipe", beside: #""deviceLockRequired": true"#),
    word(.appActionIfDevicePasscodeComplexityLessThanLow, "block", "wipe"),
    word(.appActionIfDevicePasscodeComplexityLessThanMedium, "block", "wipe"),
    word(.appActionIfDevicePasscodeComplexityLessThanHigh, "block", "wipe"),
    word(.appActionIfDeveloperOptionsEnabled, "block", "wipe"),
    word(.appActionIfSamsungKnoxAttestationRequired, "warn", "wipe"), flag(.fingerprintAndBiometricEnabled),
    flag(.requireClass3Biometrics), flag(.requirePinAfterBiometricChange),
  ]
}
