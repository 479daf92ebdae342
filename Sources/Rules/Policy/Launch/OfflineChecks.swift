import JSON
import Model
import Support

/// The common part of the two rules about an offline app. The time runs from the policy source's last answer.
package enum OfflineCheck {
  /// `nil` for zero, which means no limit.
  package static func limit(_ duration: ISODuration) -> ISODuration? { duration.seconds > 0 ? duration : nil }

  static let unlimited = LaunchCheckResult.notApplicable(.null, "A period of zero means no limit.")

  static func away(_ facts: LaunchFacts) -> ISODuration {
    guard let contact = facts.contactedAt else { return ISODuration(seconds: 0) }
    return ISODuration(seconds: (facts.now.milliseconds - contact.milliseconds) / 1000)
  }

  static func passed(_ away: ISODuration, _ limit: ISODuration) -> LaunchCheckResult {
    let last = away.seconds > 0 ? "\(away.spoken) ago" : "just now"
    let text = "The policy source last answered \(last); the policy allows less than \(limit.spoken)."
    return .passed(.string(away.description), text)
  }

  /// Why the rule fails, as a clause.
  static func cause(_ away: ISODuration, _ limit: ISODuration, _ facts: LaunchFacts) -> String {
    let network = facts.device.networkAvailable ? "" : ", and the device has no network"
    return "The policy source last answered \(away.spoken) ago; the policy allows less than \(limit.spoken)\(network)"
  }
}

/// Blocks access after the period, until the policy source answers again.
struct OfflineGraceCheck: LaunchCheck {
  let period: ISODuration
  /// On Windows, a period of zero blocks as soon as there is no network; elsewhere, it means no limit.
  let isForWindows: Bool
  var isAboutDevice: Bool { false }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    guard let limit = OfflineCheck.limit(period) else { return isForWindows ? atOnce(facts) : OfflineCheck.unlimited }
    let away = OfflineCheck.away(facts)
    let actual = JSONValue.string(away.description)
    guard away >= limit else { return OfflineCheck.passed(away, limit) }
    return .failed(actual, .block, OfflineCheck.cause(away, limit, facts), Self.notice)
  }

  private func atOnce(_ facts: LaunchFacts) -> LaunchCheckResult {
    let actual = JSONValue.string(OfflineCheck.away(facts).description)
    guard !facts.device.networkAvailable else {
      return .passed(actual, "The device has a network; the policy allows no time without one.")
    }
    return .failed(actual, .block, "The device has no network, and the policy allows no time without one", Self.notice)
  }

  private static let notice = UserNotice(.account(.offlineTitle), .account(.offlineBlocked))
}

/// After the period, the app must reach the policy source and the user must sign in. The sign-in starts the period again;
/// a failed sign-in wipes, unless only a jump of the clock made the period pass.
struct OfflineWipeCheck: LaunchCheck {
  let period: ISODuration
  var isAboutDevice: Bool { false }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    guard let limit = OfflineCheck.limit(period) else { return OfflineCheck.unlimited }
    let away = OfflineCheck.away(facts)
    let actual = JSONValue.string(away.description)
    if away >= limit {
      let notice = UserNotice(.account(.offlineTitle), .account(.offlineSignIn))
      return .failed(actual, .block, OfflineCheck.cause(away, limit, facts), notice)
    }
    guard let due = facts.signInDueAt, facts.signedInAt.map({ $0 < due }) ?? true else {
      return OfflineCheck.passed(away, limit)
    }
    guard facts.isSignInOwed else { return afterJump(facts, actual, limit) }
    if facts.isSignInRefused {
      let notice = UserNotice(.alert(.wipedTitle), .alert(.wipedMessage))
      let cause = "The app was offline for \(limit.spoken), and the user can no longer sign in"
      return .failed(actual, .wipe, cause, notice)
    }
    return .challenge(
      actual, "The app was offline for \(limit.spoken): the user must sign in again, or the account's data is removed.",
      UserNotice(.account(.offlineWipeTitle), .account(.offlineWipeMessage)))
  }

  /// The clock was set forward, or the state was used with a clock that was ahead.
  private func afterJump(_ facts: LaunchFacts, _ actual: JSONValue, _ limit: ISODuration) -> LaunchCheckResult {
    let cause = "By a clock that jumped, the app was offline for \(limit.spoken)"
    let notice = UserNotice(.account(.offlineTitle), .account(.signInMessage))
    if facts.isSignInRefused {
      return .failed(actual, .block, "\(cause), and the user can no longer sign in", notice)
    }
    return .challenge(actual, "\(cause): the user must sign in again. A jump removes no data.", notice)
  }
}
