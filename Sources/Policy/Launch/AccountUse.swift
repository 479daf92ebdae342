import Model
import Support

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
