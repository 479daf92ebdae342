import Model

/// Judges sign-ins, whoever asks for them.
struct SignInJudge: ChallengeJudge {
  let core: Core

  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) throws(MAMError) -> Judgement {
    guard case .credentials(let token, let name) = answer else { throw .wrongAnswer("accessToken", to: challenge) }
    let wanted = challenge.account?.reference
    guard let user = name.map({ AccountReference($0) }) ?? wanted else {
      throw MAMError(
        .wrongAnswer, "the challenge names nobody, and the answer does not tell who has signed in",
        hint: "Give userPrincipalName beside accessToken")
    }
    switch core.source.check(token, of: user, wanting: wanted) {
    case .signedIn(let account):
      return .right(signedIn: account, next: try core.pins.resetExhausted(of: account, in: challenge.window))
    case .refused(let text): return .wrong(text)
    }
  }

  /// Who cancels the sign-in of an app that was offline too long, while that sign-in is still due, loses the data: the
  /// wipe is done when this returns.
  func didCancel(_ stored: StoredChallenge) async throws(MAMError) {
    guard stored.message == UserText(.account(.offlineWipeMessage)),
      let reference = stored.challenge.account?.reference, let account = core.state.account(reference),
      try core.conditionalLaunch.findings(of: account).contains(where: \.isOfflineSignIn)
    else { return }
    _ = try await core.wipes.wipe(reference, .offlineSignInCanceled)
  }
}

struct WarningJudge: ChallengeJudge {
  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) throws(MAMError) -> Judgement {
    guard case .acceptance(let isAccepted) = answer else { throw .wrongAnswer("accepted", to: challenge) }
    return isAccepted ? .right(signedIn: nil, next: nil) : .canceled
  }
}
