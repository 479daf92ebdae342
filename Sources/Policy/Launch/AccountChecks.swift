import JSON
import Model
import Support

/// Whether the policy source still knows the user as one who can sign in.
struct DisabledAccountCheck: LaunchCheck {
  let action: LaunchAction
  var isAboutDevice: Bool { false }

  init(_ action: RemediationAction) {
    self.action = LaunchAction(action, of: [.block, .wipe])
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    guard facts.isSignInRefused else {
      return .passed(false, "At the last check-in the user's account was neither disabled nor gone.")
    }
    let notice = UserNotice(.account(.disabledTitle), .account(.disabledMessage))
    return .failed(true, action, "At the last check-in the user's account was disabled or gone", notice)
  }
}

/// Whether the user is at work. Who has just gone, or whose status has just grown stale, has a grace period; a status
/// that nobody tells counts as not at work.
struct ClockCheck: LaunchCheck {
  private let action: LaunchAction
  private let grace: ISODuration
  var isAboutDevice: Bool { false }

  init(_ action: RemediationAction, _ policy: EffectivePolicy) {
    self.action = LaunchAction(action, of: [.block, .warn])
    grace =
      policy.value(of: .gracePeriodToBlockAppsDuringOffClockHours)?.durationValue ?? ISODuration(seconds: 0)
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let status = facts.clockStatus
    let actual = JSONValue.string(status.rawValue)
    if status == .clockedIn { return .passed(actual, "The user is clocked in.") }
    let cause = "The user's clock status is \(status)"
    if let end = leftAt(facts)?.advanced(by: grace.milliseconds), facts.now < end {
      return .passed(actual, "\(cause), and the grace period of \(grace.spoken) lasts until \(end).")
    }
    let notice = UserNotice(.account(.clockedOutTitle), .account(.clockedOutMessage))
    return .failed(actual, action, cause, notice)
  }

  /// When the grace period began; nil where that is not known.
  private func leftAt(_ facts: LaunchFacts) -> Timestamp? {
    switch facts.clockStatus {
    case .clockedOut, .clockedOutStale: facts.clock?.updated
    case .clockedInStale: facts.clock?.staleAt
    default: nil
    }
  }
}

/// Whether the user has shown who he is since the app was last left alone for too long.
struct CredentialsCheck: LaunchCheck {
  var isAboutDevice: Bool { false }
  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let actual = facts.signedInAt.map { JSONValue.string($0.description) } ?? .null
    guard !facts.isSignInFresh else { return .passed(actual, "The user has signed in.") }
    let cause = facts.signedInAt == nil ? "The user has not signed in here" : "The sign-in is too old"
    return .challenge(
      actual, "\(cause): the user is asked to sign in.",
      UserNotice(.account(.signInTitle), .account(.signInAgain)))
  }
}
