import JSON
import Support

/// A question that only the user can answer, and that the host must ask.
package struct Challenge: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case setPIN, enterPIN, changePIN, credentials, warning
  }

  package var id: String
  package var kind: Kind
  /// `nil` if the account is unknown.
  package var accountId: String?
  package var identity: String?
  /// `nil` if no window was named.
  package var window: String?
  package var title: String
  package var message: String
  /// When the challenge expires; `nil` if never.
  package var expires: Timestamp?
  /// What may be answered instead of the PIN now; `nil` if nothing.
  package var biometrics: [Biometric]?
  /// The page on which the user signs in; `nil` for a challenge that is answered.
  package var verificationUri: String?
  /// The code to enter on the page; `nil` if there is none.
  package var userCode: String?

  package init(
    id: String, kind: Kind, accountId: String?, identity: String?, window: String?, title: String, message: String,
    expires: Timestamp?, biometrics: [Biometric]? = nil, verificationUri: String? = nil, userCode: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.accountId = accountId
    self.identity = identity
    self.window = window
    self.title = title
    self.message = message
    self.expires = expires
    self.biometrics = biometrics
    self.verificationUri = verificationUri
    self.userCode = userCode
  }
}

extension Challenge.Kind: NamedValue {
  package static let schemaName = "ChallengeKind"
}

extension Challenge: Record {
  package static let fields = Fields(
    Self.init(id:kind:accountId:identity:window:title:message:expires:biometrics:verificationUri:userCode:),
    Field("id", \.id, "The id to give with the answer."), Field("kind", \.kind, "What to ask for."),
    Field("accountId", \.accountId, "The Entra object id of the account; null if unknown."),
    Field("identity", \.identity, "The user principal name of the account; null if unknown."),
    Field("window", \.window, "The window that the challenge is for; null if none was named."),
    Field("title", \.title, "The title of the prompt."), Field("message", \.message, "The text of the prompt."),
    Field("expires", \.expires, "When the challenge expires; null if never."),
    Field("biometrics", \.biometrics, "What the host may answer instead of the PIN now; null if nothing."),
    Field(
      "verificationUri", \.verificationUri,
      """
      For credentials: the page on which the user signs in, on any device. The challenge then ends by itself, and can \
      only be canceled. Null for a challenge that the host answers.
      """),
    Field("userCode", \.userCode, "The code to enter on that page; null if there is none."))
}

/// The result of an answer to a challenge.
package struct ChallengeReply: Hashable, Sendable {
  package var accepted: Bool
  /// The challenge to answer next; `nil` if there is none.
  package var challenge: Challenge?

  package init(accepted: Bool, challenge: Challenge? = nil) {
    self.accepted = accepted
    self.challenge = challenge
  }
}

extension ChallengeReply: Record {
  package static let fields = Fields(
    Self.init(accepted:challenge:),
    Field("accepted", \.accepted, "Whether the answer was right; also false for a cancel."),
    Field(
      "challenge", \.challenge,
      """
      The challenge to answer next; null if there is none. After a wrong answer it is the same challenge, with a \
      message that says so.
      """)
  )
}
