import Model
import Policy

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
    case .notRequired: .pinNotRequired
    case .passed: .pinPassed
    case .challenge(let challenge): .pinChallenge(challenge.kind)
    case .canceled: LaunchCheckResult(actual: .null, outcome: .block, text: "The user has canceled.", notice: nil)
    case .wipe: .pinWipe
    }
  }
}

extension LaunchCheckResult {
  fileprivate static let pinNotRequired = passed(.null, "No PIN is asked for: the device has one of its own.")
  fileprivate static let pinPassed = passed(.null, "The user has entered the PIN.")

  fileprivate static func pinChallenge(_ kind: Challenge.Kind) -> Self {
    Self(actual: .null, outcome: .challenge, text: kind.textOfPIN, notice: nil)
  }

  fileprivate static let pinWipe = failed(
    .null, .wipe, "The PIN was entered wrongly too often", UserNotice(.alert(.wipedTitle), .pin(.retriesWipe)))

  /// Nil where the device's own PIN is enough.
  static func pin(_ demand: PINDemand?) -> Self {
    guard let demand else { return .pinNotRequired }
    if demand == .wipe { return .pinWipe }
    return demand.kind.map { .pinChallenge($0) } ?? .pinPassed
  }
}
