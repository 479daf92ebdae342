/// What of the user's body may stand in for a PIN. The machine has none: the host recognizes the user and vouches for it.
public enum Biometric: String, CaseIterable, Hashable, Sendable, NamedValue {
  case touchID, faceID
}
