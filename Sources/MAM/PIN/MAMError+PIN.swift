import Model
import Policy

extension MAMError {
  static let pinNotRequired = MAMError(
    .pinNotRequired, "no PIN is required of the account: it has no policy that wants one, or the device's replaces it",
    hint: "policy.isPINRequired tells when one is")

  static let pinNotSet = MAMError(.pinNotSet, "the user has no PIN yet", hint: "Let the user choose one: pin.set")

  static let pinAlreadySet = MAMError(
    .pinAlreadySet, "the user has a PIN", hint: "Use pin.change, or pin.reset when it is forgotten")

  static func wrongPIN(triesLeft: Int?) -> MAMError {
    var error = MAMError(
      .wrongPIN, "this is not the user's PIN",
      hint: triesLeft.map { "Let the user try again; tries left: \($0)" } ?? "Let the user try again")
    error.userText = UserText(.pin(.enterError))
    return error
  }

  static func pinNotAllowed(_ fault: PINFault) -> MAMError {
    let wish = fault == .tooLong ? "one of \(PINForm.maximumLength) characters at most" : "another PIN"
    var error = MAMError(.pinNotAllowed, fault.text.text(in: .english), hint: "Let the user choose \(wish)")
    error.userText = fault.text
    return error
  }

  /// `message` says whether a sign-in helps, or the data is gone.
  static func pinRetriesExceeded(_ message: PINMessage) -> MAMError {
    let mayReset = message == .retriesReset
    var error = MAMError(
      .pinRetriesExceeded, "there were too many wrong PINs" + (mayReset ? "" : "; the account's data is wiped"),
      hint: mayReset ? "Let the user sign in, and call pin.reset" : "Enroll the account again, and set a new PIN")
    error.userText = UserText(.pin(message))
    return error
  }

  static let tokenRefused = MAMError(
    .tokenRefused, "the token does not prove that the user has signed in: it is empty, or the account is no user",
    hint: "Give the token that the user's sign-in has brought")

  /// What it was sealed with is not the store key, or the row was changed.
  static func damagedPIN(_ path: String) -> MAMError {
    MAMError(
      .damaged, "the stored PIN is damaged", hint: "Let the user sign in and choose a new one: pin.reset", path: path)
  }
}
