/// What becomes of an address that a web view is about to go to.
public enum WebViewAction: String, CaseIterable, Hashable, Sendable {
  case load, openInManagedBrowser, block
}

extension WebViewAction: NamedValue {}
