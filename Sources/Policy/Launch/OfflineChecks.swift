import JSON
import Model
import Support

/// What the two rules about an app without its policy source share: time runs from the source's last answer.
enum OfflineCheck {
  /// Nil for zero, which stands for no limit.
  static func limit(_ duration: ISODuration) -> ISODuration? { duration.seconds > 0 ? duration : nil }

  static let unlimited = LaunchCheckResult.notApplicable(.null, "A period of zero is no limit.")

  static func away(_ facts: LaunchFacts) -> ISODuration {
    guard let contact = facts.contactedAt else { return ISODuration(seconds: 0) }
    return ISODuration(seconds: (facts.now.milliseconds - contact.milliseconds) / 1000)
  }

  static func passed(_ away: ISODuration, _ limit: ISODuration) -> LaunchCheckResult {
    let last = away.seconds > 0 ? "\(away.spoken) ago" : "just now"
    let text = "The policy source last answered \(last); the policy allows less than \(limit.spoken)."
    return .passed(.string(away.description), text)
  }

  /// A clause.
  static func cause(_ away: ISODuration, _ limit: ISODuration, _ facts: LaunchFacts) -> String {
    let network = facts.device.networkAvailable ? "" : ". The device has no network"
    return "The policy source last answered \(away.spoken) ago; the policy allows less than \(limit.spoken)\(network)"
  }
}

/// After the period nothing is shown until the source answers again.
struct OfflineGraceCheck: LaunchCheck {
  let period: ISODuration
  var isAboutDevice: Bool { false }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    guard let limit = OfflineCheck.limit(period) else { return OfflineCheck.unlimited }
    let away = OfflineCheck.away(facts)
    let actual = JSONValue.string(away.description)
    guard away >= limit else { return OfflineCheck.passed(away, limit) }
    let notice = UserNotice(.account(.offlineTitle), .account(.offlineBlocked))
    return .failed(actual, .block, OfflineCheck.cause(away, limit, facts), notice)
  }
}

/// After the period the app must reach the source, and the user must sign in: that resets it, and what fails wipes.
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
    if facts.isSignInRefused {
      let notice = UserNotice(.alert(.wipedTitle), .alert(.wipedMessage))
      let cause = "The app was offline for \(limit.spoken), and the user cannot sign in any more"
      return .failed(actual, .wipe, cause, notice)
    }
    return .challenge(
      actual, "The app was offline for \(limit.spoken): the user signs in again, or the account's data is removed.",
      UserNotice(.account(.offlineWipeTitle), .account(.offlineWipeMessage)))
  }
}
