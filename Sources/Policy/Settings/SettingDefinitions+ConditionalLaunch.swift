import Model

extension SettingDefinition {
  /// What device, system, app and account must be like.
  static let conditionalLaunch: [SettingDefinition] = [
    flag(.deviceComplianceRequired, .everywhere, .plain("DeviceComplianceEnabled").android("appRequiresCompliance")),
    action(.appActionIfDeviceComplianceRequired, .everywhere, .plain("DeviceComplianceFailureAction")),
    maximum(.maximumRequiredOsVersion, .plain("MaxOsVersion")),
    maximum(.maximumWarningOsVersion, .plain("MaxOsVersionWarning")),
    maximum(.maximumWipeOsVersion, .plain("MaxOsVersionWipe")),
    minimum(.minimumRequiredOsVersion, .everywhere, .plain("MinOsVersion")),
    minimum(.minimumWarningOsVersion, .everywhere, .plain("MinOsVersionWarning")),
    minimum(.minimumWipeOsVersion, .everywhere, .plain("MinOsVersionWipe")),
    minimum(.minimumRequiredAppVersion, .everywhere, .plain("MinAppVersion")),
    minimum(.minimumWarningAppVersion, .everywhere, .plain("MinAppVersionWarning")),
    minimum(.minimumWipeAppVersion, .everywhere, .plain("MinAppVersionWipe")),
    minimum(.minimumRequiredSdkVersion, .ios, .plain("MinSDKVersion")),
    minimum(.minimumWarningSdkVersion, .ios),
    minimum(.minimumWipeSdkVersion, .ios, .plain("MinSDKVersionWipe")),
    word(
      .maximumAllowedDeviceThreatLevel, DeviceThreatLevel.self, .everywhere,
      .plain("MinimumRequiredDeviceThreatProtectionLevel")),
    action(.mobileThreatDefenseRemediationAction, .everywhere, .plain("MobileThreatDefenseRemediationAction")),
    SettingDefinition(
      name: .mobileThreatDefensePartnerPriority, type: .word(ThreatDefensePartnerPriority.self), merge: .first,
      kinds: .everywhere, sdk: nil),
    action(.appActionIfUnableToAuthenticateUser, .everywhere, .plain("AppActionIfUnableToAuthenticateUser")),
    list(
      .allowedIosDeviceModels, .strings(joinedBy: ";"), .ios,
      .joined(";", "AllowedIOSModelsElseBlock", "AllowedIOSModelsElseWipe")),
    action(.appActionIfIosDeviceModelNotAllowed, .ios),
    action(.appActionIfAccountIsClockedOut, .everywhere, .plain("AppActionIfAccountIsClockedOut")),
    duration(
      .gracePeriodToBlockAppsDuringOffClockHours, .lowest, .everywhere, .minutes("BlockClockStatusWithGracePeriod")),
  ]
}
