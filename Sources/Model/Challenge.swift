import JSON
import Support

/// Something that only the user can answer, and the host must ask.
public struct Challenge: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case setPIN, enterPIN, changePIN, credentials, warning
  }

  public var id: String
  public var kind: Kind
  /// Nil when it is not known whose it is.
  public var accountId: String?
  public var identity: String?
  /// Nil when no window was named.
  public var window: String?
  public var title: String
  public var message: String
  /// When an answer comes too late; nil for never.
  public var expires: Timestamp?
  /// What may be answered instead of the PIN now; nil for nothing.
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

extension Challenge.Kind: NamedValue {}

extension Challenge: Record {
  package static let schemaName: String? = "Challenge"
  package static let fields = Fields(
    Self.init(id:kind:accountId:identity:window:title:message:expires:biometrics:),
    Field("id", \.id, "Names it when it is answered."), Field("kind", \.kind, "What is asked for."),
    Field("accountId", \.accountId, "The Entra object id of the account it is about; null when it is not known."),
    Field("identity", \.identity, "The user principal name of that account; null when it is not known."),
    Field("window", \.window, "The window that it belongs to; null when none was named."),
    Field("title", \.title, "A title for the prompt."), Field("message", \.message, "What to tell the user."),
    Field("expires", \.expires, "When an answer comes too late; null for never."),
    Field("biometrics", \.biometrics, "What the host may answer instead of the PIN now; null for nothing."))
}

/// What an answer to a challenge leads to.
public struct ChallengeReply: Hashable, Sendable {
  public var accepted: Bool
  /// What is to be answered next; nil when nothing is.
  public var challenge: Challenge?

  public init(accepted: Bool, challenge: Challenge? = nil) {
    self.accepted = accepted
    self.challenge = challenge
  }
}

extension ChallengeReply: Record {
  package static let schemaName: String? = "ChallengeReply"
  package static let fields = Fields(
    Self.init(accepted:challenge:),
    Field("accepted", \.accepted, "Whether the answer was right; false for a cancel too."),
    Field(
      "challenge", \.challenge,
      "What is to be answered next, after a wrong answer the same with a message that says so; null when it is closed.")
  )
}
