import Model

/// Every member of the policy objects of Microsoft Graph that is known here, by Graph's name.
///
/// A new one is a case here and its row in `row` below: its type, SDK name, kinds of policies, merge, what it decides or
/// why it only informs, and the message of a refusal. The order is that of docs/policy-settings.md and of the schema.
public enum SettingName: String, CaseIterable, Hashable, Sendable {
  // About the policy itself.
  case id, displayName, description, createdDateTime, lastModifiedDateTime, roleScopeTagIds, version, isAssigned
  case targetedAppManagementLevels, appGroupType, deployedAppCount, apps, assignments, deploymentSummary, customSettings

  // Data transfer.
  case allowedInboundDataTransferSources, allowedOutboundDataTransferDestinations, allowedOutboundClipboardSharingLevel
  case allowedOutboundClipboardSharingExceptionLength, saveAsBlocked, allowedDataStorageLocations
  case blockDataIngestionIntoOrganizationDocuments, allowedDataIngestionLocations, dataBackupBlocked, printBlocked
  case contactSyncBlocked, allowWidgetContentSync, notificationRestriction, filterOpenInToOnlyManagedApps
  case disableProtectionOfManagedOutboundOpenInData, protectInboundDataFromUnknownSources, appDataEncryptionType
  case thirdPartyKeyboardsBlocked, dictationBlocked, genmojiConfigurationState, screenCaptureConfigurationState
  case writingToolsConfigurationState, purviewContentEvaluationRequired

  // Links.
  case managedBrowserToOpenLinksRequired, managedBrowser, customBrowserProtocol, dialerRestrictionLevel
  case customDialerAppProtocol, protectedMessagingRedirectAppType, messagingRedirectAppUrlScheme, exemptedAppProtocols
  case managedUniversalLinks, exemptedUniversalLinks

  // Access.
  case periodOfflineBeforeAccessCheck, periodOnlineBeforeAccessCheck, periodOfflineBeforeWipeIsEnforced
  case organizationalCredentialsRequired, pinRequired, maximumPinRetries, appActionIfMaximumPinRetriesExceeded
  case simplePinBlocked, minimumPinLength, pinCharacterSet, periodBeforePinReset, previousPinBlockCount
  case fingerprintBlocked, faceIdBlocked, disableAppPinIfDevicePinIsSet, pinRequiredInsteadOfBiometricTimeout

  // Conditional launch.
  case deviceComplianceRequired, appActionIfDeviceComplianceRequired, maximumRequiredOsVersion, maximumWarningOsVersion
  case maximumWipeOsVersion, minimumRequiredOsVersion, minimumWarningOsVersion, minimumWipeOsVersion
  case minimumRequiredAppVersion, minimumWarningAppVersion, minimumWipeAppVersion, minimumRequiredSdkVersion
  case minimumWarningSdkVersion, minimumWipeSdkVersion, maximumAllowedDeviceThreatLevel
  case mobileThreatDefenseRemediationAction, mobileThreatDefensePartnerPriority, appActionIfUnableToAuthenticateUser
  case allowedIosDeviceModels, appActionIfIosDeviceModelNotAllowed, appActionIfAccountIsClockedOut
  case gracePeriodToBlockAppsDuringOffClockHours

  // Android only.
  case encryptAppData, screenCaptureBlocked, keyboardsRestricted, approvedKeyboards, biometricAuthenticationBlocked
  case exemptedAppPackages, allowedAndroidDeviceModels, appActionIfAndroidDeviceModelNotAllowed
  case allowedAndroidDeviceManufacturers, appActionIfAndroidDeviceManufacturerNotAllowed, deviceLockRequired
  case appActionIfDeviceLockNotSet, disableAppEncryptionIfDeviceEncryptionIsEnabled, minimumRequiredPatchVersion
  case minimumWarningPatchVersion, minimumWipePatchVersion, minimumRequiredCompanyPortalVersion
  case minimumWarningCompanyPortalVersion, minimumWipeCompanyPortalVersion, blockAfterCompanyPortalUpdateDeferralInDays
  case warnAfterCompanyPortalUpdateDeferralInDays, wipeAfterCompanyPortalUpdateDeferralInDays
  case requiredAndroidSafetyNetDeviceAttestationType, appActionIfAndroidSafetyNetDeviceAttestationFailed
  case requiredAndroidSafetyNetAppsVerificationType, appActionIfAndroidSafetyNetAppsVerificationFailed
  case requiredAndroidSafetyNetEvaluationType, connectToVpnOnLaunch, customBrowserPackageId, customBrowserDisplayName
  case customDialerAppPackageId, customDialerAppDisplayName, messagingRedirectAppPackageId
  case messagingRedirectAppDisplayName
}

extension SettingName {
  /// The table of all settings; `definition` has its rows ready.
  var row: SettingDefinition {
    switch self {
    // About the policy itself.
    case .id: about("names the policy in reports and orders policies in a merge", .string)
    case .displayName: about("names the policy in reports", .string)
    case .description: about("for administrators", .string)
    case .createdDateTime, .lastModifiedDateTime, .roleScopeTagIds: about("for administrators")
    case .version: about("tells whether a policy is new: enrollment status 100 or 101", .string)
    case .isAssigned: about("for administrators; assignments say for whom a policy is", .bool)
    case .targetedAppManagementLevels:
      about("for whom the policy is", .words(AppManagementLevel.self, joined: true), on: [.ios, .android])
    case .appGroupType: about("for whom the policy is", .word(AppGroupType.self), on: [.ios, .android])
    case .deployedAppCount: about("for administrators", .integer(0...Int64(Int32.max)))
    case .apps, .assignments: about("for whom the policy is")
    case .deploymentSummary: about("for administrators")
    case .customSettings: about("the app configuration that a default policy carries", .pairs, on: [.default])

    // Data transfer.
    case .allowedInboundDataTransferSources:
      word(
        DataTransferLevel.self, sdk: .plain("AppSharingFromLevel").android("receiveSharingLevel"),
        .decides("opening, receiving and import pickers; what other accounts may save here"))
    case .allowedOutboundDataTransferDestinations:
      word(
        DataTransferLevel.self, sdk: .plain("AppSharingToLevel").android("transferSharingLevel"),
        .decides("saving, sharing, URLs, links, export pickers, Spotlight, Siri, file providers, screen capture"),
        refusal: .outgoingRestricted)
    case .allowedOutboundClipboardSharingLevel:
      word(
        ClipboardSharingLevel.self, sdk: "ClipboardSharingLevel",
        .decides("enforcement.copy and paste; paste into web views"))
    case .allowedOutboundClipboardSharingExceptionLength:
      number(
        portal: 0, sdk: "ClipboardCharacterLengthException", .decides("how many characters enforcement.copy lets go"))
    case .saveAsBlocked:
      flag(
        sdk: .plain("FileSharingSaveAsDisabled").android("saveToPersonal", .inverted),
        .decides("isSaveToAllowedForLocation, getSaveToLocations, the action saveAs"), refusal: .saving)
    case .allowedDataStorageLocations:
      list(
        .words(DataStorageLocation.self, joined: false), sdk: "ManagedLocations",
        .decides("exceptions to saveAsBlocked; iManage and egnyte only inform"), refusal: .saving)
    case .blockDataIngestionIntoOrganizationDocuments:
      flag(
        sdk: .plain("OpenDataIntoOrgDocumentsBlocked").android("openFromPersonal", .inverted),
        .decides("isOpenFromAllowedForLocation, getOpenFromLocations"), refusal: .incomingRestricted)
    case .allowedDataIngestionLocations:
      list(
        .words(DataIngestionLocation.self, joined: false), sdk: "OpenDataFromManagedLocations",
        .decides("exceptions to blockDataIngestionIntoOrganizationDocuments"), refusal: .incomingRestricted)
    case .dataBackupBlocked:
      flag(sdk: .plain("DataBackupDisabled").android("restrictBackups"), .decides("the action backup"))
    case .printBlocked: flag(sdk: "PrintingBlocked", .decides("the action print"), refusal: .printing)
    case .contactSyncBlocked:
      flag(sdk: "ContactSyncDisabled", .decides("isContactSyncAllowed, isWidgetContentSyncAllowed"))
    case .allowWidgetContentSync: flag(restricting: false, on: .ios, .decides("isWidgetContentSyncAllowed"))
    case .notificationRestriction:
      word(
        NotificationRestriction.self, sdk: "NotificationRestriction",
        .decides("notificationPolicy, enforcement.redactNotification"))
    case .filterOpenInToOnlyManagedApps:
      flag(on: .ios, sdk: "EnableOpenInFilter", .decides("enforcement.filterShareTargets: which targets are offered"))
    case .disableProtectionOfManagedOutboundOpenInData:
      flag(
        restricting: false, on: .ios, sdk: .inverted("ProtectManagedOpenInData"),
        .decides("enforcement.filterShareTargets: encrypt or not"))
    case .protectInboundDataFromUnknownSources:
      flag(
        on: .ios, sdk: "ProtectAllIncomingUnknownSourceData", .decides("whose received data without an owner becomes"))
    case .appDataEncryptionType:
      word(
        DataEncryptionType.self, on: .ios, sdk: "FileEncryptionLevel",
        .decides("isFileEncryptionRequired, shouldFileProviderEncryptFiles, files"))
    case .thirdPartyKeyboardsBlocked:
      flag(
        on: .ios, sdk: "ThirdPartyKeyboardsBlocked",
        .decides("the action thirdPartyKeyboard, for all accounts"), refusal: .keyboard)
    // Delivered by the SDK's service only; Graph has no member for it, so the name is ours.
    case .dictationBlocked:
      flag(on: .ios, sdk: "DictationBlocked", .decides("the action dictation"), refusal: .dictation)
    case .genmojiConfigurationState:
      word(ConfigurationState.self, on: .ios, sdk: "GenmojiConfigurationState", .decides("the action genmoji"))
    case .screenCaptureConfigurationState:
      word(
        ConfigurationState.self, on: .ios, sdk: "ScreenCaptureConfigurationState", .decides("the action screenCapture"))
    case .writingToolsConfigurationState:
      word(
        ConfigurationState.self, on: .ios, sdk: "WritingToolsConfigurationState", .decides("the action writingTools"))
    case .purviewContentEvaluationRequired:
      word(PurviewEvaluationRequirement.self, .informs("content is evaluated by a service that is not here"))

    // Links.
    case .managedBrowserToOpenLinksRequired:
      flag(
        sdk: "ManagedBrowserRequired",
        .decides("isManagedBrowserRequired, isURLAllowed, web views"), refusal: .edgeRequired)
    case .managedBrowser:
      word(ManagedBrowserType.self, .informs("Microsoft Edge is the one managed browser that there is"))
    case .customBrowserProtocol:
      text(
        on: .ios, sdk: "UnmanagedBrowserProtocol",
        .decides("isManagedBrowserRequired, isURLAllowed, enforcement.openURL"), refusal: .browserRequired)
    case .dialerRestrictionLevel:
      word(
        PhoneNumberRedirectLevel.self, sdk: "DialerRestrictionLevel",
        .decides("isURLAllowed and enforcement.openURL of tel and telprompt"))
    case .customDialerAppProtocol:
      text(
        on: .ios, sdk: "SpecificDialerProtocol",
        .decides("the dialer that dialerRestrictionLevel customApp names"), refusal: .dialerRequired)
    case .protectedMessagingRedirectAppType:
      word(
        MessagingRedirectAppType.self, sdk: "ProtectedMessagingRedirectAppType",
        .decides("isURLAllowed and enforcement.openURL of sms"))
    case .messagingRedirectAppUrlScheme:
      text(on: .ios, .decides("the app that protectedMessagingRedirectAppType specificApps names"))
    case .exemptedAppProtocols:
      list(
        .pairs, by: .schemes, on: .ios, sdk: .joined(";", "ProtocolExclusions"),
        .decides("isURLAllowed, enforcement.openURL: schemes that any app may take"))
    case .managedUniversalLinks:
      list(
        .strings(joinedBy: nil, mayBeEmpty: true), on: .ios,
        sdk: .joined("|", "ManagedUniversalLinks", "ManageableUniversalLinks"),
        .decides("isUniversalLinkAllowed: links of managed apps"))
    case .exemptedUniversalLinks:
      list(
        .strings(joinedBy: nil, mayBeEmpty: true), on: .ios, sdk: .joined("|", "UniversalLinkExclusions"),
        .decides("isUniversalLinkAllowed: links that any app may take"))

    // Access.
    case .periodOfflineBeforeAccessCheck:
      duration(
        .portalMinutes(1440), sdk: .minutes("AccessRecheckOfflineTimeout").android("launchOfflineTimeout", .seconds),
        .decides("conditional launch: blocked after so long without a check-in"))
    case .periodOnlineBeforeAccessCheck:
      duration(
        .portalMinutes(30), sdk: .minutes("AccessRecheckOnlineTimeout").android("launchOnlineTimeout", .seconds),
        .decides("when PIN, credentials and conditional launch are asked again"))
    case .periodOfflineBeforeWipeIsEnforced:
      duration(
        .portalMinutes(90 * 1440), sdk: .days("OfflineWipeInterval"),
        .decides("conditional launch: wiped after so long without a check-in"))
    case .organizationalCredentialsRequired:
      flag(
        sdk: .plain("AuthenticationEnabled").android("requireAuthentication"),
        .decides("conditional launch: a challenge for credentials"))
    case .pinRequired:
      flag(sdk: .plain("PINEnabled").android("requireUserPin"), .decides("isPINRequired, pin.*, conditional launch"))
    case .maximumPinRetries:
      number(portal: 5, sdk: "PINNumRetry", .decides("PIN: wrong attempts before the action"))
    case .appActionIfMaximumPinRetriesExceeded:
      action(sdk: "MaxPinRetryExceededAction", .decides("PIN: block is a reset, wipe a wipe"))
    case .simplePinBlocked: flag(sdk: .inverted("SimplePINAllowed"), .decides("PIN: what may be set"))
    case .minimumPinLength: number(portal: 4, sdk: "PINMinLength", .decides("PIN: what may be set"))
    case .pinCharacterSet: word(PINCharacterSet.self, sdk: "PINCharacterType", .decides("PIN: what may be set"))
    case .periodBeforePinReset:
      duration(.portalMinutes(0), sdk: .days("PINExpiryDays"), .decides("PIN: when a new one is wanted; 0 for never"))
    case .previousPinBlockCount:
      number(portal: 0, sdk: "PinHistoryLength", .decides("PIN: how many former ones may not come again"))
    case .fingerprintBlocked:
      flag(sdk: .inverted("TouchIDEnabled"), .decides("PIN: whether biometrics may take its place"))
    case .faceIdBlocked:
      flag(on: .ios, sdk: .inverted("FaceIDEnabled"), .decides("PIN: whether biometrics may take its place"))
    case .disableAppPinIfDevicePinIsSet:
      flag(restricting: false, sdk: "AppPinDisabled", .decides("isPINRequired, with device.devicePinSet"))
    case .pinRequiredInsteadOfBiometricTimeout:
      duration(
        .portalMinutes(30), sdk: .minutes("NonBioPassTimeOut"),
        .decides("PIN: when it is wanted although biometrics may take its place"))

    // Conditional launch.
    case .deviceComplianceRequired:
      flag(
        sdk: .plain("DeviceComplianceEnabled").android("appRequiresCompliance"),
        .decides("conditional launch: device.jailbroken"))
    case .appActionIfDeviceComplianceRequired:
      action(sdk: "DeviceComplianceFailureAction", .decides("conditional launch: what a jailbroken device leads to"))
    case .maximumRequiredOsVersion: maximum(sdk: "MaxOsVersion", .decides("conditional launch: device.osVersion"))
    case .maximumWarningOsVersion: maximum(sdk: "MaxOsVersionWarning", .decides("conditional launch: device.osVersion"))
    case .maximumWipeOsVersion: maximum(sdk: "MaxOsVersionWipe", .decides("conditional launch: device.osVersion"))
    case .minimumRequiredOsVersion: minimum(sdk: "MinOsVersion", .decides("conditional launch: device.osVersion"))
    case .minimumWarningOsVersion: minimum(sdk: "MinOsVersionWarning", .decides("conditional launch: device.osVersion"))
    case .minimumWipeOsVersion: minimum(sdk: "MinOsVersionWipe", .decides("conditional launch: device.osVersion"))
    case .minimumRequiredAppVersion: minimum(sdk: "MinAppVersion", .decides("conditional launch: device.appVersion"))
    case .minimumWarningAppVersion:
      minimum(sdk: "MinAppVersionWarning", .decides("conditional launch: device.appVersion"))
    case .minimumWipeAppVersion: minimum(sdk: "MinAppVersionWipe", .decides("conditional launch: device.appVersion"))
    case .minimumRequiredSdkVersion:
      minimum(on: .ios, sdk: "MinSDKVersion", .decides("conditional launch: the version of the SDK"))
    case .minimumWarningSdkVersion: minimum(on: .ios, .decides("conditional launch: the version of the SDK"))
    case .minimumWipeSdkVersion:
      minimum(on: .ios, sdk: "MinSDKVersionWipe", .decides("conditional launch: the version of the SDK"))
    case .maximumAllowedDeviceThreatLevel:
      word(
        DeviceThreatLevel.self, sdk: "MinimumRequiredDeviceThreatProtectionLevel",
        .decides("conditional launch: device.threatLevel"))
    case .mobileThreatDefenseRemediationAction:
      action(sdk: "MobileThreatDefenseRemediationAction", .decides("conditional launch: what a higher threat leads to"))
    case .mobileThreatDefensePartnerPriority:
      word(ThreatDefensePartnerPriority.self, merge: .first, .informs("device.threatLevel has no partners"))
    case .appActionIfUnableToAuthenticateUser:
      action(sdk: "AppActionIfUnableToAuthenticateUser", .decides("conditional launch: a disabled or deleted user"))
    case .allowedIosDeviceModels:
      list(
        .strings(joinedBy: ";"), on: .ios, sdk: .joined(";", "AllowedIOSModelsElseBlock", "AllowedIOSModelsElseWipe"),
        .decides("conditional launch: device.model"))
    case .appActionIfIosDeviceModelNotAllowed:
      action(on: .ios, .decides("conditional launch: what another model leads to"))
    case .appActionIfAccountIsClockedOut:
      action(sdk: "AppActionIfAccountIsClockedOut", .decides("userStatus; conditional launch: off shift"))
    case .gracePeriodToBlockAppsDuringOffClockHours:
      duration(
        .lowest, sdk: .minutes("BlockClockStatusWithGracePeriod"),
        .decides("conditional launch: how long after the shift"))

    // Android only.
    case .encryptAppData:
      flag(on: .android, .decides("isFileEncryptionRequired, shouldFileProviderEncryptFiles, files"))
    case .screenCaptureBlocked: flag(on: .android, sdk: "restrictScreenshots", .decides("the action screenCapture"))
    case .keyboardsRestricted:
      flag(on: .android, .decides("the action thirdPartyKeyboard, for all accounts"), refusal: .keyboard)
    case .approvedKeyboards: list(.pairs, by: .name, on: .android, .decides("exceptions to keyboardsRestricted"))
    case .biometricAuthenticationBlocked: flag(on: .android, .decides("PIN: whether biometrics may take its place"))
    case .exemptedAppPackages:
      list(
        .pairs, by: .value, on: .android, .decides("enforcement.filterShareTargets: packages that any data may go to"))
    case .allowedAndroidDeviceModels:
      list(.strings(joinedBy: nil), on: .android, .decides("conditional launch: device.model"))
    case .appActionIfAndroidDeviceModelNotAllowed:
      action(on: .android, .decides("conditional launch: what another model leads to"))
    case .allowedAndroidDeviceManufacturers:
      list(.strings(joinedBy: ";"), on: .android, .decides("conditional launch: device.manufacturer"))
    case .appActionIfAndroidDeviceManufacturerNotAllowed:
      action(on: .android, .decides("conditional launch: what another manufacturer leads to"))
    case .deviceLockRequired: flag(on: .android, .decides("conditional launch: device.devicePinSet"))
    case .appActionIfDeviceLockNotSet:
      action(on: .android, .decides("conditional launch: what a device without a lock leads to"))
    case .disableAppEncryptionIfDeviceEncryptionIsEnabled:
      flag(restricting: false, on: .android, .informs("whether a device encrypts is not told"))
    case .minimumRequiredPatchVersion, .minimumWarningPatchVersion, .minimumWipePatchVersion:
      minimum(on: .android, .untold("its security patch"))
    case .minimumRequiredCompanyPortalVersion, .minimumWarningCompanyPortalVersion, .minimumWipeCompanyPortalVersion:
      minimum(on: .android, .untold("its Company Portal"))
    case .blockAfterCompanyPortalUpdateDeferralInDays, .warnAfterCompanyPortalUpdateDeferralInDays,
      .wipeAfterCompanyPortalUpdateDeferralInDays:
      number(portal: 0, on: .android, .untold("its Company Portal"))
    case .requiredAndroidSafetyNetDeviceAttestationType:
      word(DeviceAttestationType.self, on: .android, .untold("Google's attestation"))
    case .appActionIfAndroidSafetyNetDeviceAttestationFailed, .appActionIfAndroidSafetyNetAppsVerificationFailed:
      action(on: .android, .untold("Google's attestation"))
    case .requiredAndroidSafetyNetAppsVerificationType:
      word(AppsVerificationType.self, on: .android, .untold("Google's attestation"))
    case .requiredAndroidSafetyNetEvaluationType:
      word(AttestationEvaluationType.self, on: .android, .untold("Google's attestation"))
    case .connectToVpnOnLaunch: flag(on: .android, .informs("there is no VPN to connect to"))
    case .customBrowserPackageId:
      text(on: .android, sdk: "specificBrowser", .informs("addresses are handed on by scheme, not by package"))
    case .customBrowserDisplayName:
      text(on: .android, sdk: "specificBrowserTitle", .informs("addresses are handed on by scheme, not by package"))
    case .customDialerAppPackageId, .customDialerAppDisplayName, .messagingRedirectAppPackageId,
      .messagingRedirectAppDisplayName:
      text(on: .android, .informs("addresses are handed on by scheme, not by package"))
    }
  }
}
