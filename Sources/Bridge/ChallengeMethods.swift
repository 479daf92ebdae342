import BridgeAPI
import JSON
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addChallenges() {
    work(AnswerChallenge.self) { params, core, _ throws(MAMError) in
      try await core.challenges.answerAndFollowUp(params.challenge, with: params.answer())
    }
  }
}

extension AnswerChallenge.Params {
  fileprivate func answer() throws(MAMError) -> ChallengeAnswer {
    switch (pin, biometric, accessToken, accepted, canceled) {
    case (let pin?, nil, nil, nil, nil): return .pin(try HostSecret(orThrow: pin))
    case (nil, let biometric?, nil, nil, nil): return .biometric(biometric)
    case (nil, nil, let token?, nil, nil):
      return .credentials(try HostSecret(orThrow: token), userPrincipalName: userPrincipalName)
    case (nil, nil, nil, let isAccepted?, nil): return .acceptance(isAccepted)
    case (nil, nil, nil, nil, true): return .canceled
    default:
      throw MAMError(
        .wrongAnswer, "there is no answer, or there are several",
        hint: "Give exactly one of pin, biometric, accessToken, accepted and canceled, which can only be true")
    }
  }
}

extension HostSecret {
  /// Nil when the system has no memory for it.
  init?(_ text: SecretString) {
    guard let secret = text.withBytes({ HostSecret(copying: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = secret
  }

  init(orThrow text: SecretString) throws(MAMError) {
    guard let secret = HostSecret(text) else {
      throw MAMError(.outOfMemory, "the system is out of memory for a secret", hint: "Call again")
    }
    self = secret
  }
}
