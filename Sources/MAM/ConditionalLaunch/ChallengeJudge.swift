import Model

/// Says whether an answer to a challenge is right; one for each kind that the core opens.
protocol ChallengeJudge: Sendable {
  /// An answer of another kind is the error `wrongAnswer`. What a right answer brings about may stand already when this
  /// returns: who is killed then asks again, and finds it done.
  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) async throws(MAMError) -> Judgement
}

enum Judgement: Sendable {
  /// Who has signed in; nil where the answer proves nothing of that. `next` is what the user is to answer then.
  case right(signedIn: Account?, next: Challenge?)
  /// It is to be answered again; the text tells the user why.
  case wrong(UserText)
  /// No answer helps any more. `instead` is what the user is to answer then.
  case over(instead: Challenge?)
  case canceled
}

extension Challenge {
  func judge(in core: Core) -> any ChallengeJudge {
    switch kind {
    case .credentials: CredentialsJudge(core: core)
    case .warning: WarningJudge()
    case .setPIN, .enterPIN, .changePIN: PINJudge(core: core)
    }
  }
}

/// Any token that is not empty proves who has signed in: a policy source of files has nobody who could check it.
struct CredentialsJudge: ChallengeJudge {
  let core: Core

  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) throws(MAMError) -> Judgement {
    guard case .credentials(let token, let name) = answer else { throw .wrongAnswer("accessToken", to: challenge) }
    let wanted = challenge.account?.reference
    guard let user = name.map({ AccountReference($0) }) ?? wanted else {
      throw MAMError(
        .wrongAnswer, "the challenge names nobody, and the answer does not tell who has signed in",
        hint: "Give userPrincipalName beside accessToken")
    }
    let judgement = core.login.judge(token, of: user, wanting: wanted)
    guard case .right(let account?, _) = judgement else { return judgement }
    return .right(signedIn: account, next: try core.pins.resetExhausted(of: account, in: challenge.window))
  }
}

struct WarningJudge: ChallengeJudge {
  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) throws(MAMError) -> Judgement {
    guard case .acceptance(let isAccepted) = answer else { throw .wrongAnswer("accepted", to: challenge) }
    return isAccepted ? .right(signedIn: nil, next: nil) : .canceled
  }
}

extension Login {
  /// `wanted` is who shall sign in; nil for anybody.
  func judge(_ token: HostSecret, of user: AccountReference, wanting wanted: AccountReference?) -> Judgement {
    guard !token.isEmpty, user.kind != .noUser else { return .wrong(UserText(.account(.signInFailed))) }
    let account = core.source.fullAccount(of: user)
    if let wanted, !AccountKey(account).isNamed(wanted, core.state.directory) {
      return .wrong(UserText(.account(.signInOtherUser)))
    }
    return .right(signedIn: account, next: nil)
  }
}

extension MAMError {
  static func wrongAnswer(_ wanted: String, to challenge: Challenge) -> MAMError {
    MAMError(
      .wrongAnswer, "a challenge of the kind \(challenge.kind.rawValue) is not answered that way",
      hint: "Give \(wanted), or canceled")
  }
}
