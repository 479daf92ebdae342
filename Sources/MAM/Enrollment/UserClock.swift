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

extension Core {
  /// What is known of the user now; nil for no user and for an account that is not enrolled.
  package func userStatus(of reference: AccountReference?) -> UserStatus? {
    reference.flatMap(state.account)?.clockStatus(at: now).map(UserStatus.init)
  }
}
