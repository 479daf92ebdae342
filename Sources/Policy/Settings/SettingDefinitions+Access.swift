import Model

extension SettingDefinition {
  /// What a user must do, and how often, to see the data.
  static let access: [SettingDefinition] = [
    duration(
      .periodOfflineBeforeAccessCheck, .portalMinutes(1440), .everywhere,
      .minutes("AccessRecheckOfflineTimeout").android("launchOfflineTimeout", .seconds)),
    duration(
      .periodOnlineBeforeAccessCheck, .portalMinutes(30), .everywhere,
      .minutes("AccessRecheckOnlineTimeout").android("launchOnlineTimeout", .seconds)),
    duration(
      .periodOfflineBeforeWipeIsEnforced, .portalMinutes(90 * 1440), .everywhere, .days("OfflineWipeInterval")),
    flag(
      .organizationalCredentialsRequired, .everywhere,
      .plain("AuthenticationEnabled").android("requireAuthentication")),
    flag(.pinRequired, .everywhere, .plain("PINEnabled").android("requireUserPin")),
    number(.maximumPinRetries, 0...65535, portal: 5, .everywhere, .plain("PINNumRetry")),
    action(.appActionIfMaximumPinRetriesExceeded, .everywhere, .plain("MaxPinRetryExceededAction")),
    flag(.simplePinBlocked, .everywhere, .inverted("SimplePINAllowed")),
    number(.minimumPinLength, 0...65535, portal: 4, .everywhere, .plain("PINMinLength")),
    word(.pinCharacterSet, PINCharacterSet.self, .everywhere, .plain("PINCharacterType")),
    duration(.periodBeforePinReset, .portalMinutes(0), .everywhere, .days("PINExpiryDays")),
    number(.previousPinBlockCount, 0...65535, portal: 0, .everywhere, .plain("PinHistoryLength")),
    flag(.fingerprintBlocked, .everywhere, .inverted("TouchIDEnabled")),
    flag(.faceIdBlocked, .ios, .inverted("FaceIDEnabled")),
    flag(.disableAppPinIfDevicePinIsSet, restricting: false, .everywhere, .plain("AppPinDisabled")),
    duration(
      .pinRequiredInsteadOfBiometricTimeout, .portalMinutes(30), .everywhere, .minutes("NonBioPassTimeOut")),
  ]
}

extension MergeRule {
  static func portalMinutes(_ minutes: Int64) -> MergeRule {
    .portalDefault(.duration(ISODuration(seconds: minutes * 60)))
  }
}
