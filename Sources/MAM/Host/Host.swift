import Model

/// The program that the core works for, as far as the core asks it something: one method for each delegate of the SDK.
///
/// A host implements what it can answer; for the rest the defaults hold, as if there were nobody. Nothing of the core is
/// locked while it waits for an answer, so a host may call it back.
public protocol Host: Sendable {
  /// Whether the window shows that account now. False by default: what needed it is blocked.
  func identitySwitchRequired(to account: Account, window: String?, reason: IdentitySwitchReason) async -> Bool

  /// Whether the host has removed all data of the account. False by default: the core removes what the account owns.
  func wipeData(of account: Account) async -> Bool

  /// Whether the host restarts itself. False by default: the core tells that a restart is due.
  func restartApplication() async -> Bool

  /// Whether the host shows an account that the core has enrolled on its own. False by default.
  func addIdentity(_ account: Account) async -> Bool

  /// Whether the address leads a web view out of the organization's own content. False by default.
  func isExternalURL(_ url: String, in webViewer: String) async -> Bool

  /// `silent` forbids to ask the user.
  func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken>

  /// `identity` is who shall sign in, nil for anybody.
  func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials>

  func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry>

  /// The text of the button that was chosen; nil when none was, and by default.
  func showAlert(_ alert: HostAlert) async -> String?

  /// Shows an HTML file. By default nothing is shown.
  func showDiagnosticConsole(path: String) async
}

extension Host {
  public func identitySwitchRequired(to account: Account, window: String?, reason: IdentitySwitchReason) async -> Bool {
    false
  }
  public func wipeData(of account: Account) async -> Bool { false }
  public func restartApplication() async -> Bool { false }
  public func addIdentity(_ account: Account) async -> Bool { false }
  public func isExternalURL(_ url: String, in webViewer: String) async -> Bool { false }
  public func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken> {
    .unavailable
  }
  public func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials> { .unavailable }
  public func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry> { .unavailable }
  public func showAlert(_ alert: HostAlert) async -> String? { nil }
  public func showDiagnosticConsole(path: String) async {}
}

/// Nobody: all defaults.
public struct NoHost: Host {
  public init() {}
}
