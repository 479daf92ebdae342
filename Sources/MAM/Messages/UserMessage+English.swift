extension UserMessage {
  var english: String {
    switch self {
    case .ok: "OK"
    case .continueAction: "Continue"
    case .cancelAction: "Cancel"

    case .sharingBlockedTitle: "Not allowed"
    case .sharingBlockedMessage: "Your organization does not allow its data to be shared here."
    case .sharingBlockedAction: "OK"

    case .notificationRedactedTitle: "New notification"
    case .notificationRedactedMessage: "Open the application to see it."

    case .restartTitle: "Restart needed"
    case .restartMessage:
      "Your organization now protects its data in this application. Restart the application to continue."

    case .noPolicyTitle: "No policy"
    case .noPolicyMessage:
      "Your organization's policy is not set up in this application. Its data is not protected here."
    case .policyRequiredMessage:
      "This application needs your organization's policy. Sign in with your work account to continue."

    case .signInTitle: "Sign in"
    case .signInMessage: "Sign in with your work account to use your organization's data in this application."
    case .signInOtherUserMessage: "Another user has signed in. Sign in with the account that was asked for."
    case .signInFailedMessage: "Your sign-in could not be confirmed. Sign in again."

    case .compliantTitle: "Ready"
    case .compliantMessage: "This application meets your organization's requirements."
    case .notCompliantTitle: "Access is blocked"
    case .notCompliantMessage:
      "Your organization has no policy for your account in this application. Ask your administrator for one."
    case .serviceFailureTitle: "Access could not be checked"
    case .serviceFailureMessage:
      "Your organization's policy could not be applied to your account. Ask your administrator for help."
    case .networkFailureTitle: "No network"
    case .networkFailureMessage: "Your organization's policy could not be reached. Connect to a network and try again."
    case .interactionRequiredTitle: "Your action is needed"
    case .interactionRequiredMessage: "Open the application and answer its question to use your work account."
    case .userCancelledTitle: "Canceled"
    case .userCancelledMessage: "You have canceled. Your work account cannot be used in this application yet."
    }
  }
}
