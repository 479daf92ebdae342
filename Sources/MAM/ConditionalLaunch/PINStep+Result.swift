import Model

extension Challenge.Kind {
  /// Why the PIN asks for it.
  fileprivate var textOfPIN: String {
    switch self {
    case .setPIN: "The user has no PIN yet, and is asked to choose one."
    case .changePIN: "The PIN has expired or does not follow the policy any more: the user is asked for another one."
    case .credentials: "The PIN was entered wrongly too often: the user is asked to sign in, and then for another one."
    case .enterPIN, .warning: "The user is asked for the PIN."
    }
  }
}

extension PINStep {
  /// As one of the rules of a conditional launch.
  var result: LaunchCheckResult {
    switch self {
    case .notRequired: .passed(.null, "No PIN is asked for: the device has one of its own.")
    case .passed: .passed(.null, "The user has entered the PIN.")
    case .challenge(let challenge):
      LaunchCheckResult(
        actual: .null, outcome: .challenge, text: challenge.kind.textOfPIN, notice: nil)
    case .canceled: LaunchCheckResult(actual: .null, outcome: .block, text: "The user has canceled.", notice: nil)
    case .wipe(let message):
      .failed(
        .null, .wipe, "The PIN was entered wrongly too often", UserNotice(.alert(.wipedTitle), .pin(message)))
    }
  }
}
