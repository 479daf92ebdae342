/// What alerts say, and their buttons.
enum AlertMessage: String, MessageTopic {
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
}
