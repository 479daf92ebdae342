import JSON
import MAM
import Model

enum AnswerChallenge: WorkMethod {
  static let name = "conditionalLaunch.answer"
  static let summary = "Answer the challenge of a call that ended with error 8001."
  static let details = """
    Give exactly one of pin, biometric, accessToken, accepted and canceled. Any process on the state folder may \
    answer; if two answer, the first answer counts. A right answer or a cancel closes the challenge. Repeat the call \
    within 15 minutes; after that it asks again. A wrong answer leaves the challenge open. A right answer may lead to \
    another challenge, such as one for a new PIN.

    Wrong PINs are counted. The last one that the policy allows closes the challenge and either leads to a challenge \
    for credentials or wipes the account's data. Biometrics are an addition to the SDK, whose own prompts use the \
    sensor. PINs and tokens are never logged; a token is not stored, and a PIN only as a hash. Commit point: the store \
    transaction; for a PIN, before it is checked.
    """
  struct Params: Record {
    var challenge: String
    var pin: SecretString?
    var accessToken: SecretString?
    var accepted: Bool?
    var canceled: Bool?
    var userPrincipalName: String?
    var biometric: Biometric?
    static let fields = Fields(
      Self.init,
      Field("challenge", \.challenge, "The id of the challenge."),
      Field("pin", \.pin, "For setPIN, enterPIN and changePIN: what the user entered."),
      Field("accessToken", \.accessToken, "For credentials: the token that proves the sign-in."),
      Field("accepted", \.accepted, "For a warning: whether the user continues."),
      Field("canceled", \.canceled, "For every kind: true if the user cancels."),
      Field(
        "userPrincipalName", \.userPrincipalName,
        "With accessToken: the user who signed in. Required if the challenge names no user."),
      Field(
        "biometric", \.biometric,
        """
        For enterPIN: one of the challenge's biometrics. The host vouches that it recognized the user, as it does with \
        a token.
        """))
  }
  typealias Result = ChallengeReply
  static let resultSummary = "Whether the answer was right, and what to answer next."
  static let errors: [ErrorCode] = [.challengeNotOpen, .wrongAnswer] + .keys
  static let example = Example(
    Params(challenge: "5f2c9a0e7b1d4c3f8a6e5d4c3b2a1908", accessToken: "eyJ0eXAi"), ChallengeReply(accepted: true))

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> ChallengeReply {
    try await connection.core.conditionalLaunch.answer(params.challenge, with: params.answer())
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
        .wrongAnswer, "the call gives no answer, or more than one",
        hint: "Give exactly one of pin, biometric, accessToken, accepted and canceled; canceled can only be true")
    }
  }
}

extension HostSecret {
  /// `nil` if the system has no memory for the secret.
  init?(_ text: SecretString) {
    guard let secret = text.withBytes({ HostSecret(copying: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = secret
  }

  init(orThrow text: SecretString) throws(MAMError) {
    guard let secret = HostSecret(text) else {
      throw MAMError(.outOfMemory, "the system has no memory for the secret", hint: "Call again")
    }
    self = secret
  }
}
