import Model
import Policy
import SQLite
import Support

/// Accounts that a host must hide, because their conditional launch does not let them be shown.
package struct Blocks: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let language: Language

  /// The outcome of a block in one window.
  enum Outcome: Sendable {
    case hidden
    /// The host does not hide single accounts, and shows no user in the window instead.
    case switchedToNobody
    /// The host still shows the account.
    case failed
  }

  /// Notes that an account is blocked. Returns false if that was noted before.
  func note(_ account: Account, _ reason: BlockAccountReason) throws(MAMError) -> Bool {
    guard live.state.blocks.reason(of: account) != reason else { return false }
    try live.commit { transaction throws(SQLiteError) in try transaction.block(account, reason) }
    return true
  }

  /// Notes that the launch of an account has passed, so it may be shown again.
  func end(of account: Account) throws(MAMError) {
    guard live.state.blocks.reason(of: account) != .notBlocked else { return }
    try live.commit { transaction throws(SQLiteError) in try transaction.endBlock(of: account) }
  }

  /// Asks the host to hide an account in one window. If the host cannot hide single accounts, asks it to show no user.
  /// If it does neither, tells the user, and locks the window down.
  func hide(
    _ reference: AccountReference, _ reason: BlockAccountReason, in window: String, of identities: Identities
  ) async throws(MAMError) -> Outcome {
    let (account, revision) = (live.state.named(reference), identities.revision(ofWindow: window))
    switch await hosts.current.blockAccount(account, window: window, reason: reason) {
    case .value(true):
      identities.hide(reference, inWindow: window, live.state.directory)
      return .hidden
    case .unavailable:
      let isSwitched = await hosts.current.identitySwitchRequired(
        to: live.state.named(.noUser), window: window, reason: .cancelConditionalLaunch)
      guard isSwitched else { break }
      // The host may have set the window itself.
      if identities.revision(ofWindow: window) == revision {
        try identities.setWindow(window, .noUser, revision: revision)
      }
      return .switchedToNobody
    case .value(false), .canceled: break
    }
    identities.lockWindow(window, for: reference)
    alertUser(in: window)
    return .failed
  }

  /// Does not wait for the user's choice, because nothing depends on it.
  private func alertUser(in window: String) {
    let alert = HostAlert(
      UserNotice(.alert(.blockFailedTitle), .alert(.blockFailedMessage)), window: window, in: language)
    Task(executorPreference: BlockingExecutor.shared) { [hosts] in _ = await hosts.current.showAlert(alert) }
  }
}

extension CoreState {
  /// The registered accounts that hosts must hide, in the order of registration.
  package var blockedAccounts: [Account] { accounts.map(\.account).filter { blocks.reason(of: $0) != .notBlocked } }

  /// Why hosts must hide an account.
  package func blockedReason(of reference: AccountReference) -> BlockAccountReason {
    blocks.reason(of: named(reference))
  }
}

extension LaunchEnd {
  /// Why the account is blocked. An app without MultiIdentityCancelDisabled lets its users cancel.
  func blockReason(mayCancel: Bool) -> BlockAccountReason {
    if isCanceled, mayCancel { return .conditionalLaunchCanceled }
    return decisive?.setting == .appActionIfAccountIsClockedOut ? .clockedOut : .conditionalLaunchBlocked
  }
}
