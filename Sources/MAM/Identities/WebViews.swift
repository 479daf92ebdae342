import Model
import Support

/// What one host has said of its web views.
package final class WebViews: Sendable {
  private struct Names {
    var policies: [String: WebViewPolicy] = [:]
    var delegates: Set<String> = []
  }

  private let names = Lock(Names())

  package init() {}

  package func policy(of webViewer: String) -> WebViewPolicy {
    names.withLock { $0.policies[webViewer] ?? .unset }
  }

  /// Whether the host wants to be asked which addresses lead out of the organization's own content.
  package func hasDelegate(_ webViewer: String) -> Bool { names.withLock { $0.delegates.contains(webViewer) } }

  /// `unset` forgets the web view.
  package func setPolicy(_ policy: WebViewPolicy, of webViewer: String) throws(MAMError) {
    try names.withLock { names throws(MAMError) in
      guard policy != .unset else { return _ = names.policies.removeValue(forKey: webViewer) }
      try Identities.check(webViewer, count: names.policies.count, isKnown: names.policies[webViewer] != nil)
      names.policies[webViewer] = policy
    }
  }

  package func setDelegate(_ isEnabled: Bool, of webViewer: String) throws(MAMError) {
    try names.withLock { names throws(MAMError) in
      guard isEnabled else { return _ = names.delegates.remove(webViewer) }
      try Identities.check(webViewer, count: names.delegates.count, isKnown: names.delegates.contains(webViewer))
      names.delegates.insert(webViewer)
    }
  }
}
