import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addChallenges() {
    work(AnswerChallenge.self) { params, core, _ throws(MAMError) in
      try await core.challenges.answer(params.challenge, with: params.answer())
    }
  }
}

extension AnswerChallenge.Params {
  fileprivate func answer() throws(MAMError) -> ChallengeAnswer {
    switch (pin, accessToken, accepted, canceled) {
    case (let pin?, nil, nil, nil): return .pin(try secret(pin))
    case (nil, let token?, nil, nil): return .credentials(try secret(token), userPrincipalName: userPrincipalName)
    case (nil, nil, let isAccepted?, nil): return .acceptance(isAccepted)
    case (nil, nil, nil, true): return .canceled
    default:
      throw MAMError(
        .wrongAnswer, "there is no answer, or there are several",
        hint: "Give exactly one of pin, accessToken, accepted and canceled, which can only be true")
    }
  }

  private func secret(_ text: String) throws(MAMError) -> HostSecret {
    guard let secret = HostSecret(text) else {
      throw MAMError(.storeUnavailable, "the system has no memory for a secret", hint: "Call again")
    }
    return secret
  }
}
