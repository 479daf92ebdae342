import Model

extension SettingDefinition {
  /// What only policies for Android have, and what decides.
  static let android: [SettingDefinition] = [
    flag(.encryptAppData, .android),
    flag(.screenCaptureBlocked, .android, .plain("restrictScreenshots")),
    flag(.keyboardsRestricted, .android),
    list(.approvedKeyboards, .pairs, .android),
    flag(.biometricAuthenticationBlocked, .android),
    list(.exemptedAppPackages, .pairs, .android),
    list(.allowedAndroidDeviceModels, .strings(joinedBy: nil), .android),
    action(.appActionIfAndroidDeviceModelNotAllowed, .android),
    list(.allowedAndroidDeviceManufacturers, .strings(joinedBy: ";"), .android),
    action(.appActionIfAndroidDeviceManufacturerNotAllowed, .android),
    flag(.deviceLockRequired, .android),
    action(.appActionIfDeviceLockNotSet, .android),
  ]

  /// What only policies for Android have, and what is kept and shown.
  static let androidInformation: [SettingDefinition] = [
    flag(.disableAppEncryptionIfDeviceEncryptionIsEnabled, restricting: false, .android),
    minimum(.minimumRequiredPatchVersion, .android),
    minimum(.minimumWarningPatchVersion, .android),
    minimum(.minimumWipePatchVersion, .android),
    minimum(.minimumRequiredCompanyPortalVersion, .android),
    minimum(.minimumWarningCompanyPortalVersion, .android),
    minimum(.minimumWipeCompanyPortalVersion, .android),
    number(.blockAfterCompanyPortalUpdateDeferralInDays, 0...65535, portal: 0, .android),
    number(.warnAfterCompanyPortalUpdateDeferralInDays, 0...65535, portal: 0, .android),
    number(.wipeAfterCompanyPortalUpdateDeferralInDays, 0...65535, portal: 0, .android),
    word(.requiredAndroidSafetyNetDeviceAttestationType, DeviceAttestationType.self, .android),
    action(.appActionIfAndroidSafetyNetDeviceAttestationFailed, .android),
    word(.requiredAndroidSafetyNetAppsVerificationType, AppsVerificationType.self, .android),
    action(.appActionIfAndroidSafetyNetAppsVerificationFailed, .android),
    word(.requiredAndroidSafetyNetEvaluationType, AttestationEvaluationType.self, .android),
    flag(.connectToVpnOnLaunch, .android),
    text(.customBrowserPackageId, .android, .plain("specificBrowser")),
    text(.customBrowserDisplayName, .android, .plain("specificBrowserTitle")),
    text(.customDialerAppPackageId, .android),
    text(.customDialerAppDisplayName, .android),
    text(.messagingRedirectAppPackageId, .android),
    text(.messagingRedirectAppDisplayName, .android),
  ]
}
