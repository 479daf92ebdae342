extension AlertMessage {
  package var english: String {
    switch self {
    case .ok: "OK"
    case .goOn: "Continue"
    case .cancel: "Cancel"
    case .warningTitle: "Please note"
    case .notificationTitle: "New notification"
    case .notificationMessage: "Open the application to see it."
    case .restartTitle: "Restart needed"
    case .restartMessage:
      "Your organization now protects its data in this application. Restart the application to continue."
    case .noPolicyTitle: "No policy"
    case .noPolicyMessage:
      "Your organization's policy is not set up in this application. Its data is not protected here."
    case .policyRequired:
      "This application needs your organization's policy. Sign in with your work account to continue."
    case .pinningFailedTitle: "The connection is not safe"
    case .pinningFailedMessage:
      "The server could not prove that it belongs to your organization. Try another network, or ask your administrator."
    case .wipedTitle: "Data removed"
    case .wipedMessage: "Your organization's data was removed from this application."
    }
  }
}

extension SharingMessage {
  package var english: String {
    switch self {
    case .blockedTitle: "Not allowed"
    case .blockedMessage: "Your organization does not allow its data to be shared here."
    case .blockedAction: "OK"
    case .outgoingTitle: "Sharing not allowed"
    case .outgoingBlocked: "Your organization does not allow its data to leave this application."
    case .outgoingRestricted: "Your organization's data may only be shared with applications that it manages."
    case .incomingTitle: "Content not accepted"
    case .incomingBlocked: "Your organization does not allow this content to be used here."
    case .incomingDisallowed: "Your work account may not receive content from other applications."
    case .incomingRestricted:
      "Your work account may only receive content from applications that your organization manages."
    case .incomingOfOtherAccount: "This content belongs to another work account, which does not share it."
    case .incomingNotSwitched: "This content belongs to another account. Switch to that account to open it."
    case .clipboardBlocked:
      "Your organization does not allow its data to be copied to or pasted from other applications."
    case .clipboardTooLong: "Your organization allows at most # characters to be copied."
    case .clipboardIncomingTooLong: "Your organization allows at most # characters to be pasted."
    case .printing: "Your organization does not allow its data to be printed."
    case .saving: "Your organization does not allow its data to be saved there."
    case .dictation: "Your organization does not allow dictation here."
    case .keyboard: "Your organization does not allow this keyboard. Use the one that belongs to the system."
    case .edgeRequired: "Your organization wants this link to be opened in Microsoft Edge. Install it to continue."
    case .browserRequired:
      "Your organization wants this link to be opened in the browser that it has chosen. Install it to continue."
    case .dialerRequired:
      "Your organization wants this number to be called with the application that it has chosen. Install it to continue."
    }
  }
}

extension AccountMessage {
  package var english: String {
    switch self {
    case .signInTitle: "Sign in"
    case .signInMessage: "Sign in with your work account to use your organization's data in this application."
    case .signInOtherUser: "Another user has signed in. Sign in with the account that was asked for."
    case .signInFailed: "Your sign-in could not be confirmed. Sign in again."
    case .signInAgain: "Your organization wants you to sign in again before its data is shown."
    case .disabledTitle: "Account disabled"
    case .disabledMessage:
      "Your work account was disabled. Your organization's data cannot be used here. Ask your administrator for help."
    case .clockedOutTitle: "Not at work"
    case .clockedOutMessage: "You are not clocked in. Your organization wants its data to be used at work."
    case .offlineTitle: "Connect to a network"
    case .offlineBlocked:
      "This application has been offline for too long. Connect to a network to use your organization's data."
    case .offlineSignIn:
      "This application has been offline for too long. Connect to a network and sign in, or your data will be removed."
    case .offlineWipeTitle: "Sign in or remove data"
    case .offlineWipeMessage:
      "This application was offline for too long. Sign in to keep your organization's data here; cancel to remove it."
    }
  }
}

extension PINMessage {
  package var english: String {
    switch self {
    case .setTitle: "Set a PIN"
    case .setMessage: "Choose a PIN that protects your organization's data in this application."
    case .setError: "This PIN cannot be used."
    case .enterTitle: "Enter your PIN"
    case .enterMessage: "Enter your PIN to see your organization's data."
    case .enterError: "This is not your PIN. Try again."
    case .biometricNotAllowed: "Your organization wants your PIN now. Enter it to continue."
    case .changeTitle: "Change your PIN"
    case .changeRequired: "Your organization has new rules for PINs. Choose another one."
    case .expired: "Your PIN has expired. Choose another one."
    case .retriesTitle: "Too many wrong PINs"
    case .retriesReset:
      "You have entered too many wrong PINs. Sign in with your work account to choose a new one."
    case .retriesWipe:
      "Too many wrong PINs were entered. Your organization's data has been removed from this application."
    case .simplePIN: "Sequences such as 123 and repetitions such as 111 are not allowed."
    case .simplePasscode: "Sequences such as 123 or abc and repetitions such as aaa are not allowed."
    case .numericNotAllowed: "It needs a letter or a symbol."
    case .onlyNumericAllowed: "Only digits are allowed."
    case .classesRequired: "It needs a digit, a letter and a symbol."
    case .usedBefore: "You have used it before. Choose another one."
    case .lengthRequired: "It needs # characters at least."
    }
  }
}

extension ComplianceMessage {
  package var english: String {
    switch self {
    case .compliantTitle: "Ready"
    case .compliant: "This application meets your organization's requirements."
    case .notCompliantTitle: "Access is blocked"
    case .notCompliant:
      "Your organization has no policy for your account in this application. Ask your administrator for one."
    case .serviceFailureTitle: "Access could not be checked"
    case .serviceFailure:
      "Your organization's policy could not be applied to your account. Ask your administrator for help."
    case .networkFailureTitle: "No network"
    case .networkFailure: "Your organization's policy could not be reached. Connect to a network and try again."
    case .interactionRequiredTitle: "Your action is needed"
    case .interactionRequired: "Open the application and answer its question to use your work account."
    case .userCancelledTitle: "Canceled"
    case .userCancelled: "You have canceled. Your work account cannot be used in this application yet."
    }
  }
}

extension VersionMessage {
  package var english: String {
    switch self {
    case .sdkWarning: "Your organization recommends a newer release (#) of this application's protection."
    case .sdkBlocked:
      "Your organization needs a newer release (#) of this application's protection. Update the application to continue."
    case .sdkWiped:
      """
      The application's protection is too old for your organization, which needs # and has removed its data here. \
      Update the application.
      """
    case .appWarning: "Your organization recommends a newer version (#) of this application."
    case .appBlocked:
      "Your organization needs a newer version (#) of this application. Update the application to continue."
    case .appWiped:
      """
      The application is too old for your organization, which needs # and has removed its data here. Update it and \
      sign in again.
      """
    case .systemTooLowWarning: "Your organization recommends a newer version (#) of the device's system."
    case .systemTooLowBlocked:
      "Your organization needs a newer version (#) of the device's system. Update the system to continue."
    case .systemTooLowWiped:
      """
      The device's system is too old for your organization, which needs # and has removed its data here. Update it and \
      sign in again.
      """
    case .systemTooHighWarning: "Your organization recommends an older version (#) of the device's system."
    case .systemTooHighBlocked:
      "Your organization supports the device's system up to version # only. Use an older one to continue."
    case .systemTooHighWiped:
      "Your organization supports the device's system up to version # only, and has removed its data here."
    case .updateInPortal: "You find the update in the Company Portal."
    case .updateAt: "You find the update here: #"
    }
  }
}

extension DeviceMessage {
  package var english: String {
    switch self {
    case .rootedTitle: "Device not protected"
    case .rootedMessage:
      "The protection of this device's system is broken. Your organization does not allow its data here."
    case .pinRequiredTitle: "Device PIN needed"
    case .pinRequiredMessage:
      "Your organization wants this device to have a PIN. Set one in the device's settings."
    case .modelBlocked: "Your organization does not allow its data on this kind of device (#)."
    case .modelWiped: "Your organization does not allow its data on this kind of device (#). It was removed here."
    case .threat:
      "The device is reported to be under threat. Open your threat protection application to see what to do."
    case .threatDefenseMissing:
      """
      Your organization requires a threat protection application on this device. Set it up to continue.
      """
    }
  }
}
