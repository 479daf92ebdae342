import Model
import Support

/// Everything that launch rules compare, at one point in time.
package struct LaunchFacts: Sendable {
  package let now: Timestamp
  let device: Device
  /// When the policy source last answered; nil if it never did.
  let contactedAt: Timestamp?
  /// Whether the last answer of the policy source was that the user cannot sign in.
  let isSignInRefused: Bool
  /// A sign-in before this time does not count, because the app was offline for too long; nil if all sign-ins count.
  let signInDueAt: Timestamp?
  /// Whether the app was offline for too long while the clock ran, and nobody has signed in since. A clock that jumped
  /// asks for a sign-in, but removes nothing.
  let isSignInOwed: Bool
  let signedInAt: Timestamp?
  /// Whether the sign-in still counts, given how long the app has not been used since.
  let isSignInFresh: Bool
  let clockStatus: ClockStatus
  let clock: ClockEntry?
  /// Where the user gets updates of the app: an address, or "CompanyPortal"; nil if the administrator does not say.
  let appStore: String?

  package init(
    now: Timestamp, device: Device, contactedAt: Timestamp?, isSignInRefused: Bool, signInDueAt: Timestamp?,
    isSignInOwed: Bool = true, signedInAt: Timestamp?, isSignInFresh: Bool, clockStatus: ClockStatus,
    clock: ClockEntry?, appStore: String?
  ) {
    self.now = now
    self.device = device
    self.contactedAt = contactedAt
    self.isSignInRefused = isSignInRefused
    self.signInDueAt = signInDueAt
    self.isSignInOwed = isSignInOwed
    self.signedInAt = signedInAt
    self.isSignInFresh = isSignInFresh
    self.clockStatus = clockStatus
    self.clock = clock
    self.appStore = appStore
  }
}

/// The last entry of a user in the tenant's time clock.
package struct ClockEntry: Hashable, Sendable {
  package var status: ClockStatus
  /// Nil if the source has no time; the entry then never becomes stale.
  package var updated: Timestamp?

  package init(status: ClockStatus, updated: Timestamp? = nil) {
    self.status = status
    self.updated = updated
  }
}

extension ClockEntry {
  /// When the entry is an hour old; nil if the source has no time.
  package var staleAt: Timestamp? { updated?.advanced(by: 3_600_000) }

  package func status(at now: Timestamp) -> ClockStatus {
    guard let staleAt, staleAt <= now else { return status }
    return status.stale ?? status
  }
}

extension ClockStatus {
  /// The status once it is an hour old; nil if the status cannot become stale.
  package var stale: ClockStatus? {
    switch self {
    case .clockedIn: .clockedInStale
    case .clockedOut: .clockedOutStale
    default: nil
    }
  }
}
