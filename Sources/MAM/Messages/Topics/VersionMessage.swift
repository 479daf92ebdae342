/// What is too old or too new. All but the last two go with the version that the policy names.
enum VersionMessage: String, MessageTopic {
  case sdkWarning = "AppWarningUntilSDKUpgraded_Message"
  case sdkBlocked = "AppBlockedUntilSDKUpgraded_Message"
  case sdkWiped = "SDKUpgradeRequired_Message"
  case appWarning = "AppWarningAppVersionTooLow_Message"
  case appBlocked = "AppBlockedUntilAppUpgraded_Message"
  case appWiped = "AppUpgradeRequired_Message"
  case systemTooLowWarning = "AppWarningOSVersionTooLow_Message"
  case systemTooLowBlocked = "AppBlockedUntilOSUpgraded_Message"
  case systemTooLowWiped = "OSUpgradeRequired_Message"
  case systemTooHighWarning = "AppWarningOSVersionTooHigh_Message"
  case systemTooHighBlocked = "AppBlockedUntilOSDowngraded_Message"
  case systemTooHighWiped = "OSDowngradeRequired_Message"
  case updateInPortal = "AppUpgrade_Portal_Message"
  /// With the address.
  case updateAt = "AppUpgrade_Address_Message"
}
