import JSON
import MAM
import Model

enum AnswerChallenge: WorkMethod {
  static let name = "conditionalLaunch.answer"
  static let summary = "Answers what a call that ended with error 8001 needs to know of the user."
  static let details = """
    Exactly one of pin, biometric, accessToken, accepted and canceled is given. Any process on the state folder may \
    answer; of two answers the first counts. After a right one or a cancel the challenge is closed, and the call is to \
    be repeated within 15 minutes; it asks anew after that. A wrong answer leaves it open. A right one may lead to \
    another challenge, such as that for a new PIN. A wrong PIN is counted; the last that the policy allows closes the \
    challenge, and leads to one for credentials, or wipes the account's data. A biometric is an addition to the SDK's \
    own prompts, which see the sensor themselves. Neither PINs nor tokens are kept or logged. Commit point: the \
    store's transaction; of a PIN, before it is looked at.
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
      Field("pin", \.pin, "For setPIN, enterPIN and changePIN: what the user has entered."),
      Field("accessToken", \.accessToken, "For credentials: the token that proves the sign-in."),
      Field("accepted", \.accepted, "For a warning: whether the user goes on."),
      Field("canceled", \.canceled, "True when the user cancels; for every kind."),
      Field(
        "userPrincipalName", \.userPrincipalName,
        "Beside accessToken: who has signed in; needed where the challenge names nobody."),
      Field(
        "biometric", \.biometric,
        """
        For enterPIN, one of the challenge's biometrics: the host has recognized the user by it, and vouches for that \
        as it does for a token.
        """))
  }
  typealias Result = ChallengeReply
  static let resultSummary = "Whether it was right, and what is to be answered next."
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
