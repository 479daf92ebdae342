import GraphPull
import HTTP
import ServiceSource
import Support

/// The tokens of a person, for commands that speak with Graph or a tenant service: from the token cache or, if somebody
/// is there, by device code.
package actor SignedInTokens: GraphTokens {
  /// A token is not used in the last minutes of its life, so that it does not end on its way.
  private static let reserve: Int64 = 5 * 60_000

  private let makeSignIn: @Sendable () async throws(SignInFailure) -> SignIn
  private let prompt: (@Sendable (SignInPrompt) async -> Bool)?
  private let clock: any Clock
  private var signIn: SignIn?
  private var current: (token: String, usableUntil: Timestamp)?

  /// `signIn` is made when the first token is needed. Without a prompt, nobody is there.
  package init(
    prompt: (@Sendable (SignInPrompt) async -> Bool)?, clock: any Clock = SystemClock(),
    signIn: @escaping @Sendable () async throws(SignInFailure) -> SignIn
  ) {
    (self.prompt, self.clock, makeSignIn) = (prompt, clock, signIn)
  }

  package func token(after refusal: TokenRefused?) async throws(GraphFailure) -> String {
    if refusal == nil, let current, clock.now < current.usableUntil { return current.token }
    do throws(SignInFailure) {
      let tokens = try await tokens(claims: refusal?.claims)
      current = (tokens.accessToken, tokens.expires.advanced(by: -Self.reserve))
      return tokens.accessToken
    } catch {
      throw error.graphFailure
    }
  }

  private func tokens(claims: String?) async throws(SignInFailure) -> TokenSet {
    let signIn = if let signIn { signIn } else { try await makeSignIn() }
    self.signIn = signIn
    do throws(SignInFailure) {
      return try await signIn.silently(claims: claims)
    } catch {
      guard error.kind == .personNeeded, let prompt else { throw error }
      return try await signIn.withDeviceCode(claims: claims ?? error.claims, show: prompt)
    }
  }
}

extension TenantServiceClient {
  /// What to sign in for, as the service says and a person chooses.
  package func signInTarget(_ choices: SignInChoices) async throws(SignInFailure) -> SignInTarget {
    let authentication: ServiceAuthentication?
    do throws(SourceError) {
      authentication = try await description().authentication
    } catch {
      throw SignInFailure(error.code == .unreachable ? .unavailable : .refused, error.message)
    }
    return try choices.target(authentication, of: url)
  }
}
