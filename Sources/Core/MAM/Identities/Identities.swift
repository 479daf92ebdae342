import Model
import Policy
import Support

/// The identities that one host has set: those of its threads and windows and, through the core, that of the process.
///
/// The identity of a thread wins over that of the process. For what a window shows, the identity of the main thread
/// wins, then that of the window, then that of the process. An identity that was never set, or was set to null, does
/// not count. Only a window can show several accounts at once.
package final class Identities: Sendable {
  private struct Names {
    var threads: [String: AccountReference] = [:]
    var windows = WindowIdentities()
    var activities: [String: AccountReference] = [:]
  }

  /// The thread or window that is meant if none is named.
  package static let main = "main"
  static let maximumCount = 10_000
  static let maximumLength = 4096
  /// In one window.
  static let maximumAccounts = 100

  private let process: ProcessIdentity
  private let names = Lock(Names())

  /// `process` is the identity that all connections share.
  init(of process: ProcessIdentity) {
    self.process = process
  }

  /// The identity whose policy applies if no account is named, with the place where it was set. `window` is given for
  /// what a window shows, which may be several accounts; then `thread` is ignored. Without account and view, no identity
  /// is set: `CoreState.effectiveAccount` applies.
  package func effectiveIdentity(thread: String? = nil, window: String? = nil) -> EffectiveIdentity {
    let own = names.withLock { names -> EffectiveIdentity in
      guard let window else {
        let thread = thread ?? Self.main
        return EffectiveIdentity(names.threads[thread], .thread(thread))
      }
      if let view = names.windows.view(window), view.isLocked { return EffectiveIdentity(view, .window(window)) }
      if let main = names.threads[Self.main] { return EffectiveIdentity(main, .mainThread(over: window)) }
      if let view = names.windows.view(window) { return EffectiveIdentity(view, .window(window)) }
      return EffectiveIdentity(names.windows.account(window), .window(window))
    }
    guard own.account == nil, own.view == nil else { return own }
    return process.reference.map { EffectiveIdentity($0, .process) } ?? EffectiveIdentity(nil, .unset)
  }

  package func thread(_ name: String?) -> AccountReference? {
    names.withLock { $0.threads[name ?? Self.main] }
  }

  /// `nil` if no identity was set, or if the window shows several accounts.
  package func window(_ name: String?) -> AccountReference? {
    names.withLock { $0.windows.account(name ?? Self.main) }
  }

  /// The accounts that were set for the window; `nil` if none were.
  package func accounts(inWindow name: String?) -> [AccountReference]? {
    names.withLock { $0.windows.accounts(name ?? Self.main) }
  }

  /// The owner of the document or address that the window is opening.
  package func activity(_ window: String?) -> AccountReference? {
    names.withLock { $0.activities[window ?? Self.main] }
  }

  /// The identities that were set, by the names that the host uses.
  var threadNames: [String: String] { names.withLock { $0.threads.mapValues(\.text) } }
  var windowNames: [String: String] { names.withLock { $0.windows.texts } }

  /// Returns the identity that is replaced.
  package func setThread(_ name: String?, _ identity: AccountReference?) throws(MAMError) -> AccountReference? {
    try names.withLock { names throws(MAMError) in try Self.set(name, in: &names.threads, identity) }
  }

  /// Sets the identity of a window, and ends the window's activity.
  func setWindow(_ name: String?, _ identity: AccountReference?, revision: Int? = nil) throws(MAMError) {
    try setWindow(name, accounts: identity.map { [$0] }, revision: revision)
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

  /// Throws 4002 if the name is too long, or if it is new and there are too many.
  static func check(_ name: String, count: Int, isKnown: Bool) throws(MAMError) {
    guard name.utf8.count <= maximumLength, isKnown || count < maximumCount else { throw .tooManyIdentities }
  }
}

/// Windows that show several accounts.
extension Identities {
  /// Sets the accounts of a window, and ends the window's activity. `nil` removes its identity; an empty list shows no
  /// user. `revision` is the number of the call that sets the window, if the call took a number when it arrived.
  func setWindow(_ name: String?, accounts: [AccountReference]?, revision: Int? = nil) throws(MAMError) {
    let name = name ?? Self.main
    try names.withLock { names throws(MAMError) in
      if accounts != nil { try Self.check(name, count: names.windows.count, isKnown: names.windows.isSet(name)) }
      names.windows.set(name, accounts, revision: revision)
      names.activities[name] = nil
    }
  }

  /// Throws 4002 if the window cannot be set to the accounts.
  func checkWindow(_ name: String, showing accounts: [AccountReference]) throws(MAMError) {
    guard accounts.count <= Self.maximumAccounts else { throw .tooManyIdentities }
    try names.withLock { names throws(MAMError) in
      try Self.check(name, count: names.windows.count, isKnown: names.windows.isSet(name))
    }
  }

  /// Numbers a call that arrives, to tell which of two calls about a window is the later one.
  package func nextRevision() -> Int { names.withLock { $0.windows.nextRevision() } }

  /// The number of the call that set the window.
  package func revision(ofWindow name: String?) -> Int { names.withLock { $0.windows.revision(name ?? Self.main) } }

  /// Answers every question about the window with the lock-down policy, until it is set again.
  func lockWindow(_ name: String?, for account: AccountReference) {
    names.withLock { $0.windows.lock(name ?? Self.main, for: account) }
  }

  /// The windows that show the account, also by another name.
  func windows(showing account: AccountReference, _ directory: AccountDirectory) -> [String] {
    names.withLock { $0.windows.windows { directory.areEqual($0, account) } }
  }

  /// Whether a call took the account out of the window, or did not show it there, before it ended with a challenge.
  func hasHidden(_ account: AccountReference, inWindow name: String, _ directory: AccountDirectory) -> Bool {
    names.withLock { $0.windows.hidden(name).contains { directory.areEqual($0, account) } }
  }

  func noteHidden(_ account: AccountReference, inWindow name: String) {
    names.withLock { $0.windows.noteHidden(account, in: name) }
  }

  func forgetHidden(inWindow name: String) { names.withLock { $0.windows.forgetHidden(name) } }

  /// Takes an account out of a window. A window of one account then shows no user.
  func hide(_ account: AccountReference, inWindow name: String, _ directory: AccountDirectory) {
    names.withLock { names in
      names.windows.hide(in: name) { directory.areEqual($0, account) }
      names.activities[name] = nil
    }
  }
}

extension MAMError {
  fileprivate static let tooManyIdentities = MAMError(
    .tooManyIdentities,
    "a name is longer than 4 KiB, or there are \(Identities.maximumCount) named threads, windows or web views",
    hint: "Set the identities of closed windows and ended threads to null, and policies of closed web views to unset")
}

/// What one host has set for its web views.
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

  /// `unset` removes the web view.
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
