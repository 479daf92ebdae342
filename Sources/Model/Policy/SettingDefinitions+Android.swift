extension SettingDefinition {
  /// What only policies for Android have, and what decides.
  static let android: [SettingDefinition] = [
    flag(.encryptAppData, .android),
    flag(.screenCaptureBlocked, .android),
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
    flag(.disableAppEncryptionIfDeviceEncryptionIsEnabled, restricting: false, .android, role: .informs),
    minimum(.minimumRequiredPatchVersion, .android, role: .informs),
    minimum(.minimumWarningPatchVersion, .android, role: .informs),
    minimum(.minimumWipePatchVersion, .android, role: .informs),
    minimum(.minimumRequiredCompanyPortalVersion, .android, role: .informs),
    minimum(.minimumWarningCompanyPortalVersion, .android, role: .informs),
    minimum(.minimumWipeCompanyPortalVersion, .android, role: .informs),
    number(.blockAfterCompanyPortalUpdateDeferralInDays, 0...65535, portal: 0, .android, role: .informs),
    number(.warnAfterCompanyPortalUpdateDeferralInDays, 0...65535, portal: 0, .android, role: .informs),
    number(.wipeAfterCompanyPortalUpdateDeferralInDays, 0...65535, portal: 0, .android, role: .informs),
    word(.requiredAndroidSafetyNetDeviceAttestationType, DeviceAttestationType.self, .android, role: .informs),
    action(.appActionIfAndroidSafetyNetDeviceAttestationFailed, .android, role: .informs),
    word(.requiredAndroidSafetyNetAppsVerificationType, AppsVerificationType.self, .android, role: .informs),
    action(.appActionIfAndroidSafetyNetAppsVerificationFailed, .android, role: .informs),
    word(.requiredAndroidSafetyNetEvaluationType, AttestationEvaluationType.self, .android, role: .informs),
    flag(.connectToVpnOnLaunch, .android, role: .informs),
    text(.customBrowserPackageId, .android, role: .informs),
    text(.customBrowserDisplayName, .android, role: .informs),
    text(.customDialerAppPackageId, .android, role: .informs),
    text(.customDialerAppDisplayName, .android, role: .informs),
    text(.messagingRedirectAppPackageId, .android, role: .informs),
    text(.messagingRedirectAppDisplayName, .android, role: .informs),
  ]
}
