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

    case .setPINTitle: "Set a PIN"
    case .setPINMessage: "Choose a PIN that protects your organization's data in this application."
    case .setPINError: "This PIN cannot be used."
    case .enterPINTitle: "Enter your PIN"
    case .enterPINMessage: "Enter your PIN to see your organization's data."
    case .enterPINError: "This is not your PIN. Try again."
    case .biometricNotAllowedMessage: "Your organization wants your PIN now. Enter it to continue."
    case .changePINTitle: "Change your PIN"
    case .pinChangeRequired: "Your organization has new rules for PINs. Choose another one."
    case .pinExpired: "Your PIN has expired. Choose another one."
    case .pinRetriesTitle: "Too many wrong PINs"
    case .pinRetriesResetMessage:
      "You have entered too many wrong PINs. Sign in with your work account to choose a new one."
    case .pinRetriesWipeMessage:
      "Too many wrong PINs were entered. Your organization's data has been removed from this application."
    case .simplePINNotAllowed: "Sequences such as 123 and repetitions such as 111 are not allowed."
    case .simplePasscodeNotAllowed: "Sequences such as 123 or abc and repetitions such as aaa are not allowed."
    case .numericPINNotAllowed: "It needs a letter or a symbol."
    case .onlyNumericAllowed: "Only digits are allowed."
    case .passcodeClassesRequired: "It needs a digit, a letter and a symbol."
    case .pinUsedBefore: "You have used it before. Choose another one."
    case .pinLengthRequired: "It needs # characters at least."

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

    case .pinningFailedTitle: "The connection is not safe"
    case .pinningFailedMessage:
      "The server could not prove that it belongs to your organization. Try another network, or ask your administrator."

    case .warningTitle: "Please note"
    case .sdkWarningMessage: "Your organization recommends a newer release of this application's protection."
    case .sdkBlockedMessage:
      "Your organization needs a newer release of this application's protection. Update the application to continue."
    case .sdkWipedMessage:
      "The application's protection is too old for your organization, whose data was removed here. Update the application."
    case .appWarningMessage: "Your organization recommends a newer version of this application."
    case .appBlockedMessage:
      "Your organization needs a newer version of this application. Update the application to continue."
    case .appWipedMessage:
      "The application is too old for your organization, whose data was removed here. Update it and sign in again."
    case .updateInPortalMessage: "You find the update in the Company Portal."
    case .updateAtMessage: "You find the update here:"
    case .systemTooLowWarningMessage: "Your organization recommends a newer version of the device's system."
    case .systemTooLowBlockedMessage:
      "Your organization needs a newer version of the device's system. Update the system to continue."
    case .systemTooLowWipedMessage:
      "The device's system is too old for your organization, whose data was removed here. Update it and sign in again."
    case .systemTooHighWarningMessage: "Your organization recommends an older version of the device's system."
    case .systemTooHighBlockedMessage:
      "Your organization does not support a system as new as this device's. Use an older one to continue."
    case .systemTooHighWipedMessage:
      "The device's system is too new for your organization, whose data was removed here."

    case .deviceRootedTitle: "Device not protected"
    case .deviceRootedMessage:
      "The protection of this device's system is broken. Your organization does not allow its data here."
    case .devicePINRequiredTitle: "Device PIN needed"
    case .devicePINRequiredMessage:
      "Your organization wants this device to have a PIN. Set one in the device's settings."
    case .deviceModelBlockedMessage: "Your organization does not allow its data on this kind of device."
    case .deviceModelWipedMessage:
      "Your organization does not allow its data on this kind of device. It was removed here."
    case .deviceThreatMessage:
      "The device is reported to be under threat. Open your threat protection application to see what to do."

    case .disabledAccountTitle: "Account disabled"
    case .disabledAccountMessage:
      "Your work account was disabled. Your organization's data cannot be used here. Ask your administrator for help."
    case .clockedOutTitle: "Not at work"
    case .clockedOutMessage: "You are not clocked in. Your organization wants its data to be used at work."
    case .offlineTitle: "Connect to a network"
    case .offlineBlockedMessage:
      "This application has been offline for too long. Connect to a network to use your organization's data."
    case .offlineSignInMessage:
      "This application has been offline for too long. Connect to a network and sign in, or your data will be removed."
    case .offlineWipeTitle: "Sign in or remove data"
    case .offlineWipeMessage:
      "This application was offline for too long. Sign in to keep your organization's data here; cancel to remove it."
    case .signInAgainMessage: "Your organization wants you to sign in again before its data is shown."
    case .wipedTitle: "Data removed"
    case .wipedMessage: "Your organization's data was removed from this application."
    }
  }
}
