import Model

/// Says whether an answer to a challenge is right. The room that needs the answers of a kind has the judge of that kind.
protocol ChallengeJudge: Sendable {
  /// An answer of another kind is the error `wrongAnswer`. What a right answer brings about may stand already when this
  /// returns: who is killed then asks again, and finds it done.
  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) async throws(MAMError) -> Judgement

  /// Does what follows from a cancel, which is stored already.
  func didCancel(_ stored: StoredChallenge) async throws(MAMError)

  /// Adds to a challenge what may be answered now.
  func complete(_ challenge: Challenge) throws(MAMError) -> Challenge
}

extension ChallengeJudge {
  func didCancel(_ stored: StoredChallenge) {}
  func complete(_ challenge: Challenge) -> Challenge { challenge }
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

/// What a room asks the user of an account.
struct UserQuestion: Sendable {
  /// Which calls an accepted answer counts for.
  enum Acceptance: Sendable {
    /// The first call after it.
    case once
    /// Every call until it expires.
    case lasting
    /// None: the asker sees what the answer has changed.
    case ignored
  }

  let kind: Challenge.Kind
  /// Nil for anybody.
  let reference: AccountReference?
  let window: String?
  let notice: UserNotice
  var acceptance = Acceptance.once
}

extension StoredChallenge {
  /// Warnings and sign-ins of another text are other questions, for other things follow from their answers.
  func asks(_ question: UserQuestion) -> Bool {
    challenge.kind == question.kind
      && (message == question.notice.message || Challenge.Kind.pin.contains(question.kind))
  }
}

extension MAMError {
  static func wrongAnswer(_ wanted: String, to challenge: Challenge) -> MAMError {
    MAMError(
      .wrongAnswer, "a challenge of the kind \(challenge.kind.rawValue) is not answered that way",
      hint: "Give \(wanted), or canceled")
  }
}

/// What a host answers to a challenge.
package enum ChallengeAnswer: Sendable {
  case pin(HostSecret)
  /// Instead of a PIN, where the policy lets it replace one now; the host vouches for it.
  case biometric(Biometric)
  /// A token, and who has signed in; nil for the account of the challenge.
  case credentials(HostSecret, userPrincipalName: String?)
  /// Whether the user goes on in spite of a warning.
  case acceptance(Bool)
  case canceled
}

extension Host {
  /// Nil when nobody can ask, or nobody has answered.
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
