import Cryptography
import Model
import Policy
import Support

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

/// What came of asking the user.
public enum HostAnswer<Value: Sendable>: Sendable {
  case value(Value)
  /// The user does not want to.
  case canceled
  /// Nobody can ask, or nobody has answered.
  case unavailable
}

extension HostAnswer: Equatable where Value: Equatable {}

public struct AccessToken: Equatable, Sendable {
  public let token: HostSecret
  /// Nil when that is not known.
  public let expires: Timestamp?

  public init(token: HostSecret, expires: Timestamp?) {
    self.token = token
    self.expires = expires
  }
}

/// Who has signed in, and what proves it.
public struct Credentials: Equatable, Sendable {
  public let userPrincipalName: String
  public let token: HostSecret

  public init(userPrincipalName: String, token: HostSecret) {
    self.userPrincipalName = userPrincipalName
    self.token = token
  }
}

/// How the user answers a prompt for a PIN.
public enum PINEntry: Equatable, Sendable {
  case pin(HostSecret)
  /// The host has recognized the user, and vouches for it.
  case biometric(Biometric)
}

/// Something that the user must be told.
public struct HostAlert: Equatable, Sendable {
  public var title: String
  public var message: String
  /// The texts of the buttons.
  public var actions: [String]
  /// Nil for the application as a whole.
  public var window: String?

  public init(title: String, message: String, actions: [String], window: String? = nil) {
    self.title = title
    self.message = message
    self.actions = actions
    self.window = window
  }
}

/// A PIN or a token of the host, in memory that is cleared at its end. Has no text of its own, so that it cannot get
/// into a log.
public struct HostSecret: Equatable, Sendable {
  package let bytes: SecretBytes

  /// Nil when the system has no memory for it.
  public init?(_ text: String) {
    var text = text
    guard let secret = text.withUTF8({ HostSecret(copying: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = secret
  }

  /// As above, from text in UTF-8 that its owner clears.
  package init?(copying bytes: UnsafeRawBufferPointer) {
    guard let bytes = try? SecretBytes(copying: bytes) else { return nil }
    self.bytes = bytes
  }

  package var isEmpty: Bool { bytes.count == 0 }
}

extension HostSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "HostSecret" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PINTraits {
  init(_ pin: HostSecret) { self = pin.bytes.withUnsafeBytes(PINTraits.init(utf8:)) }
}
