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
      let account = core.source.fullAccount(of: reference)
      if let token = core.sourceTokens.token(for: account, at: core.now) {
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
    switch await core.source.provider.acquireToken(for: request, until: deadline) {
    case .success(let token):
      grants.take(token, for: account, core)
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
      core.sourceTokens.drop(for: account)
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
    if case .nowhere = core.configuration.signInDisplay { return grants }
    for (account, fault) in grants.needingUser {
      let signIn = SourceSignIn(core: core, account: account, window: window, claims: fault.claims)
      let outcome = try await signIn.run()
      grants.deadline = nil
      switch outcome {
      case .own(let token): grants.take(token, for: account, core)
      case .host(let token): grants.admit(account, token)
      case .refused(let reason): grants.refuse(reason, for: account)
      case .fault(let fault):
        grants.fail(fault, for: account)
        guard fault.kind == .signInCanceled else { return grants }
      }
    }
    return grants
  }
}

extension TokenGrants {
  /// Admits a token that the source has got, and keeps it for later check-ins.
  fileprivate mutating func take(_ token: AccessToken, for account: Account, _ core: Core) {
    let given = EnrollmentToken(token: token.token, expires: token.expires)
    if let fault = given.fault(for: account, tenantId: nil, at: core.now) {
      fail(SourceFault(.broken, "The policy source has got a token that cannot be used: \(fault)."), for: account)
    } else {
      core.sourceTokens.keep(token, for: account, at: core.now)
      admit(account, token.token)
    }
  }
}

extension SourceFault {
  /// Whether only the user can do something about it.
  var isOfUser: Bool { kind == .signInNeeded || kind == .signInCanceled }
}

/// Keeps a sign-in that nobody shows as a challenge. The room of the challenges does it.
protocol SignInKeeper: Sendable {
  /// Opens a challenge.
  func keep(_ prompt: SignInPrompt) throws(MAMError) -> Challenge

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
