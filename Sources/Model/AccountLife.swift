/// Where an account stands between its registration and its end.
///
/// An account that was enrolled keeps its last good policy while it is retrying, offline or blocked.
public enum AccountLife: String, CaseIterable, Hashable, Sendable, NamedValue {
  case registered, enrolling, enrolled, retrying, offline, blocked, wiping, unenrolled

  package var text: String {
    switch self {
    case .registered: "known to the app; nothing is assigned to it there"
    case .enrolling: "an attempt to enroll it runs"
    case .enrolled: "its last check-in was answered"
    case .retrying: "the policy source failed at the last check-in"
    case .offline: "there was no network at the last check-in"
    case .blocked: "the policy source refuses it"
    case .wiping: "what the app holds of it is being removed"
    case .unenrolled: "unknown to the app"
    }
  }
}
