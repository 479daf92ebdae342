import GraphPull
import ServiceSource
import Support

/// Why there is no token of a user.
package struct SignInFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Nobody is signed in, or the provider wants to see the person again.
    case personNeeded
    /// The person said no, or did not sign in in time.
    case declined
    case canceled
    /// The provider refuses the program or its settings, so that signing in again would not help.
    case refused
    /// The provider cannot be reached, or is too busy. The same call may succeed later.
    case unavailable
    /// The token cache cannot be used.
    case cache
    /// Another process holds the token cache, or the disk is full. The same call may succeed later.
    case cacheBusy
  }

  package let kind: Kind
  /// Sentences with the cause and the way out. Holds no token and no code.
  package let text: String
  /// What the provider wants the next token to claim, as JSON; `nil` if it did not say.
  package var claims: String?
  /// How long not to ask again.
  package var retryAfter: Duration?

  package init(_ kind: Kind, _ text: String, claims: String? = nil, retryAfter: Duration? = nil) {
    (self.kind, self.text, self.claims, self.retryAfter) = (kind, text, claims, retryAfter)
  }

  static let canceled = SignInFailure(.canceled, "The sign-in was canceled.")
}

extension SignInFailure {
  /// As mambridge gets it from a policy source.
  var sourceError: SourceError {
    switch kind {
    case .personNeeded, .refused, .cache: SourceError(.signInNeeded, text, claims: claims)
    case .declined, .canceled: SourceError(.signInCanceled, text)
    case .unavailable, .cacheBusy: SourceError(.unreachable, text, retryAfter: retryAfter)
    }
  }

  /// As the clients of Graph's shapes report it.
  var graphFailure: GraphFailure {
    switch kind {
    case .unavailable, .cacheBusy: GraphFailure(.unavailable, text)
    case .personNeeded, .declined, .canceled, .refused, .cache: GraphFailure(.signIn, text)
    }
  }
}

/// Runs work that must end once it has begun: a provider may have replaced a refresh token, and nobody else has the new
/// one. Bounded by the limits of what the work does.
func untilItsEnd<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(SignInFailure) -> Value
) async throws(SignInFailure) -> Value {
  let task = Task(executorPreference: BlockingExecutor.shared) { () -> Result<Value, SignInFailure> in
    do throws(SignInFailure) { return .success(try await body()) } catch { return .failure(error) }
  }
  return try await task.value.get()
}
