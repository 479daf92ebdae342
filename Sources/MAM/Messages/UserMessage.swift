/// What users are told: the one list of messages, under the names that the SDK's resources have for them.
///
/// The texts are our own. Each language is one exhaustive table, so that none can lack a message.
enum UserMessage: String, CaseIterable, Sendable {
  case ok = "WipeAlert_OK"
  case continueAction = "Continue_Action"
  case cancelAction = "Cancel_Action"

  case sharingBlockedTitle = "SharingBlockedAlert_Title"
  case sharingBlockedMessage = "SharingBlockedAlert_Message"
  case sharingBlockedAction = "SharingBlockedAlert_Action"

  case notificationRedactedTitle = "Notification_Redacted_Title"
  case notificationRedactedMessage = "Notification_Redacted_Message"

  case restartTitle = "PolicyRequiresRestart_Title"
  case restartMessage = "PolicyRequiresRestart_Message"

  case noPolicyTitle = "NoPolicy_Title"
  case noPolicyMessage = "NoPolicy_Message"
  case policyRequiredMessage = "NoPolicy_Required_Message"

  case signInTitle = "SignIn_Title"
  case signInMessage = "SignIn_Message"
  case signInOtherUserMessage = "SignIn_OtherUser_Message"
  case signInFailedMessage = "SignIn_Failed_Message"

  case setPINTitle = "Set_Pin_Title"
  case setPINMessage = "Set_Pin_Message"
  case setPINError = "Set_Pin_Error"
  case enterPINTitle = "Enter_Pin_Title"
  case enterPINMessage = "Enter_Pin_Message"
  case enterPINError = "Enter_Pin_Error"
  case biometricNotAllowedMessage = "Biometric_NotAllowed_Message"
  case changePINTitle = "Change_Pin_Title"
  case pinChangeRequired = "Passcode_Change_Required"
  case pinExpired = "Passcode_Change_Required_Pin_Expired"
  case pinRetriesTitle = "Max_Attempt_Reset_Title"
  case pinRetriesResetMessage = "Max_Attempt_Reset_Pin_Message"
  case pinRetriesWipeMessage = "ExceededMaxPinRetries_Message"
  case simplePINNotAllowed = "Simple_PIN_Not_Allowed"
  case simplePasscodeNotAllowed = "Simple_AlphaNumeric_PIN_Not_Allowed"
  case numericPINNotAllowed = "Numeric_PIN_Not_Allowed"
  case onlyNumericAllowed = "Only_Numeric_Allowed"
  case passcodeClassesRequired = "Passcode_Requirements_Unmet"
  case pinUsedBefore = "Passcode_History_Requirements_Unmet"
  /// Holds `#` for a number.
  case pinLengthRequired = "Passcode_Length_Required"

  case compliantTitle = "ConditionalAccessStatusCompliant_Title"
  case compliantMessage = "ConditionalAccessStatusCompliant"
  case notCompliantMessage = "ConditionalAccessStatusMisconfigured"
  case notCompliantTitle = "ConditionalAccessStatusMisconfigured_Title"
  case serviceFailureTitle = "ConditionalAccessStatusServiceFailure_Title"
  case serviceFailureMessage = "ConditionalAccessStatusServiceFailure"
  case networkFailureTitle = "ConditionalAccessStatusNetworkUnavailable_Title"
  case networkFailureMessage = "ConditionalAccessStatusNetworkUnavailable"
  case interactionRequiredTitle = "ConditionalAccessStatusNoMAMToken_Title"
  case interactionRequiredMessage = "ConditionalAccessStatusNoMAMToken"
  case userCancelledTitle = "ConditionalAccessStatusUserCanceled_Title"
  case userCancelledMessage = "ConditionalAccessStatusUserCanceled"

  case pinningFailedTitle = "CertificatePinningValidationError_Title"
  case pinningFailedMessage = "CertificatePinningValidationError_Message"

  case warningTitle = "AppWarning_Title"
  case sdkWarningMessage = "AppWarningUntilSDKUpgraded_Message"
  case sdkBlockedMessage = "AppBlockedUntilSDKUpgraded_Message"
  case sdkWipedMessage = "SDKUpgradeRequired_Message"
  case appWarningMessage = "AppWarningAppVersionTooLow_Message"
  case appBlockedMessage = "AppBlockedUntilAppUpgraded_Message"
  case appWipedMessage = "AppUpgradeRequired_Message"
  case updateInPortalMessage = "AppUpgrade_Portal_Message"
  case updateAtMessage = "AppUpgrade_Address_Message"
  case systemTooLowWarningMessage = "AppWarningOSVersionTooLow_Message"
  case systemTooLowBlockedMessage = "AppBlockedUntilOSUpgraded_Message"
  case systemTooLowWipedMessage = "OSUpgradeRequired_Message"
  case systemTooHighWarningMessage = "AppWarningOSVersionTooHigh_Message"
  case systemTooHighBlockedMessage = "AppBlockedUntilOSDowngraded_Message"
  case systemTooHighWipedMessage = "OSDowngradeRequired_Message"

  case deviceRootedTitle = "DeviceRooted_Title"
  case deviceRootedMessage = "DeviceRooted_Message"
  case devicePINRequiredTitle = "DevicePINRequired_Title"
  case devicePINRequiredMessage = "DevicePINRequired_Message"
  case deviceModelBlockedMessage = "AppBlockedOnDeviceModel_Message"
  case deviceModelWipedMessage = "DeviceModelBlocked_Message"
  case deviceThreatMessage = "DeviceMTDNonCompliant_Message"

  case disabledAccountTitle = "DisabledAccountBlocked_Title"
  case disabledAccountMessage = "DisabledAccountBlocked_Message"
  case clockedOutTitle = "ClockedOut_Title"
  case clockedOutMessage = "ClockedOut_Message"
  case offlineTitle = "Error_NoInternetConnectionTitle"
  case offlineBlockedMessage = "AppBlockedOfflineGracePeriodExpiredNoAuth_Message"
  case offlineSignInMessage = "AppBlockedOfflineGracePeriodAuthRequired_Message"
  case offlineWipeTitle = "OfflineWipeConfirm_Title"
  case offlineWipeMessage = "OfflineWipeConfirm_Message"
  case signInAgainMessage = "PolicyRecheckAuthRequired_Message"
  case wipedTitle = "AppWipe_Title"
  case wipedMessage = "AppWiped"

  func text(in language: Language = .english) -> String {
    switch language {
    case .english: english
    }
  }

  /// With a number in the place that the text has for it.
  func text(_ number: Int, in language: Language = .english) -> String {
    text(in: language).split(separator: "#", omittingEmptySubsequences: false).joined(separator: "\(number)")
  }
}
