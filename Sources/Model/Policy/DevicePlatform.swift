/// The system whose policies count.
public enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
  case ios, android
}
