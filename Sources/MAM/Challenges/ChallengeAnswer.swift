import Model

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
