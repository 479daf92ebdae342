extension SettingName {
  public var role: SettingRole {
    descriptionRole ?? dataRole ?? linkRole ?? accessRole ?? launchRole ?? androidRole
  }

  private var descriptionRole: SettingRole? {
    switch self {
    case .id: .describes("names the policy in reports and orders policies in a merge")
    case .displayName: .describes("names the policy in reports")
    case .version: .describes("tells whether a policy is new: enrollment status 100 or 101")
    case .description, .createdDateTime, .lastModifiedDateTime, .roleScopeTagIds, .deployedAppCount,
      .deploymentSummary:
      .describes("for administrators")
    case .isAssigned: .describes("for administrators; assignments say for whom a policy is")
    case .targetedAppManagementLevels, .appGroupType, .apps, .assignments: .describes("for whom the policy is")
    case .customSettings: .describes("the app configuration that a default policy carries")
    default: nil
    }
  }

  private var dataRole: SettingRole? {
    switch self {
    case .allowedInboundDataTransferSources:
      .decides("opening, receiving and import pickers; what other accounts may save here")
    case .allowedOutboundDataTransferDestinations:
      .decides("saving, sharing, URLs, links, export pickers, Spotlight, Siri, file providers, screen capture")
    case .allowedOutboundClipboardSharingLevel: .decides("enforcement.copy and paste; paste into web views")
    case .allowedOutboundClipboardSharingExceptionLength: .decides("how many characters enforcement.copy lets go")
    case .saveAsBlocked: .decides("isSaveToAllowedForLocation, getSaveToLocations, the action saveAs")
    case .allowedDataStorageLocations: .decides("exceptions to saveAsBlocked; iManage and egnyte only inform")
    case .blockDataIngestionIntoOrganizationDocuments: .decides("isOpenFromAllowedForLocation, getOpenFromLocations")
    case .allowedDataIngestionLocations: .decides("exceptions to blockDataIngestionIntoOrganizationDocuments")
    case .dataBackupBlocked: .decides("the action backup")
    case .printBlocked: .decides("the action print")
    case .contactSyncBlocked: .decides("isContactSyncAllowed, isWidgetContentSyncAllowed")
    case .allowWidgetContentSync: .decides("isWidgetContentSyncAllowed")
    case .notificationRestriction: .decides("notificationPolicy, enforcement.redactNotification")
    case .filterOpenInToOnlyManagedApps: .decides("enforcement.filterShareTargets: which targets are offered")
    case .disableProtectionOfManagedOutboundOpenInData: .decides("enforcement.filterShareTargets: encrypt or not")
    case .protectInboundDataFromUnknownSources: .decides("whose received data without an owner becomes")
    case .appDataEncryptionType: .decides("isFileEncryptionRequired, shouldFileProviderEncryptFiles, files")
    case .thirdPartyKeyboardsBlocked: .decides("the action thirdPartyKeyboard, for all accounts")
    case .dictationBlocked: .decides("the action dictation")
    case .genmojiConfigurationState: .decides("the action genmoji")
    case .screenCaptureConfigurationState: .decides("the action screenCapture")
    case .writingToolsConfigurationState: .decides("the action writingTools")
    case .purviewContentEvaluationRequired: .informs("content is evaluated by a service that is not here")
    default: nil
    }
  }

  private var linkRole: SettingRole? {
    switch self {
    case .managedBrowserToOpenLinksRequired: .decides("isManagedBrowserRequired, isURLAllowed, web views")
    case .managedBrowser: .informs("Microsoft Edge is the one managed browser that there is")
    case .customBrowserProtocol: .decides("isManagedBrowserRequired, isURLAllowed, enforcement.openURL")
    case .dialerRestrictionLevel: .decides("isURLAllowed and enforcement.openURL of tel and telprompt")
    case .customDialerAppProtocol: .decides("the dialer that dialerRestrictionLevel customApp names")
    case .protectedMessagingRedirectAppType: .decides("isURLAllowed and enforcement.openURL of sms")
    case .messagingRedirectAppUrlScheme: .decides("the app that protectedMessagingRedirectAppType specificApps names")
    case .exemptedAppProtocols: .decides("isURLAllowed, enforcement.openURL: schemes that any app may take")
    case .managedUniversalLinks: .decides("isUniversalLinkAllowed: links of managed apps")
    case .exemptedUniversalLinks: .decides("isUniversalLinkAllowed: links that any app may take")
    default: nil
    }
  }

  private var accessRole: SettingRole? {
    switch self {
    case .periodOfflineBeforeAccessCheck: .decides("conditional launch: blocked after so long without a check-in")
    case .periodOnlineBeforeAccessCheck: .decides("when PIN, credentials and conditional launch are asked again")
    case .periodOfflineBeforeWipeIsEnforced: .decides("conditional launch: wiped after so long without a check-in")
    case .organizationalCredentialsRequired: .decides("conditional launch: a challenge for credentials")
    case .pinRequired: .decides("isPINRequired, pin.*, conditional launch")
    case .maximumPinRetries: .decides("PIN: wrong attempts before the action")
    case .appActionIfMaximumPinRetriesExceeded: .decides("PIN: block is a reset, wipe a wipe")
    case .simplePinBlocked: .decides("PIN: what may be set")
    case .minimumPinLength: .decides("PIN: what may be set")
    case .pinCharacterSet: .decides("PIN: what may be set")
    case .periodBeforePinReset: .decides("PIN: when a new one is wanted; 0 for never")
    case .previousPinBlockCount: .decides("PIN: how many former ones may not come again")
    case .fingerprintBlocked, .faceIdBlocked: .decides("PIN: whether biometrics may take its place")
    case .disableAppPinIfDevicePinIsSet: .decides("isPINRequired, with device.devicePinSet")
    case .pinRequiredInsteadOfBiometricTimeout:
      .decides("PIN: when it is wanted although biometrics may take its place")
    default: nil
    }
  }

  private var launchRole: SettingRole? {
    switch self {
    case .deviceComplianceRequired: .decides("conditional launch: device.jailbroken")
    case .appActionIfDeviceComplianceRequired: .decides("conditional launch: what a jailbroken device leads to")
    case .maximumRequiredOsVersion, .maximumWarningOsVersion, .maximumWipeOsVersion, .minimumRequiredOsVersion,
      .minimumWarningOsVersion, .minimumWipeOsVersion:
      .decides("conditional launch: device.osVersion")
    case .minimumRequiredAppVersion, .minimumWarningAppVersion, .minimumWipeAppVersion:
      .decides("conditional launch: device.appVersion")
    case .minimumRequiredSdkVersion, .minimumWarningSdkVersion, .minimumWipeSdkVersion:
      .decides("conditional launch: the version of the SDK")
    case .maximumAllowedDeviceThreatLevel: .decides("conditional launch: device.threatLevel")
    case .mobileThreatDefenseRemediationAction: .decides("conditional launch: what a higher threat leads to")
    case .mobileThreatDefensePartnerPriority: .informs("device.threatLevel has no partners")
    case .appActionIfUnableToAuthenticateUser: .decides("conditional launch: a disabled or deleted user")
    case .allowedIosDeviceModels: .decides("conditional launch: device.model")
    case .appActionIfIosDeviceModelNotAllowed: .decides("conditional launch: what another model leads to")
    case .appActionIfAccountIsClockedOut: .decides("userStatus; conditional launch: off shift")
    case .gracePeriodToBlockAppsDuringOffClockHours: .decides("conditional launch: how long after the shift")
    default: nil
    }
  }

  private var androidRole: SettingRole {
    switch self {
    case .encryptAppData: .decides("isFileEncryptionRequired, shouldFileProviderEncryptFiles, files")
    case .screenCaptureBlocked: .decides("the action screenCapture")
    case .keyboardsRestricted: .decides("the action thirdPartyKeyboard, for all accounts")
    case .approvedKeyboards: .decides("exceptions to keyboardsRestricted")
    case .biometricAuthenticationBlocked: .decides("PIN: whether biometrics may take its place")
    case .exemptedAppPackages: .decides("enforcement.filterShareTargets: packages that any data may go to")
    case .allowedAndroidDeviceModels: .decides("conditional launch: device.model")
    case .appActionIfAndroidDeviceModelNotAllowed: .decides("conditional launch: what another model leads to")
    case .allowedAndroidDeviceManufacturers: .decides("conditional launch: device.manufacturer")
    case .appActionIfAndroidDeviceManufacturerNotAllowed:
      .decides("conditional launch: what another manufacturer leads to")
    case .deviceLockRequired: .decides("conditional launch: device.devicePinSet")
    case .appActionIfDeviceLockNotSet: .decides("conditional launch: what a device without a lock leads to")
    case .disableAppEncryptionIfDeviceEncryptionIsEnabled: .informs("whether a device encrypts is not told")
    case .connectToVpnOnLaunch: .informs("there is no VPN to connect to")
    case .customBrowserPackageId, .customBrowserDisplayName, .customDialerAppPackageId, .customDialerAppDisplayName,
      .messagingRedirectAppPackageId, .messagingRedirectAppDisplayName:
      .informs("addresses are handed on by scheme, not by package")
    default: .informs("nothing here tells it of a device: \(subjectOnDevice)")
    }
  }

  /// What of an Android device these are about.
  private var subjectOnDevice: String {
    let name = rawValue
    if name.contains("Patch") { return "its security patch" }
    if name.contains("CompanyPortal") { return "its Company Portal" }
    return "Google's attestation"
  }
}
