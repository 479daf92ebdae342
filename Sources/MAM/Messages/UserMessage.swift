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

  func text(in language: Language = .english) -> String {
    switch language {
    case .english: english
    }
  }
}
