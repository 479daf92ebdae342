import Model
import Policy
import Support

/// The identities that one host has set: of its threads and its windows, and through the core that of the process.
///
/// A thread's wins over the process's. For what a window shows, the main thread's wins, then the window's own, then the
/// process's. What was never set, or set to null, says nothing.
package final class Identities: Sendable {
  private struct Names {
    var threads: [String: AccountReference] = [:]
    var windows: [String: AccountReference] = [:]
    var activities: [String: AccountReference] = [:]
  }

  /// The thread and the window that are meant where none is named.
  package static let main = "main"
  static let maximumCount = 10_000
  static let maximumLength = 4096

  private let core: Core
  private let names = Lock(Names())

  package init(_ core: Core) {
    self.core = core
  }

  /// Whose policy holds now where no account is named. `window` is given for what it shows, and then `thread` says
  /// nothing. Nil where no identity is set: `CoreState.effectiveAccount` holds.
  package func effective(thread: String? = nil, window: String? = nil) -> AccountReference? {
    effectiveIdentity(thread: thread, window: window).account
  }

  /// The same, and where it comes from.
  package func effectiveIdentity(thread: String? = nil, window: String? = nil) -> EffectiveIdentity {
    let own = names.withLock { names -> EffectiveIdentity in
      guard let window else {
        let thread = thread ?? Self.main
        return EffectiveIdentity(names.threads[thread], .thread(thread))
      }
      if let main = names.threads[Self.main] { return EffectiveIdentity(main, .mainThread(over: window)) }
      return EffectiveIdentity(names.windows[window], .window(window))
    }
    guard own.account == nil else { return own }
    return core.processIdentity.map { EffectiveIdentity($0, .process) } ?? EffectiveIdentity(nil, .unset)
  }

  package func thread(_ name: String?) -> AccountReference? {
    names.withLock { $0.threads[name ?? Self.main] }
  }

  package func window(_ name: String?) -> AccountReference? {
    names.withLock { $0.windows[name ?? Self.main] }
  }

  /// Whose document or address the window is opening.
  package func activity(_ window: String?) -> AccountReference? {
    names.withLock { $0.activities[window ?? Self.main] }
  }

  /// What was set, by the host's names.
  var threadNames: [String: String] { names.withLock { $0.threads.mapValues(\.text) } }
  var windowNames: [String: String] { names.withLock { $0.windows.mapValues(\.text) } }

  /// Gives the identity that this replaces.
  package func setThread(_ name: String?, _ identity: AccountReference?) throws(MAMError) -> AccountReference? {
    try names.withLock { names throws(MAMError) in try Self.set(name, in: &names.threads, identity) }
  }

  /// Ends the window's activity.
  func setWindow(_ name: String?, _ identity: AccountReference?) throws(MAMError) {
    try names.withLock { names throws(MAMError) in
      _ = try Self.set(name, in: &names.windows, identity)
      names.activities[name ?? Self.main] = nil
    }
  }

  func beginActivity(_ window: String?, of identity: AccountReference?) throws(MAMError) {
    try names.withLock { names throws(MAMError) in
      _ = try Self.set(window, in: &names.activities, identity)
    }
  }

  private static func set(
    _ name: String?, in identities: inout [String: AccountReference], _ identity: AccountReference?
  ) throws(MAMError) -> AccountReference? {
    let name = name ?? main
    guard let identity else { return identities.removeValue(forKey: name) }
    try check(name, count: identities.count, isKnown: identities[name] != nil)
    return identities.updateValue(identity, forKey: name)
  }

  /// Refuses one more name where there are enough.
  static func check(_ name: String, count: Int, isKnown: Bool) throws(MAMError) {
    guard name.utf8.count <= maximumLength, isKnown || count < maximumCount else { throw .tooManyIdentities }
  }
}

extension MAMError {
  fileprivate static let tooManyIdentities = MAMError(
    .tooManyIdentities,
    "a name is longer than 4 KiB, or \(Identities.maximumCount) threads, windows or web views are known by name",
    hint: "Set the identity of threads and windows that are gone to null, the policy of web views to unset")
}

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
