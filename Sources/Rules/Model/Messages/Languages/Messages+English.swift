extension AlertMessage {
  package var english: String {
    switch self {
    case .ok: "OK"
    case .goOn: "Continue"
    case .cancel: "Cancel"
    case .warningTitle: "Please note"
    case .notificationTitle: "New notification"
    case .notificationMessage: "Open the app to see it."
    case .restartTitle: "Restart required"
    case .restartMessage: "Your organization now protects its data in this app. Restart the app to continue."
    case .noPolicyTitle: "No policy"
    case .noPolicyMessage:
      "Your organization's policy is not set up in this app, so your organization's data is not protected here."
    case .policyRequired: "This app requires your organization's policy. Sign in with your work account to continue."
    case .pinningFailedTitle: "The connection is not secure"
    case .pinningFailedMessage:
      """
      The server could not prove that it belongs to your organization. Try another network, or contact your \
      administrator.
      """
    case .wipedTitle: "Data removed"
    case .wipedMessage: "Your organization's data was removed from this app."
    case .heldMessage:
      """
      Your organization has paused the removal of its data from apps. Until that ends, its data in this app cannot \
      be used.
      """
    case .blockFailedTitle: "Account blocked"
    case .blockFailedMessage: "An account that is blocked could not be hidden. Close the app, and open it again."
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
    case .outgoingBlocked: "Your organization does not allow its data to leave this app."
    case .outgoingRestricted: "Your organization's data can only be shared with apps that your organization manages."
    case .incomingTitle: "Content not accepted"
    case .incomingBlocked: "Your organization does not allow this content to be used here."
    case .incomingDisallowed: "Your work account cannot receive content from other apps."
    case .incomingRestricted: "Your work account can only receive content from apps that your organization manages."
    case .incomingOfOtherAccount: "This content belongs to another work account, which does not allow it to be shared."
    case .incomingNotSwitched: "This content belongs to another account. Switch to that account to open it."
    case .clipboardBlocked:
      "Your organization does not allow copying its data to other apps or pasting content from them."
    case .clipboardTooLong: "Your organization allows at most # characters to be copied."
    case .clipboardIncomingTooLong: "Your organization allows at most # characters to be pasted."
    case .printing: "Your organization does not allow its data to be printed."
    case .saving: "Your organization does not allow its data to be saved to this location."
    case .dictation: "Your organization does not allow dictation here."
    case .keyboard: "Your organization does not allow this keyboard. Use the system keyboard instead."
    case .edgeRequired:
      "Your organization requires this link to open in Microsoft Edge. Install Microsoft Edge to continue."
    case .browserRequired:
      """
      Your organization requires this link to open in the browser that it has chosen. Install that browser to \
      continue.
      """
    case .dialerRequired:
      """
      Your organization requires this number to be called with the app that it has chosen. Install that app to \
      continue.
      """
    }
  }
}

extension AccountMessage {
  package var english: String {
    switch self {
    case .signInTitle: "Sign in"
    case .signInMessage: "Sign in with your work account to use your organization's data in this app."
    case .signInOtherUser: "Another user signed in. Sign in with the requested account."
    case .signInFailed: "Your sign-in could not be confirmed. Sign in again."
    case .signInAgain: "Your organization requires you to sign in again before its data is shown."
    case .disabledTitle: "Account disabled"
    case .disabledMessage:
      "Your work account is disabled, so your organization's data cannot be used here. Ask your administrator for help."
    case .clockedOutTitle: "Not at work"
    case .clockedOutMessage: "You are not clocked in. Your organization wants its data to be used during working hours."
    case .offlineTitle: "Connect to a network"
    case .offlineBlocked:
      "This app has been offline for too long. Connect to a network to use your organization's data."
    case .offlineSignIn:
      """
      This app has been offline for too long. Connect to a network and sign in, or your organization's data will be \
      removed.
      """
    case .offlineWipeTitle: "Sign in or remove data"
    case .offlineWipeMessage:
      "This app was offline for too long. Sign in to keep your organization's data here, or cancel to remove it."
    }
  }
}

extension PINMessage {
  package var english: String {
    switch self {
    case .setTitle: "Set a PIN"
    case .setMessage: "Choose a PIN to protect your organization's data in this app."
    case .setError: "This PIN cannot be used."
    case .enterTitle: "Enter your PIN"
    case .enterMessage: "Enter your PIN to see your organization's data."
    case .enterError: "The PIN is incorrect. Try again."
    case .biometricNotAllowed: "Your organization requires your PIN now. Enter your PIN to continue."
    case .changeTitle: "Change your PIN"
    case .changeRequired: "Your organization has new rules for PINs. Choose another PIN."
    case .expired: "Your PIN has expired. Choose another PIN."
    case .retriesTitle: "Too many incorrect PINs"
    case .retriesReset: "You entered too many incorrect PINs. Sign in with your work account to choose a new PIN."
    case .retriesWipe: "Too many incorrect PINs were entered. Your organization's data was removed from this app."
    case .simplePIN: "Sequences such as 123 and repetitions such as 111 are not allowed."
    case .simplePasscode: "Sequences such as 123 or abc and repetitions such as aaa are not allowed."
    case .numericNotAllowed: "The PIN must contain a letter or a symbol."
    case .onlyNumericAllowed: "Only digits are allowed."
    case .classesRequired: "The PIN must contain a digit, a letter and a symbol."
    case .usedBefore: "You have used this PIN before. Choose another PIN."
    case .lengthRequired: "The PIN must have at least # characters."
    }
  }
}

extension ComplianceMessage {
  package var english: String {
    switch self {
    case .compliantTitle: "Ready"
    case .compliant: "This app meets your organization's requirements."
    case .notCompliantTitle: "Access is blocked"
    case .notCompliant:
      "Your organization has no policy for your account in this app. Ask your administrator to assign a policy."
    case .serviceFailureTitle: "Access could not be checked"
    case .serviceFailure:
      "Your organization's policy could not be applied to your account. Ask your administrator for help."
    case .networkFailureTitle: "No network"
    case .networkFailure: "Your organization's policy could not be loaded. Connect to a network and try again."
    case .interactionRequiredTitle: "Action required"
    case .interactionRequired: "Open the app and answer its question to use your work account."
    case .userCancelledTitle: "Canceled"
    case .userCancelled: "You canceled. Your work account cannot be used in this app yet."
    }
  }
}

extension VersionMessage {
  package var english: String {
    switch self {
    case .sdkWarning: "Your organization recommends a newer version (#) of this app's data protection."
    case .sdkBlocked:
      "Your organization requires a newer version (#) of this app's data protection. Update the app to continue."
    case .sdkWiped:
      """
      Your organization requires a newer version (#) of this app's data protection, so its data was removed from this \
      app. Update the app.
      """
    case .appWarning: "Your organization recommends a newer version (#) of this app."
    case .appBlocked: "Your organization requires a newer version (#) of this app. Update the app to continue."
    case .appWiped:
      """
      Your organization requires a newer version (#) of this app, so its data was removed from this app. Update the \
      app and sign in again.
      """
    case .systemTooLowWarning: "Your organization recommends a newer version (#) of the device's system."
    case .systemTooLowBlocked:
      "Your organization requires a newer version (#) of the device's system. Update the system to continue."
    case .systemTooLowWiped:
      """
      Your organization requires a newer version (#) of the device's system, so its data was removed from this app. \
      Update the system and sign in again.
      """
    case .systemTooHighWarning: "Your organization recommends an older version (#) of the device's system."
    case .systemTooHighBlocked:
      "Your organization supports the device's system only up to version #. Use an older version to continue."
    case .systemTooHighWiped:
      "Your organization supports the device's system only up to version #, so its data was removed from this app."
    case .updateInPortal: "You can get the update in the Company Portal."
    case .updateAt: "You can get the update here: #"
    }
  }
}

extension DeviceMessage {
  package var english: String {
    switch self {
    case .rootedTitle: "Device not protected"
    case .rootedMessage:
      "The protection of this device's system is compromised. Your organization does not allow its data here."
    case .pinRequiredTitle: "Device PIN required"
    case .pinRequiredMessage:
      "Your organization requires this device to have a PIN. Set a PIN in the device's settings."
    case .lockTooWeak: "Your organization requires a stronger screen lock. Set one in the device's settings."
    case .developerOptions:
      "Your organization does not allow developer options to be on. Turn off the developer options in the device's settings."
    case .notAttested:
      "Your organization requires a device that Samsung Knox has verified, and this device is not verified."
    case .policyTooNew:
      """
      Your organization's policy has rules that this app does not know yet. Update the app, or ask your \
      administrator.
      """
    case .modelBlocked: "Your organization does not allow its data on this kind of device (#)."
    case .modelWiped:
      "Your organization does not allow its data on this kind of device (#), so its data was removed from this app."
    case .threat: "A threat to this device was reported. Open your threat protection app to see what to do."
    case .threatDefenseMissing:
      "Your organization requires a threat protection app on this device. Set up the app to continue."
    }
  }
}
