import Model

extension SettingName {
  /// The SDK's spelling of settings whose names differ in nothing else. Byte by byte: what a String does with characters
  /// was a twentieth of the instructions to the first policy answer.
  private var capitalized: String {
    var letters = Array(rawValue.utf8)
    letters[0] -= 32
    return String(decoding: letters, as: UTF8.self)
  }

  /// The table of all settings. Use `definition`, which keeps the rows.
  var row: SettingDefinition {
    switch self {
    // About the policy itself.
    case .id: about("the id of the policy; policies are merged in the order of their ids", .string)
    case .displayName: about("the name of the policy in reports", .string)
    case .description: about("a note for administrators", .string)
    case .createdDateTime, .lastModifiedDateTime, .roleScopeTagIds: about("information for administrators")
    case .version:
      about("the version, which tells a new policy (enrollment status 100) from an unchanged one (101)", .string)
    case .isAssigned: about("information for administrators; assignments determine who gets the policy", .bool)
    case .targetedAppManagementLevels:
      about(
        "how a device must be managed to get the policy", .words(AppManagementLevel.self, joined: true),
        on: [.ios, .android])
    case .appGroupType: about("which apps get the policy", .word(AppGroupType.self), on: [.ios, .android])
    case .deployedAppCount: about("information for administrators", .integer(0...Int64(Int32.max)))
    case .apps: about("the selected apps that get the policy")
    case .assignments: about("the groups of users that get the policy")
    case .deploymentSummary: about("information for administrators")
    case .customSettings: about("the app configuration in a default policy", .pairs, on: [.default])

    // Data transfer.
    case .allowedInboundDataTransferSources:
      word(
        DataTransferLevel.self, on: .withWindows, sdk: .plain("AppSharingFromLevel").android("receiveSharingLevel"),
        .decides(
          "opening and receiving data, import pickers, and what other accounts may save to this account's locations"))
    case .allowedOutboundDataTransferDestinations:
      word(
        DataTransferLevel.self, on: .withWindows, sdk: .plain("AppSharingToLevel").android("transferSharingLevel"),
        .decides("saving, sharing, URLs, links, export pickers, Spotlight, Siri, file providers, and screen capture"),
        refusal: .outgoingRestricted)
    case .allowedOutboundClipboardSharingLevel:
      word(
        ClipboardSharingLevel.self, on: .withWindows, sdk: "ClipboardSharingLevel",
        .decides("enforcement.copy, enforcement.paste, and pasting into web views"))
    case .allowedOutboundClipboardSharingExceptionLength:
      number(
        portal: 0, sdk: "ClipboardCharacterLengthException",
        .decides("the length of text that enforcement.copy and enforcement.paste allow at any clipboard level"))
    case .saveAsBlocked:
      flag(
        sdk: .plain("FileSharingSaveAsDisabled").android("saveToPersonal", .inverted),
        .decides("isSaveToAllowedForLocation, getSaveToLocations, and the action saveAs"), refusal: .saving)
    case .allowedDataStorageLocations:
      list(
        .words(DataStorageLocation.self, joined: false), sdk: "ManagedLocations",
        .decides("the locations that saveAsBlocked still allows"), refusal: .saving)
    case .blockDataIngestionIntoOrganizationDocuments:
      flag(
        sdk: .plain("OpenDataIntoOrgDocumentsBlocked").android("openFromPersonal", .inverted),
        .decides("isOpenFromAllowedForLocation and getOpenFromLocations"), refusal: .incomingRestricted)
    case .allowedDataIngestionLocations:
      list(
        .words(DataIngestionLocation.self, joined: false), sdk: "OpenDataFromManagedLocations",
        .decides("the locations that blockDataIngestionIntoOrganizationDocuments still allows"),
        refusal: .incomingRestricted)
    case .dataBackupBlocked:
      flag(sdk: .plain("DataBackupDisabled").android("restrictBackups"), .decides("the action backup"))
    case .printBlocked: flag(on: .withWindows, sdk: "PrintingBlocked", .decides("the action print"), refusal: .printing)
    case .contactSyncBlocked:
      flag(sdk: "ContactSyncDisabled", .decides("isContactSyncAllowed and isWidgetContentSyncAllowed"))
    case .allowWidgetContentSync: flag(restricting: false, on: .ios, .decides("isWidgetContentSyncAllowed"))
    case .notificationRestriction:
      word(
        NotificationRestriction.self, sdk: "NotificationRestriction",
        .decides("notificationPolicy and enforcement.redactNotification"))
    case .filterOpenInToOnlyManagedApps:
      flag(on: .ios, sdk: "EnableOpenInFilter", .decides("which targets enforcement.filterShareTargets offers"))
    case .disableProtectionOfManagedOutboundOpenInData:
      flag(
        restricting: false, on: .ios, sdk: .inverted("ProtectManagedOpenInData"),
        .decides("whether enforcement.filterShareTargets asks for encryption"))
    case .protectInboundDataFromUnknownSources:
      flag(
        on: .ios, sdk: "ProtectAllIncomingUnknownSourceData",
        .decides("which account owns received data that has no owner"))
    case .appDataEncryptionType:
      word(
        DataEncryptionType.self, on: .ios, sdk: "FileEncryptionLevel",
        .decides("isFileEncryptionRequired, shouldFileProviderEncryptFiles, and how files are protected"))
    case .thirdPartyKeyboardsBlocked:
      flag(
        on: .ios, sdk: "ThirdPartyKeyboardsBlocked",
        .decides("the action thirdPartyKeyboard for all accounts in the app"), refusal: .keyboard)
    // Only the SDK's service delivers this setting. Graph has no member for it, so the name is ours.
    case .dictationBlocked:
      flag(sdk: "DictationBlocked", .decides("the action dictation"), refusal: .dictation)
    case .genmojiConfigurationState:
      word(ConfigurationState.self, on: .ios, sdk: "GenmojiConfigurationState", .decides("the action genmoji"))
    case .screenCaptureConfigurationState:
      word(
        ConfigurationState.self, on: .ios, sdk: "ScreenCaptureConfigurationState", .decides("the action screenCapture"))
    case .writingToolsConfigurationState:
      word(
        ConfigurationState.self, on: .ios, sdk: "WritingToolsConfigurationState", .decides("the action writingTools"))
    case .purviewContentEvaluationRequired:
      word(PurviewEvaluationRequirement.self, .informs("the service that evaluates content is not part of mambridge"))

    // Windows only.
    case .allowedInboundDataTransferSourceApps:
      list(
        .words(WindowsTransferLocation.self, joined: false), on: .windowsAlone,
        .decides("the locations that allowedInboundDataTransferSources still allows if it is selectedApps"))
    case .allowedOutboundDataTransferDestinationApps:
      list(
        .words(WindowsTransferLocation.self, joined: false), on: .windowsAlone,
        .decides("the locations that allowedOutboundDataTransferDestinations still allows if it is selectedApps"))

    // Links.
    case .managedBrowserToOpenLinksRequired:
      flag(
        sdk: "ManagedBrowserRequired",
        .decides("isManagedBrowserRequired, isURLAllowed, and web views"), refusal: .edgeRequired)
    case .managedBrowser:
      word(ManagedBrowserType.self, .informs("Microsoft Edge is the only managed browser"))
    case .customBrowserProtocol:
      text(
        on: .ios, sdk: "UnmanagedBrowserProtocol",
        .decides("isManagedBrowserRequired, isURLAllowed, and enforcement.openURL"), refusal: .browserRequired)
    case .dialerRestrictionLevel:
      word(
        PhoneNumberRedirectLevel.self, sdk: "DialerRestrictionLevel",
        .decides("isURLAllowed and enforcement.openURL for tel and telprompt"))
    case .customDialerAppProtocol:
      text(
        on: .ios, sdk: "SpecificDialerProtocol",
        .decides("which app opens phone numbers if dialerRestrictionLevel is customApp"), refusal: .dialerRequired)
    case .protectedMessagingRedirectAppType:
      word(
        MessagingRedirectAppType.self, sdk: "ProtectedMessagingRedirectAppType",
        .decides("isURLAllowed and enforcement.openURL for sms"))
    case .messagingRedirectAppUrlScheme:
      text(on: .ios, .decides("which app opens sms links if protectedMessagingRedirectAppType is specificApps"))
    case .exemptedAppProtocols:
      list(
        .pairs, by: .schemes, on: .ios, sdk: .joined(";", "ProtocolExclusions"),
        .decides("the URL schemes that isURLAllowed and enforcement.openURL allow for any app"))
    case .managedUniversalLinks:
      list(
        .strings(joinedBy: nil, mayBeEmpty: true), on: .ios,
        sdk: .joined("|", "ManagedUniversalLinks", "ManageableUniversalLinks"),
        .decides("the links that isUniversalLinkAllowed treats as links of managed apps"))
    case .exemptedUniversalLinks:
      list(
        .strings(joinedBy: nil, mayBeEmpty: true), on: .ios, sdk: .joined("|", "UniversalLinkExclusions"),
        .decides("the links that isUniversalLinkAllowed allows for any app"))

    // Access.
    case .periodOfflineBeforeAccessCheck:
      duration(
        .portalMinutes(1440), on: .withWindows,
        sdk: .minutes("AccessRecheckOfflineTimeout").android("launchOfflineTimeout", .seconds),
        .decides("the time without an answer from the policy source after which access is blocked"))
    case .periodOnlineBeforeAccessCheck:
      duration(
        .portalMinutes(30), sdk: .minutes("AccessRecheckOnlineTimeout").android("launchOnlineTimeout", .seconds),
        .decides("when the PIN, the credentials, and conditional launch are checked again"))
    case .periodOfflineBeforeWipeIsEnforced:
      duration(
        .portalMinutes(90 * 1440), on: .withWindows, sdk: .days("OfflineWipeInterval"),
        .decides(
          "the time without an answer from the policy source after which the user must sign in, or the data is wiped"))
    case .organizationalCredentialsRequired:
      flag(
        sdk: .plain("AuthenticationEnabled").android("requireAuthentication"),
        .decides("whether conditional launch asks for credentials"))
    case .pinRequired:
      flag(
        sdk: .plain("PINEnabled").android("requireUserPin"),
        .decides("isPINRequired, the pin.* methods, and conditional launch"))
    case .maximumPinRetries:
      number(
        portal: 5, sdk: "PINNumRetry", .decides("how many wrong PINs lead to appActionIfMaximumPinRetriesExceeded"))
    case .appActionIfMaximumPinRetriesExceeded:
      action(
        sdk: "MaxPinRetryExceededAction",
        .decides("what too many wrong PINs lead to: wipe is a wipe, any other value a reset of the PIN"))
    case .simplePinBlocked: flag(sdk: .inverted("SimplePINAllowed"), .decides("which PINs may be set"))
    case .minimumPinLength: number(portal: 4, sdk: "PINMinLength", .decides("which PINs may be set"))
    case .pinCharacterSet: word(PINCharacterSet.self, sdk: "PINCharacterType", .decides("which PINs may be set"))
    case .periodBeforePinReset:
      duration(
        .portalMinutes(0), sdk: .days("PINExpiryDays"),
        .decides("the time after which the user must choose a new PIN; 0 means never"))
    case .previousPinBlockCount:
      number(
        portal: 0, sdk: "PinHistoryLength",
        .decides("how many of the last PINs, including the current one, cannot be chosen again"))
    case .fingerprintBlocked:
      flag(sdk: .inverted("TouchIDEnabled"), .decides("whether biometrics may replace the PIN"))
    case .faceIdBlocked:
      flag(on: .ios, sdk: .inverted("FaceIDEnabled"), .decides("whether biometrics may replace the PIN"))
    case .disableAppPinIfDevicePinIsSet:
      flag(
        restricting: false, sdk: "AppPinDisabled",
        .decides("isPINRequired on a managed device if device.devicePinSet is true"))
    case .pinRequiredInsteadOfBiometricTimeout:
      duration(
        .portalMinutes(30), sdk: .minutes("NonBioPassTimeOut"),
        .decides("the time without use for which biometrics may replace the PIN"))

    // Conditional launch.
    case .deviceComplianceRequired:
      flag(
        sdk: .plain("DeviceComplianceEnabled").android("appRequiresCompliance"),
        .decides("the launch rule for device.jailbroken"))
    case .appActionIfDeviceComplianceRequired:
      action(sdk: "DeviceComplianceFailureAction", .decides("what happens if the device is jailbroken"))
    case .maximumRequiredOsVersion: maximum(sdk: "MaxOsVersion", .decides("the launch rule for device.osVersion"))
    case .maximumWarningOsVersion: maximum(sdk: "MaxOsVersionWarning", .decides("the launch rule for device.osVersion"))
    case .maximumWipeOsVersion: maximum(sdk: "MaxOsVersionWipe", .decides("the launch rule for device.osVersion"))
    case .minimumRequiredOsVersion:
      minimum(on: .withWindows, sdk: "MinOsVersion", .decides("the launch rule for device.osVersion"))
    case .minimumWarningOsVersion:
      minimum(on: .withWindows, sdk: "MinOsVersionWarning", .decides("the launch rule for device.osVersion"))
    case .minimumWipeOsVersion:
      minimum(on: .withWindows, sdk: "MinOsVersionWipe", .decides("the launch rule for device.osVersion"))
    case .minimumRequiredAppVersion:
      minimum(on: .withWindows, sdk: "MinAppVersion", .decides("the launch rule for device.appVersion"))
    case .minimumWarningAppVersion:
      minimum(on: .withWindows, sdk: "MinAppVersionWarning", .decides("the launch rule for device.appVersion"))
    case .minimumWipeAppVersion:
      minimum(on: .withWindows, sdk: "MinAppVersionWipe", .decides("the launch rule for device.appVersion"))
    case .minimumRequiredSdkVersion:
      minimum(on: .iosAndWindows, sdk: "MinSDKVersion", .decides("the launch rule for device.sdkVersion"))
    case .minimumWarningSdkVersion: minimum(on: .ios, .decides("the launch rule for device.sdkVersion"))
    case .minimumWipeSdkVersion:
      minimum(on: .iosAndWindows, sdk: "MinSDKVersionWipe", .decides("the launch rule for device.sdkVersion"))
    case .maximumAllowedDeviceThreatLevel:
      word(
        DeviceThreatLevel.self, on: .withWindows, sdk: "MinimumRequiredDeviceThreatProtectionLevel",
        .decides("the launch rule for device.threatLevel"))
    case .mobileThreatDefenseRemediationAction:
      action(
        on: .withWindows, sdk: "MobileThreatDefenseRemediationAction",
        .decides("what happens if the threat level is too high"))
    case .mobileThreatDefensePartnerPriority:
      word(
        ThreatDefensePartnerPriority.self, merge: .first,
        .informs("device.threatLevel does not say which partner reported the level"))
    case .appActionIfUnableToAuthenticateUser:
      action(
        on: .withWindows, sdk: "AppActionIfUnableToAuthenticateUser",
        .decides("what happens if the user's account is disabled or deleted"))
    case .allowedIosDeviceModels:
      list(
        .strings(joinedBy: ";"), on: .ios, sdk: .joined(";", "AllowedIOSModelsElseBlock", "AllowedIOSModelsElseWipe"),
        .decides("the launch rule for device.model"))
    case .appActionIfIosDeviceModelNotAllowed:
      action(on: .ios, .decides("what happens if the device's model is not listed"))
    case .appActionIfAccountIsClockedOut:
      action(sdk: "AppActionIfAccountIsClockedOut", .decides("userStatus, and what happens if the user is off shift"))
    case .gracePeriodToBlockAppsDuringOffClockHours:
      duration(
        .lowest, sdk: .minutes("BlockClockStatusWithGracePeriod"),
        .decides("the time after a shift during which access is not yet restricted"))

    // Android only.
    case .encryptAppData:
      flag(
        on: .android, .decides("isFileEncryptionRequired, shouldFileProviderEncryptFiles, and how files are protected"))
    case .screenCaptureBlocked: flag(on: .android, sdk: "restrictScreenshots", .decides("the action screenCapture"))
    case .keyboardsRestricted:
      flag(on: .android, .decides("the action thirdPartyKeyboard for all accounts in the app"), refusal: .keyboard)
    case .approvedKeyboards:
      list(.pairs, by: .name, on: .android, .decides("the keyboards that keyboardsRestricted still allows"))
    case .biometricAuthenticationBlocked: flag(on: .android, .decides("whether biometrics may replace the PIN"))
    case .exemptedAppPackages:
      list(
        .pairs, by: .value, on: .android,
        .decides("the packages that enforcement.filterShareTargets, enforcement.openURL, and isURLAllowed exempt"))
    case .allowedAndroidDeviceModels:
      list(.strings(joinedBy: nil), on: .android, .decides("the launch rule for device.model"))
    case .appActionIfAndroidDeviceModelNotAllowed:
      action(on: .android, .decides("what happens if the device's model is not listed"))
    case .allowedAndroidDeviceManufacturers:
      list(.strings(joinedBy: ";"), on: .android, .decides("the launch rule for device.manufacturer"))
    case .appActionIfAndroidDeviceManufacturerNotAllowed:
      action(on: .android, .decides("what happens if the device's manufacturer is not listed"))
    case .deviceLockRequired: flag(on: .android, .decides("the launch rule for device.devicePinSet"))
    case .appActionIfDeviceLockNotSet:
      action(on: .android, .decides("what happens if the device has no PIN"))
    case .appActionIfDevicePasscodeComplexityLessThanLow, .appActionIfDevicePasscodeComplexityLessThanMedium,
      .appActionIfDevicePasscodeComplexityLessThanHigh:
      action(
        on: .android, sdk: .plain(capitalized), .decides("the launch rule for a device.passcodeComplexity below this"))
    case .appActionIfDeveloperOptionsEnabled:
      action(on: .android, .decides("the launch rule for device.developerOptionsEnabled"))
    case .appActionIfSamsungKnoxAttestationRequired:
      action(
        on: .android, sdk: .plain(capitalized),
        .decides("the launch rule for device.knoxAttested on devices by Samsung"))
    case .fingerprintAndBiometricEnabled:
      flag(restricting: false, on: .android, .decides("whether biometrics may replace the PIN"))
    case .requireClass3Biometrics, .requirePinAfterBiometricChange:
      flag(
        on: .android, sdk: .plain(capitalized),
        .decides("whether biometrics may replace the PIN, by device.biometricClass and device.biometricsChanged"))
    case .disableAppEncryptionIfDeviceEncryptionIsEnabled:
      flag(
        restricting: false, on: .android, .informs("mambridge does not know whether the device encrypts its storage"))
    case .minimumRequiredPatchVersion, .minimumWarningPatchVersion, .minimumWipePatchVersion:
      minimum(on: .android, .untold("the device's security patch level"))
    case .minimumRequiredCompanyPortalVersion, .minimumWarningCompanyPortalVersion, .minimumWipeCompanyPortalVersion:
      minimum(on: .android, .untold("the version of the device's Company Portal"))
    case .blockAfterCompanyPortalUpdateDeferralInDays, .warnAfterCompanyPortalUpdateDeferralInDays,
      .wipeAfterCompanyPortalUpdateDeferralInDays:
      number(portal: 0, on: .android, .untold("the version of the device's Company Portal"))
    case .requiredAndroidSafetyNetDeviceAttestationType:
      word(DeviceAttestationType.self, on: .android, .untold("Google's attestation of the device"))
    case .appActionIfAndroidSafetyNetDeviceAttestationFailed, .appActionIfAndroidSafetyNetAppsVerificationFailed:
      action(on: .android, .untold("Google's attestation of the device"))
    case .requiredAndroidSafetyNetAppsVerificationType:
      word(AppsVerificationType.self, on: .android, .untold("Google's attestation of the device"))
    case .requiredAndroidSafetyNetEvaluationType:
      word(AttestationEvaluationType.self, on: .android, .untold("Google's attestation of the device"))
    case .connectToVpnOnLaunch: flag(on: .android, .informs("mambridge connects to no VPN"))
    case .customBrowserPackageId:
      text(
        on: .android, sdk: "specificBrowser",
        .decides("isManagedBrowserRequired, isURLAllowed, and enforcement.openURL"), refusal: .browserRequired)
    case .customBrowserDisplayName:
      text(
        on: .android, sdk: "specificBrowserTitle",
        .informs("the app is found by customBrowserPackageId"))
    case .customDialerAppPackageId:
      text(
        on: .android, .decides("which app opens phone numbers if dialerRestrictionLevel is customApp"),
        refusal: .dialerRequired)
    case .customDialerAppDisplayName:
      text(on: .android, .informs("the app is found by customDialerAppPackageId"))
    case .messagingRedirectAppPackageId:
      text(on: .android, .decides("which app opens sms links if protectedMessagingRedirectAppType is specificApps"))
    case .messagingRedirectAppDisplayName:
      text(on: .android, .informs("the app is found by messagingRedirectAppPackageId"))
    }
  }
}
