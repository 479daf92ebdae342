import Model
import Policy
import Support

extension AccountState {
  /// Nil for an account that is not enrolled.
  func clockStatus(at now: Timestamp) -> ClockStatus? {
    guard isEnrolled else { return nil }
    guard policy?.effective.value(of: .appActionIfAccountIsClockedOut) != nil else { return .notConfigured }
    return clock?.status(at: now) ?? .unknown
  }
}
