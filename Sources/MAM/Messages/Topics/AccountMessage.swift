/// What the user must do about the work account, or why it cannot be used now.
enum AccountMessage: String, MessageTopic {
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
