import JSON
import Model

package enum AnswerChallenge: Method {
  package static let name = "conditionalLaunch.answer"
  package static let summary = "Answers what a call that ended with error 8001 needs to know of the user."
  package static let details = """
    Exactly one of pin, biometric, accessToken, accepted and canceled is given. Any process on the state folder may \
    answer; of two answers the first counts. After a right one or a cancel the challenge is closed, and the call is to \
    be repeated within 15 minutes; it asks anew after that. A wrong answer leaves it open. A right one may lead to \
    another challenge, such as that for a new PIN. A wrong PIN is counted; the last that the policy allows closes the \
    challenge, and leads to one for credentials, or wipes the account's data. A biometric is an addition to the SDK's \
    own prompts, which see the sensor themselves. Neither PINs nor tokens are kept or logged. Commit point: the store's \
    transaction; of a PIN, before it is looked at.
    """
  package struct Params: Record {
    package var challenge: String
    package var pin: SecretString?
    package var accessToken: SecretString?
    package var accepted: Bool?
    package var canceled: Bool?
    package var userPrincipalName: String?
    package var biometric: Biometric?

    package init(
      challenge: String, pin: SecretString? = nil, accessToken: SecretString? = nil, accepted: Bool? = nil,
      canceled: Bool? = nil, userPrincipalName: String? = nil, biometric: Biometric? = nil
    ) {
      self.challenge = challenge
      self.pin = pin
      self.accessToken = accessToken
      self.accepted = accepted
      self.canceled = canceled
      self.userPrincipalName = userPrincipalName
      self.biometric = biometric
    }

    package static let fields = Fields(
      Self.init(challenge:pin:accessToken:accepted:canceled:userPrincipalName:biometric:),
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
  package typealias Result = ChallengeReply
  package static let resultSummary = "Whether it was right, and what is to be answered next."
  package static let errors: [APIError] = [.challengeNotOpen, .wrongAnswer] + .keys + .store
  package static let example = Example(
    Params(challenge: "5f2c9a0e7b1d4c3f8a6e5d4c3b2a1908", accessToken: "eyJ0eXAi"), ChallengeReply(accepted: true))
}
