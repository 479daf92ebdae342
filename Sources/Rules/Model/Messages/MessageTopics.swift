/// A group of messages. Each language has an exhaustive table of texts, so no message can be missing.
package protocol MessageTopic: CaseIterable, Hashable, RawRepresentable<String>, Sendable {
  var english: String { get }
  var portuguese: String { get }
  var spanish: String { get }
  var turkish: String { get }
  var italian: String { get }
  var japanese: String { get }
}

extension MessageTopic {
  package func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .portuguese: portuguese
    case .spanish: spanish
    case .turkish: turkish
    case .italian: italian
    case .japanese: japanese
    }
  }
}

/// What the user must do about the work account, or why the account cannot be used now.
package enum AccountMessage: String, MessageTopic {
  case signInTitle = "SignIn_Title"
  case signInMessage = "SignIn_Message"
  case signInOtherUser = "SignIn_OtherUser_Message"
  case signInFailed = "SignIn_Failed_Message"
  case signInAgain = "PolicyRecheckAuthRequired_Message"

  case disabledTitle = "DisabledAccountBlocked_Title"
  case disabledMessage = "DisabledAccountBlocked_Message"
  case clockedOutTitle = "ClockedOut_Title"
  case clockedOutMessage = "ClockedOut_Message"

  case offlineTitle = "Error_NoInternetConnectionTitle"
  case offlineBlocked = "AppBlockedOfflineGracePeriodExpiredNoAuth_Message"
  case offlineSignIn = "AppBlockedOfflineGracePeriodAuthRequired_Message"
  case offlineWipeTitle = "OfflineWipeConfirm_Title"
  case offlineWipeMessage = "OfflineWipeConfirm_Message"
}

/// The texts and buttons of alerts.
package enum AlertMessage: String, MessageTopic {
  case ok = "WipeAlert_OK"
  case goOn = "Continue_Action"
  case cancel = "Cancel_Action"
  case warningTitle = "AppWarning_Title"

  case notificationTitle = "Notification_Redacted_Title"
  case notificationMessage = "Notification_Redacted_Message"

  case restartTitle = "PolicyRequiresRestart_Title"
  case restartMessage = "PolicyRequiresRestart_Message"

  case noPolicyTitle = "NoPolicy_Title"
  case noPolicyMessage = "NoPolicy_Message"
  case policyRequired = "NoPolicy_Required_Message"

  case pinningFailedTitle = "CertificatePinningValidationError_Title"
  case pinningFailedMessage = "CertificatePinningValidationError_Message"

  case wipedTitle = "AppWipe_Title"
  case wipedMessage = "AppWiped"
  case heldMessage = "AppWipe_Held_Message"

  case blockFailedTitle = "AppBlockedIdentityBlockFailed_Title"
  case blockFailedMessage = "AppBlockedIdentityBlockFailed_Message"
}

/// The results of checking an account for compliance.
package enum ComplianceMessage: String, MessageTopic {
  case compliantTitle = "ConditionalAccessStatusCompliant_Title"
  case compliant = "ConditionalAccessStatusCompliant"
  case notCompliantTitle = "ConditionalAccessStatusMisconfigured_Title"
  case notCompliant = "ConditionalAccessStatusMisconfigured"
  case serviceFailureTitle = "ConditionalAccessStatusServiceFailure_Title"
  case serviceFailure = "ConditionalAccessStatusServiceFailure"
  case networkFailureTitle = "ConditionalAccessStatusNetworkUnavailable_Title"
  case networkFailure = "ConditionalAccessStatusNetworkUnavailable"
  case interactionRequiredTitle = "ConditionalAccessStatusNoMAMToken_Title"
  case interactionRequired = "ConditionalAccessStatusNoMAMToken"
  case userCancelledTitle = "ConditionalAccessStatusUserCanceled_Title"
  case userCancelled = "ConditionalAccessStatusUserCanceled"
}

/// What is wrong with the device.
package enum DeviceMessage: String, MessageTopic {
  case rootedTitle = "DeviceRooted_Title"
  case rootedMessage = "DeviceRooted_Message"
  case pinRequiredTitle = "DevicePINRequired_Title"
  case pinRequiredMessage = "DevicePINRequired_Message"
  case lockTooWeak = "DeviceLockTooWeak_Message"
  case developerOptions = "DeveloperOptionsEnabled_Message"
  case notAttested = "DeviceNotAttested_Message"
  case policyTooNew = "PolicyTooNew_Message"
  /// The detail of this message and the next is the model or the manufacturer.
  case modelBlocked = "AppBlockedOnDeviceModel_Message"
  case modelWiped = "DeviceModelBlocked_Message"
  case threat = "DeviceMTDNonCompliant_Message"
  case threatDefenseMissing = "MTD_Required_Message"
}

/// Messages about the PIN.
package enum PINMessage: String, MessageTopic {
  case setTitle = "Set_Pin_Title"
  case setMessage = "Set_Pin_Message"
  case setError = "Set_Pin_Error"
  case enterTitle = "Enter_Pin_Title"
  case enterMessage = "Enter_Pin_Message"
  case enterError = "Enter_Pin_Error"
  case biometricNotAllowed = "Biometric_NotAllowed_Message"

  case changeTitle = "Change_Pin_Title"
  case changeRequired = "Passcode_Change_Required"
  case expired = "Passcode_Change_Required_Pin_Expired"

  case retriesTitle = "Max_Attempt_Reset_Title"
  case retriesReset = "Max_Attempt_Reset_Pin_Message"
  case retriesWipe = "ExceededMaxPinRetries_Message"

  case simplePIN = "Simple_PIN_Not_Allowed"
  case simplePasscode = "Simple_AlphaNumeric_PIN_Not_Allowed"
  case numericNotAllowed = "Numeric_PIN_Not_Allowed"
  case onlyNumericAllowed = "Only_Numeric_Allowed"
  case classesRequired = "Passcode_Requirements_Unmet"
  case usedBefore = "Passcode_History_Requirements_Unmet"
  /// The detail is the number of characters.
  case lengthRequired = "Passcode_Length_Required"
}

/// Why data may not go where the user wants to send it.
package enum SharingMessage: String, MessageTopic {
  case blockedTitle = "SharingBlockedAlert_Title"
  case blockedMessage = "SharingBlockedAlert_Message"
  case blockedAction = "SharingBlockedAlert_Action"

  case outgoingTitle = "OutgoingDataBlocked_Title"
  case outgoingBlocked = "OutgoingDataBlocked_Message"
  case outgoingRestricted = "OutgoingDataRestricted_Message"

  case incomingTitle = "IncomingDataBlocked_Title"
  case incomingBlocked = "IncomingDataDefaultBlock_Message"
  case incomingDisallowed = "IncomingDataDisallowed_Message"
  case incomingRestricted = "IncomingDataRestricted_Message"
  case incomingOfOtherAccount = "IncomingDataBlockedWithIdentityMAM_Message"
  case incomingNotSwitched = "IncomingDataBlockedIdentitySwitchFailed_Message"

  case clipboardBlocked = "ClipboardRestrictionMessage"
  /// The detail is the number of characters that may be copied.
  case clipboardTooLong = "ClipboardRestrictionExceededLimitMessage"
  /// The detail is the number of characters that may be pasted.
  case clipboardIncomingTooLong = "ClipboardIncomingRestrictionExceededLimitMessage"

  case printing = "PrintingBlocked_Message"
  case saving = "DownloadBlocked_Message"
  case dictation = "DictationBlocked_Message"
  case keyboard = "ThirdPartyKeyBoardBlocked_Message"

  case edgeRequired = "EdgeRequired_Message"
  case browserRequired = "AdminBrowserRequired_Message"
  case dialerRequired = "AdminDialerRequired_Message"
}

/// Versions that are too old or too new. The detail is the version in the policy, except in the last two messages.
package enum VersionMessage: String, MessageTopic {
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
  /// The detail is the address.
  case updateAt = "AppUpgrade_Address_Message"
}
