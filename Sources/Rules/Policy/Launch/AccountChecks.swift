import JSON
import Model
import Support

/// Checks that the user's account is neither disabled nor deleted.
struct DisabledAccountCheck: LaunchCheck {
  let action: LaunchAction
  var isAboutDevice: Bool { false }

  init(_ action: RemediationAction) {
    self.action = LaunchAction(action, of: [.block, .wipe])
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    guard facts.isSignInRefused else {
      return .passed(false, "The last check-in found the user's account enabled.")
    }
    let notice = UserNotice(.account(.disabledTitle), .account(.disabledMessage))
    return .failed(true, action, "The last check-in found the user's account disabled or deleted", notice)
  }
}

/// Checks that the user is at work. A grace period begins if the user clocks out or the status becomes stale. An
/// unknown status counts as not at work.
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

  /// When the grace period began; nil if that is not known.
  private func leftAt(_ facts: LaunchFacts) -> Timestamp? {
    switch facts.clockStatus {
    case .clockedOut, .clockedOutStale: facts.clock?.updated
    case .clockedInStale: facts.clock?.staleAt
    default: nil
    }
  }
}

/// Checks that the user has signed in since the last pause in use that was too long.
package struct CredentialsCheck: LaunchCheck {
  package static let notice = UserNotice(.account(.signInTitle), .account(.signInAgain))

  var isAboutDevice: Bool { false }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let actual = facts.signedInAt.map { JSONValue.string($0.description) } ?? .null
    guard !facts.isSignInFresh else { return .passed(actual, "The user has signed in.") }
    let cause = facts.signedInAt == nil ? "The user has not signed in to this app" : "The sign-in is too old"
    return .challenge(actual, "\(cause): the user must sign in.", Self.notice)
  }
}

/// The use of an account's data at one point in time.
package struct AccountUse: Sendable {
  package let now: Timestamp
  /// Whether the PIN and the credentials must be checked again.
  package let isRecheckDue: Bool
  /// Nil if the data was never in use.
  private let last: Activity?
  /// A pause of this length is too long; nil if no pause is too long.
  private let period: ISODuration?

  /// `isShown` is whether the host has shown the data, as allowed, in its present stay in the foreground. Then there has
  /// been no pause, however long ago the last check was.
  package init(_ last: Activity?, _ period: ISODuration?, isShown: Bool, at now: Timestamp) {
    self.now = now
    self.last = last
    self.period = period
    isRecheckDue = last.map { !isShown && $0.isOver(at: now, period) } ?? true
  }

  /// Why the PIN is checked again, as a clause; nil if it is not, or if the data was never in use. `enteredAt` is when the
  /// PIN was last given, which may be later than the last use.
  package func recheckCause(enteredAt: Timestamp? = nil) -> String? {
    guard isRecheckDue, let period, let from = [last?.usedAt, enteredAt].compactMap(\.self).max() else { return nil }
    guard from <= now else { return "the clock is before the time of the last use" }
    let seconds = (now.milliseconds - from.milliseconds) / 1000
    let idle = ISODuration(seconds: seconds < 60 ? seconds : seconds / 60 * 60)
    return "unused for \(idle.spoken); \(SettingName.periodOnlineBeforeAccessCheck.rawValue) is \(period)"
  }

  /// Whether a sign-in counts. While no recheck is due, it must have been made during the current use. If a recheck is
  /// due, it must be later than the last use and no older than a pause may be.
  package func isFresh(_ signIn: Timestamp?) -> Bool {
    guard let signIn else { return false }
    guard isRecheckDue else { return last.map { $0.since <= signIn } ?? false }
    return last.map { $0.usedAt <= signIn } ?? true && period.map { now < signIn.advanced(by: $0.milliseconds) } ?? true
  }

  /// The activity to store for a use now.
  package func used(signedInAt signIn: Timestamp?) -> Activity {
    if let last, !isRecheckDue { return Activity(since: last.since, usedAt: now) }
    let isOfThisUse = signIn.map { signIn in last.map { $0.usedAt <= signIn } ?? true } ?? false
    return Activity(since: isOfThisUse ? min(now, signIn ?? now) : now, usedAt: now)
  }

  /// The activity to store when the app leaves the foreground; nil if the account was not in use.
  package var ended: Activity? {
    guard let last, !isRecheckDue else { return nil }
    return Activity(since: last.since, usedAt: now)
  }
}

/// When the data of an account was last in use in any app of a publisher.
package struct Activity: Equatable, Sendable {
  /// The start of the use without a pause that was too long.
  package var since: Timestamp
  package var usedAt: Timestamp

  package init(since: Timestamp, usedAt: Timestamp) {
    self.since = since
    self.usedAt = usedAt
  }

  /// Whether the pause since the last use is too long, so that the PIN and the credentials are due again. If the clock
  /// was set back, the pause counts as too long. `period` is nil if no pause is too long.
  package func isOver(at now: Timestamp, _ period: ISODuration?) -> Bool {
    guard let period else { return false }
    return now < usedAt || usedAt.advanced(by: period.milliseconds) <= now
  }
}
