import JSON

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
