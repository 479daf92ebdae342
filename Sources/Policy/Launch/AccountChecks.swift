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

/// How the data of an account is in use at one moment.
package struct AccountUse: Sendable {
  package let now: Timestamp
  /// Whether PIN and credentials are due again.
  package let isRecheckDue: Bool
  /// Nil where it was never in use.
  private let last: Activity?
  /// Nil where no pause is too long.
  private let period: ISODuration?
  /// Whether it has been in use ever since the last check.
  private let isUnbroken: Bool

  /// `foregroundSince` is when the app came into the foreground, where it still is; nil where it is not.
  package init(_ last: Activity?, _ period: ISODuration?, foregroundSince: Timestamp?, at now: Timestamp) {
    self.now = now
    self.last = last
    self.period = period
    if let last, let foregroundSince { isUnbroken = foregroundSince <= last.usedAt } else { isUnbroken = false }
    isRecheckDue = !isUnbroken && last?.isOver(at: now, period) ?? true
  }

  /// Whether a sign-in counts: one of the time of use that goes on, else one that is no older than a pause may be.
  package func isFresh(_ signIn: Timestamp?) -> Bool {
    guard let signIn else { return false }
    guard isRecheckDue else { return last.map { $0.since <= signIn } ?? false }
    return last.map { $0.usedAt <= signIn } ?? true && period.map { now < signIn.advanced(by: $0.milliseconds) } ?? true
  }

  /// What is to be kept of a use now; nil where nothing new is.
  package func used(signedInAt signIn: Timestamp?) -> Activity? {
    if isUnbroken { return nil }
    guard isRecheckDue else { return last.map { Activity(since: $0.since, usedAt: now) } }
    let isOfThisUse = signIn.map { signIn in last.map { $0.usedAt <= signIn } ?? true } ?? false
    return Activity(since: isOfThisUse ? min(now, signIn ?? now) : now, usedAt: now)
  }

  /// What is to be kept when the app leaves the foreground; nil for an account that was not in use there.
  package var ended: Activity? {
    guard let last, !isRecheckDue else { return nil }
    return Activity(since: last.since, usedAt: now)
  }
}

/// When the data of an account was last in use, in any app of one publisher.
package struct Activity: Equatable, Sendable {
  /// Since when there was no pause that was too long.
  package var since: Timestamp
  package var usedAt: Timestamp

  package init(since: Timestamp, usedAt: Timestamp) {
    self.since = since
    self.usedAt = usedAt
  }

  /// Whether the pause since the last use is too long: then PIN and credentials are asked for again. A clock that was
  /// set back proves nothing. `period` is nil where no pause is too long.
  package func isOver(at now: Timestamp, _ period: ISODuration?) -> Bool {
    guard let period else { return false }
    return now < usedAt || usedAt.advanced(by: period.milliseconds) <= now
  }
}
