import Model

extension Challenges {
  /// What became of a question to the host's user.
  enum Settlement: Sendable {
    /// It is not open any more; somebody else may have answered it.
    case closed
    case canceled
    /// Nobody can ask, or nobody has answered.
    case unanswered
  }

  /// After that many wrong answers a host is not asked again.
  private static let tries = 5

  /// Lets the host ask its user, again after a wrong answer.
  func ask(_ challenge: Challenge) async throws(MAMError) -> Settlement {
    var challenge = challenge
    for _ in 0..<Self.tries {
      guard let answer = await core.host.answer(to: challenge, in: core.language) else { return .unanswered }
      do throws(MAMError) {
        let reply = try await self.answer(challenge.id, with: answer)
        guard let next = reply.challenge else { return reply.accepted ? .closed : .canceled }
        challenge = next
      } catch {
        if error.code == .challengeNotOpen { return .closed }
        throw error
      }
    }
    return .unanswered
  }
}

extension Host {
  /// Nil when nobody can ask, or nobody has answered.
  fileprivate func answer(to challenge: Challenge, in language: Language) async -> ChallengeAnswer? {
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
