import Model
import Support

/// The sign-in of a user by the policy source itself, which gets the tokens that it recognizes users by.
extension CheckInSource {
  /// Whether the source can get tokens. Starts a source outside of this process if it does not run. False by default.
  package func canSignIn() async -> Bool { false }

  /// Refused by default.
  package func acquireToken(
    for request: SourceTokenRequest, until deadline: ContinuousClock.Instant
  ) async -> Result<AccessToken, SourceFault> {
    .failure(SourceFault(.signInNeeded, "The policy source cannot sign in users."))
  }
}

/// What a policy source is asked for that gets tokens itself.
package struct SourceTokenRequest: Sendable {
  package let account: Account
  /// The claims that the service wants in the token, as it wrote them when it refused another token; `nil` for none.
  package var claims: String?
  /// Shows the user where to sign in. Called any number of times and does not block. `nil` if the source must not ask
  /// the user.
  package var show: (@Sendable (SourcePrompt) -> Void)?

  package init(account: Account, claims: String? = nil, show: (@Sendable (SourcePrompt) -> Void)? = nil) {
    self.account = account
    self.claims = claims
    self.show = show
  }
}

/// How a user signs in to a policy source with another device or window.
package struct SourcePrompt: Hashable, Sendable {
  /// Where to sign in.
  package let verificationUri: String
  /// The code to enter there; empty if there is none.
  package let userCode: String
  /// For the user, in the user's language; may be empty.
  package let message: String
  /// When the sign-in is no longer possible.
  package let expires: Timestamp

  package init(verificationUri: String, userCode: String, message: String, expires: Timestamp) {
    self.verificationUri = verificationUri
    self.userCode = userCode
    self.message = message
    self.expires = expires
  }

  /// The text of the prompt, with the address and the code in it. `usual` begins a prompt without a message.
  func text(orBeginning usual: String) -> String {
    let message = message.isEmpty ? usual : message
    let missing = [verificationUri, userCode].filter { !$0.isEmpty && !message.includes($0) }
    return ([message] + missing).joined(separator: "\n")
  }
}

/// How the prompts of the policy source reach a user if no host shows them.
package enum SignInDisplay: Sendable {
  /// As a challenge, which any host can show and cancel.
  case challenge
  /// As a text for the person who waits for the call.
  case text(@Sendable (String) -> Void)
  /// Not at all, because the process ends before a user could sign in.
  case nowhere
}
