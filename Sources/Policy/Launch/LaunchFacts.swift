import Model
import Support

/// All that rules compare, at one moment.
package struct LaunchFacts: Sendable {
  package let now: Timestamp
  let device: Device
  /// Since when the policy source has not answered.
  let contactedAt: Timestamp?
  /// Whether the source's last answer was that the user cannot sign in.
  let isSignInRefused: Bool
  /// A sign-in before this does not count, because the app had been away for too long; nil where none was too long.
  let signInDueAt: Timestamp?
  let signedInAt: Timestamp?
  /// Whether the sign-in still counts, by the time that the app was not used since.
  let isSignInFresh: Bool
  let clockStatus: ClockStatus
  let clock: ClockEntry?
  /// Where the app is updated: an address, or "CompanyPortal"; nil where the administrator does not say.
  let appStore: String?

  package init(
    now: Timestamp, device: Device, contactedAt: Timestamp?, isSignInRefused: Bool, signInDueAt: Timestamp?,
    signedInAt: Timestamp?, isSignInFresh: Bool, clockStatus: ClockStatus, clock: ClockEntry?, appStore: String?
  ) {
    self.now = now
    self.device = device
    self.contactedAt = contactedAt
    self.isSignInRefused = isSignInRefused
    self.signInDueAt = signInDueAt
    self.signedInAt = signedInAt
    self.isSignInFresh = isSignInFresh
    self.clockStatus = clockStatus
    self.clock = clock
    self.appStore = appStore
  }
}

/// What the tenant's time clock last said of a user.
package struct ClockEntry: Hashable, Sendable {
  package var status: ClockStatus
  /// Nil when the source does not tell: such an entry never grows stale.
  package var updated: Timestamp?

  package init(status: ClockStatus, updated: Timestamp? = nil) {
    self.status = status
    self.updated = updated
  }
}

extension ClockEntry {
  /// When it is an hour old; nil where the source does not tell its time.
  package var staleAt: Timestamp? { updated?.advanced(by: 3_600_000) }

  package func status(at now: Timestamp) -> ClockStatus {
    guard let staleAt, staleAt <= now else { return status }
    return status.stale ?? status
  }
}

extension ClockStatus {
  /// The form for what was said an hour ago; nil for what cannot grow old.
  package var stale: ClockStatus? {
    switch self {
    case .clockedIn: .clockedInStale
    case .clockedOut: .clockedOutStale
    default: nil
    }
  }
}
