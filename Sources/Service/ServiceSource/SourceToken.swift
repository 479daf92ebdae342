import SourceProtocol
import Support

/// Signs users in for a policy source.
package protocol SourceSignIn: Sendable {
  /// Whether what the service says about its tokens is enough to sign in.
  func canSignIn(at authentication: ServiceAuthentication) -> Bool

  /// A token for the service, as its description asks for it. If `silent`, no person is there, and only what is stored can
  /// lead to one. `claims` is what the service or the provider asked for. `prompt` shows a person where to sign in; it
  /// returns when the prompt is shown, with false if nobody can see it.
  ///
  /// Fails with `signInNeeded` if a person is needed, `signInCanceled` if a person canceled or did not sign in in time,
  /// and `unreachable` if the provider cannot be reached.
  func token(
    for account: SourceAccount, at authentication: ServiceAuthentication, silent: Bool, claims: String?,
    prompt: @escaping @Sendable (SignInPrompt) async -> Bool
  ) async throws(SourceError) -> SourceToken
}

package struct SourceToken: Sendable {
  package var accessToken: String
  package var expires: Timestamp

  package init(accessToken: String, expires: Timestamp) { (self.accessToken, self.expires) = (accessToken, expires) }
}

/// Where a person signs in.
package struct SignInPrompt: Hashable, Sendable {
  package var verificationUri: String
  package var userCode: String
  package var message: String
  package var expires: Timestamp

  package init(verificationUri: String, userCode: String, message: String, expires: Timestamp) {
    self.verificationUri = verificationUri
    self.userCode = userCode
    self.message = message
    self.expires = expires
  }
}
