import JSON
import Support

/// A question that only the user can answer, and that the host must ask.
public struct Challenge: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case setPIN, enterPIN, changePIN, credentials, warning
  }

  public var id: String
  public var kind: Kind
  /// `nil` if the account is unknown.
  public var accountId: String?
  public var identity: String?
  /// `nil` if no window was named.
  public var window: String?
  public var title: String
  public var message: String
  /// When the challenge expires; `nil` if never.
  public var expires: Timestamp?
  /// What may be answered instead of the PIN now; `nil` if nothing.
  public var biometrics: [Biometric]?

  public init(
    id: String, kind: Kind, accountId: String?, identity: String?, window: String?, title: String, message: String,
    expires: Timestamp?, biometrics: [Biometric]? = nil
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
  }
}

extension Challenge.Kind: NamedValue {
  package static let schemaName = "ChallengeKind"
}

extension Challenge: Record {
  package static let fields = Fields(
    Self.init(id:kind:accountId:identity:window:title:message:expires:biometrics:),
    Field("id", \.id, "The id to give with the answer."), Field("kind", \.kind, "What to ask for."),
    Field("accountId", \.accountId, "The Entra object id of the account; null if unknown."),
    Field("identity", \.identity, "The user principal name of the account; null if unknown."),
    Field("window", \.window, "The window that the challenge is for; null if none was named."),
    Field("title", \.title, "The title of the prompt."), Field("message", \.message, "The text of the prompt."),
    Field("expires", \.expires, "When the challenge expires; null if never."),
    Field("biometrics", \.biometrics, "What the host may answer instead of the PIN now; null if nothing."))
}

/// The result of an answer to a challenge.
public struct ChallengeReply: Hashable, Sendable {
  public var accepted: Bool
  /// The challenge to answer next; `nil` if there is none.
  public var challenge: Challenge?

  public init(accepted: Bool, challenge: Challenge? = nil) {
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
