import Model
import Support

/// What one run of a host has told of its windows, and what its user has accepted. Ends with the host's connection: an
/// app that starts again is warned again.
package final class LaunchSession: Sendable {
  private struct State {
    var windows: Set<String> = []
    /// Since when a window is in the foreground; nil while none is.
    var foregroundSince: Timestamp?
    /// Whether the host tells of its windows at all.
    var isTold = false
    /// By account.
    var acceptedWarnings: [String: Set<UserText>] = [:]
  }

  private let state = Lock(State())

  package init() {}

  var foregroundSince: Timestamp? { state.withLock { $0.foregroundSince } }

  /// Whether a check counts as use: always, unless the host has told that it is in the background.
  var isInUse: Bool { state.withLock { !$0.isTold || $0.foregroundSince != nil } }

  package func enter(_ window: String?, at now: Timestamp) throws(MAMError) {
    try state.withLock { state throws(MAMError) in
      let window = window ?? Identities.main
      try Identities.check(window, count: state.windows.count, isKnown: state.windows.contains(window))
      state.isTold = true
      state.windows.insert(window)
      state.foregroundSince = state.foregroundSince ?? now
    }
  }

  /// How the foreground was left by that; nil while other windows are still there.
  package func leave(_ window: String?, at now: Timestamp) -> LeftForeground? {
    state.withLock { state in
      state.isTold = true
      state.windows.remove(window ?? Identities.main)
      guard state.windows.isEmpty else { return nil }
      return LeftForeground(since: state.foregroundSince.take(), at: now)
    }
  }

  func accept(_ warning: UserText, of account: AccountReference) {
    state.withLock { _ = $0.acceptedWarnings[account.key, default: []].insert(warning) }
  }

  func hasAccepted(_ warning: UserText, of account: AccountReference) -> Bool {
    state.withLock { $0.acceptedWarnings[account.key]?.contains(warning) ?? false }
  }
}

/// The end of a stay in the foreground.
package struct LeftForeground: Sendable {
  /// Nil where its beginning was never told.
  let since: Timestamp?
  let at: Timestamp
}
