import Model
import Policy

extension MAMError {
  static let pinNotRequired = MAMError(
    .pinNotRequired,
    "the account needs no PIN: it has no policy that requires a PIN, or the device's PIN replaces it",
    hint: "Call policy.isPINRequired to find out whether a PIN is required")

  static let pinNotSet = MAMError(
    .pinNotSet, "the user has no PIN yet", hint: "Let the user choose a PIN, and call pin.set")

  static let pinAlreadySet = MAMError(
    .pinAlreadySet, "the user already has a PIN",
    hint: "Call pin.change, or pin.reset if the user has forgotten the PIN")

  static func wrongPIN(triesLeft: Int?) -> MAMError {
    var error = MAMError(
      .wrongPIN, "the PIN is wrong",
      hint: triesLeft.map { "Let the user try again; tries left: \($0)" } ?? "Let the user try again")
    error.userText = UserText(.pin(.enterError))
    return error
  }

  static func pinNotAllowed(_ fault: PINFault) -> MAMError {
    let wish = fault == .tooLong ? "a PIN of at most \(PINForm.maximumLength) characters" : "another PIN"
    var error = MAMError(.pinNotAllowed, fault.text.text(in: .english), hint: "Let the user choose \(wish)")
    error.userText = fault.text
    return error
  }

  /// `message` tells the user to sign in (`retriesReset`), or that the data is wiped.
  static func pinRetriesExceeded(_ message: PINMessage) -> MAMError {
    let mayReset = message == .retriesReset
    var error = MAMError(
      .pinRetriesExceeded, "there were too many wrong PINs" + (mayReset ? "" : ", so the account's data is wiped"),
      hint: mayReset ? "Let the user sign in, then call pin.reset" : "Enroll the account again, and set a new PIN")
    error.userText = UserText(.pin(message))
    return error
  }

  /// There were too many wrong PINs while wipes are on hold.
  static func pinRetriesHeld(_ hold: WipeHold) -> MAMError {
    var error = MAMError(
      .pinRetriesExceeded, "there were too many wrong PINs, so the account is blocked. \(hold.text)",
      hint: "When the hold ends, the account's data is wiped; then enroll the account again, and set a new PIN")
    error.userText = UserText(.alert(.heldMessage))
    return error
  }

  static let tokenRefused = MAMError(
    .tokenRefused, "the token does not prove a sign-in: the token is empty, or the account is \"no user\"",
    hint: "Pass the token from the user's latest sign-in")

  /// The PIN was sealed under another store key, or its row was changed.
  static func damagedPIN(_ path: String) -> MAMError {
    MAMError(
      .damaged, "the stored PIN is damaged",
      hint: "Let the user sign in, call pin.reset, and let the user choose a new PIN", path: path)
  }
}
