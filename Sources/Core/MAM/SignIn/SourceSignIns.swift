import Model
import Support

/// The tokens that the policy source gets itself: without asking, and then by letting users sign in.
extension EnrollmentTokens {
  /// How long the source may take for a check-in, sign-ins without the user included.
  static let sourcePatience = Duration.seconds(25)

  /// Asks the source for the tokens of the accounts, without their users. If the source fails for another reason than
  /// that a user must sign in, it is not asked again.
  func collectFromSource(
    for references: [AccountReference], until deadline: ContinuousClock.Instant
  ) async -> TokenGrants {
    var grants = TokenGrants(origin: .source)
    grants.deadline = deadline
    var failure: SourceFault?
    for reference in references where reference.kind != .noUser {
      let account = source.fullAccount(of: reference)
      if let token = held.token(for: account, at: live.now) {
        grants.admit(account, token)
      } else if let failure {
        grants.fail(failure, for: account)
      } else {
        let fault = await acquire(account, nil, into: &grants)
        if let fault, !fault.isOfUser { failure = fault }
      }
    }
    return grants
  }

  /// Returns why there is no token.
  @discardableResult
  private func acquire(
    _ account: Account, _ claims: String?, into grants: inout TokenGrants
  ) async -> SourceFault? {
    let request = SourceTokenRequest(account: account, claims: claims)
    let deadline = grants.deadline ?? .now + Self.sourcePatience
    switch await source.provider.acquireToken(for: request, until: deadline) {
    case .success(let token):
      admit(token, for: account, to: &grants)
      return grants.fault(for: account)
    case .failure(var fault):
      fault.claims = fault.claims ?? claims
      grants.fail(fault, for: account)
      return fault
    }
  }

  /// The grants after the source has refused these tokens, which it got itself: each is asked for once more.
  func renewed(
    _ grants: TokenGrants, for refused: [(account: Account, claims: String?)]
  ) async throws(MAMError) -> TokenGrants {
    var grants = grants
    for (account, claims) in refused {
      held.drop(for: account)
      await acquire(account, claims, into: &grants)
    }
    return try await grants.isForUser ? signingIn(grants, in: grants.window) : grants
  }

  /// Lets the users sign in whose tokens the source cannot get without them. Only for a call that a person has made.
  /// Throws `challenge` if nobody shows a sign-in; it goes on, and the call is repeated when the user has signed in.
  /// Once a user has let a sign-in expire, no other user is asked.
  func signingIn(_ grants: TokenGrants, in window: String? = nil) async throws(MAMError) -> TokenGrants {
    guard grants.origin == .source else { return grants }
    var grants = grants
    (grants.isForUser, grants.window) = (true, window)
    if case .nowhere = live.configuration.signInDisplay { return grants }
    for (account, fault) in grants.needingUser {
      let signIn = SourceSignIn(tokens: self, account: account, window: window, claims: fault.claims)
      let outcome = try await signIn.run()
      grants.deadline = nil
      switch outcome {
      case .own(let token): admit(token, for: account, to: &grants)
      case .host(let token): grants.admit(account, token)
      case .refused(let reason): grants.refuse(reason, for: account)
      case .fault(let fault):
        grants.fail(fault, for: account)
        guard fault.kind == .signInCanceled else { return grants }
      }
    }
    return grants
  }

  /// Admits a token that the source has got, and holds it for later check-ins.
  private func admit(_ token: AccessToken, for account: Account, to grants: inout TokenGrants) {
    let given = EnrollmentToken(token: token.token, expires: token.expires)
    if let fault = given.fault(for: account, tenantId: nil, at: live.now) {
      let text = "The policy source has got a token that cannot be used: \(fault)."
      return grants.fail(SourceFault(.broken, text), for: account)
    }
    held.hold(token, for: account, at: live.now)
    grants.admit(account, token.token)
  }
}

extension SourceFault {
  /// Whether only the user can do something about it.
  var isOfUser: Bool { kind == .signInNeeded || kind == .signInCanceled }
}

/// Keeps a sign-in that nobody shows as a challenge. The room of the challenges does it.
protocol SignInKeeper: Sendable {
  /// Opens a challenge.
  func open(_ prompt: SignInPrompt) throws(MAMError) -> Challenge

  /// Closes a challenge: the user has signed in, or can no longer do so. The user may be asked again.
  func end(_ challenge: Challenge)

  /// Closes a challenge as canceled by the user.
  func cancel(_ challenge: Challenge)

  /// Returns when the challenge is no longer open: a process has canceled it, or the account has left. Also returns if
  /// the task is cancelled.
  func waitForEnd(of challenge: Challenge) async

  /// Returns whether the user has canceled a sign-in of the account since the last call.
  func takeCancel(about account: Account) throws(MAMError) -> Bool

  /// The error of a call that needs the sign-in.
  func error(for challenge: Challenge) -> MAMError
}
