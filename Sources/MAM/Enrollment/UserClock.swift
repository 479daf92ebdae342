import Model
import Support

extension ClockEntry {
  /// When it is an hour old; nil where the source does not tell its time.
  var staleAt: Timestamp? { updated?.advanced(by: 3_600_000) }

  func status(at now: Timestamp) -> ClockStatus {
    guard let staleAt, staleAt <= now else { return status }
    return status.stale ?? status
  }
}

extension ClockStatus {
  /// The form for what was said an hour ago; nil for what cannot grow old.
  var stale: ClockStatus? {
    switch self {
    case .clockedIn: .clockedInStale
    case .clockedOut: .clockedOutStale
    default: nil
    }
  }
}

extension AccountState {
  /// Nil for an account that is not enrolled.
  func clockStatus(at now: Timestamp) -> ClockStatus? {
    guard isEnrolled else { return nil }
    guard policy?.effective.value(of: .appActionIfAccountIsClockedOut) != nil else { return .notConfigured }
    return clock?.status(at: now) ?? .unknown
  }
}

extension Core {
  /// What is known of the user now; nil for no user and for an account that is not enrolled.
  package func userStatus(of reference: AccountReference?) -> UserStatus? {
    reference.flatMap(state.account)?.clockStatus(at: now).map(UserStatus.init)
  }
}
