import Cryptography
import Model
import Policy
import Support

/// The host, as far as the core asks it something: one method for each delegate of the SDK.
///
/// A host implements what it can answer; the defaults answer the rest, as if there were no host. The core holds no lock
/// while it waits for an answer, so a host may call the core.
package protocol Host: Sendable {
  /// Returns whether the window shows that account now. Defaults to false, which blocks what needed the account.
  func identitySwitchRequired(to account: Account, window: String?, reason: IdentitySwitchReason) async -> Bool

  /// Returns whether the host has hidden the account in the window. By default, it cannot hide single accounts.
  func blockAccount(_ account: Account, window: String?, reason: BlockAccountReason) async -> HostAnswer<Bool>

  /// Returns whether the host has removed all data of the account. Defaults to false: the core removes what the account
  /// owns.
  func wipeData(of account: Account) async -> Bool

  /// Whether the host wants to remove an account's data outside of files, and leaves the files to the core. Defaults to
  /// false.
  var wipesOnlyAuxiliaryData: Bool { get }

  /// Returns whether the host has removed all data of the account that is not in files. Defaults to true.
  func wipeAuxiliaryData(of account: Account) async -> Bool

  /// Whether the host wants to know before an account stops being managed. Defaults to false.
  var awaitsManagementEnd: Bool { get }

  /// Returns when the host has read what it still needs of the account's protected data.
  func managementWillBeRemoved(of account: Account) async

  /// Returns the paths of the host's own logs; none by default.
  func collectLogs(_ request: LogCollection) async -> [AbsolutePath]

  /// Returns whether the host restarts itself. Defaults to false: the core reports that a restart is due.
  func restartApplication() async -> Bool

  /// Returns whether the host shows an account that the core has enrolled on its own. Defaults to false.
  func addIdentity(_ account: Account) async -> Bool

  /// Returns whether the address leads a web view out of the organization's own content. Defaults to false.
  func isExternalURL(_ url: String, in webViewer: String) async -> Bool

  /// With `silent`, the host must not ask the user.
  func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken>

  /// How a host gives the tokens that the policy source asks for; `nil` if no host does, which is the default.
  var tokenDelegate: TokenDelegate? { get }

  /// Gets a token for the policy source. Refused by default.
  func token(for request: TokenRequest, from delegate: TokenDelegate) async -> TokenAnswer

  /// `identity` is the user who must sign in; `nil` for any user.
  func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials>

  /// Shows the user a sign-in in a browser, until the task is cancelled because it has ended. The host may answer with a
  /// token of its own instead, or with an empty one once it has shown the sign-in.
  func promptForSignIn(_ prompt: SignInPrompt) async -> HostAnswer<Credentials>

  func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry>

  /// Returns the text of the chosen button; `nil` if no button was chosen, which is the default.
  func showAlert(_ alert: HostAlert) async -> String?

  /// Shows an HTML file. Does nothing by default.
  func showDiagnosticConsole(path: String) async

  /// Returns an image of the window, as the bytes of a PNG file; `nil` if there is none, which is the default.
  func captureWindow(_ window: String?) async -> [UInt8]?
}

extension Host {
  package func identitySwitchRequired(to account: Account, window: String?, reason: IdentitySwitchReason) async -> Bool
  {
    false
  }
  package func blockAccount(
    _ account: Account, window: String?, reason: BlockAccountReason
  ) async -> HostAnswer<Bool> { .unavailable }
  package func wipeData(of account: Account) async -> Bool { false }
  package var wipesOnlyAuxiliaryData: Bool { false }
  package func wipeAuxiliaryData(of account: Account) async -> Bool { true }
  package var awaitsManagementEnd: Bool { false }
  package func managementWillBeRemoved(of account: Account) async {}
  package func collectLogs(_ request: LogCollection) async -> [AbsolutePath] { [] }
  package func restartApplication() async -> Bool { false }
  package func addIdentity(_ account: Account) async -> Bool { false }
  package func isExternalURL(_ url: String, in webViewer: String) async -> Bool { false }
  package func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken> {
    .unavailable
  }
  package var tokenDelegate: TokenDelegate? { nil }
  package func token(for request: TokenRequest, from delegate: TokenDelegate) async -> TokenAnswer {
    .refused("no host gives tokens")
  }
  package func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials> { .unavailable }
  package func promptForSignIn(_ prompt: SignInPrompt) async -> HostAnswer<Credentials> { .unavailable }
  package func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry> { .unavailable }
  package func showAlert(_ alert: HostAlert) async -> String? { nil }
  package func showDiagnosticConsole(path: String) async {}
  package func captureWindow(_ window: String?) async -> [UInt8]? { nil }
}

/// No host: every answer is the default.
package struct NoHost: Host {
  package init() {}
}

/// The result of asking the user.
package enum HostAnswer<Value: Sendable>: Sendable {
  case value(Value)
  /// The user canceled.
  case canceled
  /// Nobody can ask the user, or nobody has answered.
  case unavailable
}

extension HostAnswer: Equatable where Value: Equatable {}

package struct AccessToken: Equatable, Sendable {
  package let token: HostSecret
  /// `nil` if unknown.
  package let expires: Timestamp?

  package init(token: HostSecret, expires: Timestamp?) {
    self.token = token
    self.expires = expires
  }
}

/// A user who has signed in, with proof.
package struct Credentials: Equatable, Sendable {
  package let userPrincipalName: String
  package let token: HostSecret

  package init(userPrincipalName: String, token: HostSecret) {
    self.userPrincipalName = userPrincipalName
    self.token = token
  }
}

/// A sign-in in a browser, on this device or another one.
package struct SignInPrompt: Equatable, Sendable {
  /// The user who must sign in.
  package let account: Account
  /// `nil` if no window was named.
  package let window: String?
  /// Has the address and the code, too.
  package let message: String
  /// The page to sign in on.
  package let verificationUri: String
  /// The code to enter there; empty if there is none.
  package let userCode: String
  package let expires: Timestamp

  package init(
    account: Account, window: String?, message: String, verificationUri: String, userCode: String, expires: Timestamp
  ) {
    self.account = account
    self.window = window
    self.message = message
    self.verificationUri = verificationUri
    self.userCode = userCode
    self.expires = expires
  }
}

/// The user's answer to a prompt for a PIN.
package enum PINEntry: Equatable, Sendable {
  case pin(HostSecret)
  /// The host has recognized the user and vouches for it.
  case biometric(Biometric)
}

/// A support session for which the host's logs are wanted.
package struct LogCollection: Equatable, Sendable {
  package let sessionId: String
  /// Whose problem it is about; both members are `nil` for nobody in particular.
  package let account: Account

  package init(sessionId: String, account: Account) {
    self.sessionId = sessionId
    self.account = account
  }
}

/// A message that the user must see.
package struct HostAlert: Equatable, Sendable {
  package var title: String
  package var message: String
  /// The texts of the buttons.
  package var actions: [String]
  /// `nil` for the app as a whole.
  package var window: String?

  package init(title: String, message: String, actions: [String], window: String? = nil) {
    self.title = title
    self.message = message
    self.actions = actions
    self.window = window
  }
}

/// A PIN or token from the host, in memory that is cleared at its end. Its description never shows the text, so the
/// text cannot get into a log.
package struct HostSecret: Equatable, Sendable {
  package let bytes: SecretBytes

  package init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// `nil` if the system is out of memory.
  package init?(_ text: String) {
    var text = text
    guard let secret = text.withUTF8({ HostSecret(copying: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = secret
  }

  /// Like `init(_:)`, from UTF-8 text that its owner clears.
  package init?(copying bytes: UnsafeRawBufferPointer) {
    guard let bytes = try? SecretBytes(copying: bytes) else { return nil }
    self.bytes = bytes
  }

  package var isEmpty: Bool { bytes.count == 0 }

  /// The address must not escape `body`.
  package func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes(body) }
}

extension HostSecret: CustomStringConvertible, CustomReflectable {
  package var description: String { "HostSecret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PINTraits {
  init(_ pin: HostSecret) { self = pin.bytes.withUnsafeBytes(PINTraits.init(utf8:)) }
}
