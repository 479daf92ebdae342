/// What becomes of an address that an app is about to open.
public enum URLAction: String, CaseIterable, Hashable, Sendable {
  case open
  /// Another address is opened instead, which leads to the app that the policy names.
  case rewrite
  case block
}

extension URLAction: NamedValue {}
