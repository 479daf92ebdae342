import Model
import Support

/// Judges the answers to challenges of one kind. The judge is in the room that needs these answers.
protocol ChallengeJudge: Sendable {
  /// Says whether an answer is right. Throws `wrongAnswer` for an answer of another kind. When this returns, the effect
  /// of a right answer may already be stored. If the process is killed then, the user is asked again, and the judge
  /// finds the effect in place.
  func judge(_ answer: ChallengeAnswer, to stored: StoredChallenge) async throws(MAMError) -> Judgement

  /// Carries out what a cancel causes. The cancel is already stored.
  func didCancel(_ stored: StoredChallenge) async throws(MAMError)

  /// Completes a challenge with the answers that are possible now.
  func complete(_ challenge: Challenge) throws(MAMError) -> Challenge
}

/// Finds the judges, which are in the rooms that need the answers.
protocol ChallengeJudges: Sendable {
  func judge(of kind: Challenge.Kind) -> any ChallengeJudge
}

extension ChallengeJudges {
  /// The challenge with the answers that are possible now.
  func complete(_ challenge: Challenge) throws(MAMError) -> Challenge {
    try judge(of: challenge.kind).complete(challenge)
  }
}

extension ChallengeJudge {
  func didCancel(_ stored: StoredChallenge) {}
  func complete(_ challenge: Challenge) -> Challenge { challenge }
}

enum Judgement: Sendable {
  /// `signedIn` is the account that signed in; `nil` if the answer proves no sign-in. `next` is the challenge that the
  /// user must answer next.
  case right(signedIn: Account?, next: Challenge?)
  /// The user must answer again; the text tells the user why.
  case wrong(UserText)
  /// No answer can help any longer. `instead` is the challenge that the user must answer now.
  case over(instead: Challenge?)
  case canceled
}

/// A question to the user of an account.
struct UserQuestion: Sendable {
  /// The calls for which an accepted answer counts.
  enum Acceptance: Sendable {
    /// The first call after the answer, if it was given since this time.
    case once(since: Timestamp)
    /// Every call until the answer expires.
    case lasting
    /// No call: the effect of the answer shows that it was given.
    case ignored

    var isOnce: Bool { if case .once = self { true } else { false } }
  }

  let kind: Challenge.Kind
  /// The account; `nil` if any user may answer.
  let reference: AccountReference?
  let window: String?
  let notice: UserNotice
  var acceptance = Acceptance.once(since: .never)
  /// The other accounts of the view that is about to be shown. The answer also counts for each of them that has the
  /// same question.
  var companions: [AccountReference] = []
  /// The sign-in at the policy source; `nil` for a question that is answered here.
  var signIn: SignInPrompt?
}

extension StoredChallenge {
  /// Whether this challenge asks the question. Warnings and sign-ins with different texts are different questions,
  /// because their answers have different effects. So are sign-ins at a policy source.
  func asks(_ question: UserQuestion) -> Bool {
    challenge.kind == question.kind && !isOfSource && question.signIn == nil
      && (message == question.notice.message || Challenge.Kind.pin.contains(question.kind))
  }

  /// Whether the outcome of this challenge answers a call that asks the question now.
  func answers(_ question: UserQuestion) -> Bool {
    guard asks(question) else { return false }
    switch (outcome, question.acceptance) {
    case (.canceled?, _), (.accepted?, .lasting): return true
    case (.accepted?, .once(let since)): return answeredAt.map { since < $0 } ?? false
    case (.accepted?, .ignored), (nil, _): return false
    }
  }
}

extension MAMError {
  static func wrongAnswer(_ wanted: String, to challenge: Challenge) -> MAMError {
    MAMError(
      .wrongAnswer, "a challenge of kind \(challenge.kind.rawValue) requires another kind of answer",
      hint: "Answer with \(wanted), or with canceled")
  }
}

/// An answer of a host to a challenge.
package enum ChallengeAnswer: Sendable {
  case pin(HostSecret)
  /// A biometric that replaces the PIN, if the policy allows that now. The host vouches for it.
  case biometric(Biometric)
  /// A token, and the account that signed in; `nil` for the account of the challenge.
  case credentials(HostSecret, userPrincipalName: String?)
  /// Whether the user continues despite a warning.
  case acceptance(Bool)
  case canceled
}

extension Host {
  /// Lets the host ask its user; `nil` if no host can ask, or if the user does not answer.
  func answer(to challenge: Challenge, in language: Language) async -> ChallengeAnswer? {
    switch challenge.kind {
    case .credentials:
      let window = challenge.window
      let answer = await promptForCredentials(
        identity: challenge.identity, window: window, message: challenge.message)
      return answer.asChallengeAnswer { .credentials($0.token, userPrincipalName: $0.userPrincipalName) }
    case .setPIN, .enterPIN, .changePIN:
      return await promptForPIN(challenge).asChallengeAnswer { entry in
        switch entry {
        case .pin(let pin): .pin(pin)
        case .biometric(let biometric): .biometric(biometric)
        }
      }
    case .warning:
      return await acceptance(of: challenge, in: language)
    }
  }

  private func acceptance(of challenge: Challenge, in language: Language) async -> ChallengeAnswer? {
    let (goOn, cancel) = (AlertMessage.goOn.text(in: language), AlertMessage.cancel.text(in: language))
    let alert = HostAlert(
      title: challenge.title, message: challenge.message, actions: [goOn, cancel], window: challenge.window)
    switch await showAlert(alert) {
    case goOn: return .acceptance(true)
    case cancel: return .canceled
    default: return nil
    }
  }
}

extension HostAnswer {
  fileprivate func asChallengeAnswer(_ make: (Value) -> ChallengeAnswer) -> ChallengeAnswer? {
    switch self {
    case .value(let value): make(value)
    case .canceled: .canceled
    case .unavailable: nil
    }
  }
}
