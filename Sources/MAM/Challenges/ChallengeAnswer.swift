/// What a host answers to a challenge.
package enum ChallengeAnswer: Sendable {
  case pin(HostSecret)
  /// A token, and who has signed in; nil for the account of the challenge.
  case credentials(HostSecret, userPrincipalName: String?)
  /// Whether the user goes on in spite of a warning.
  case acceptance(Bool)
  case canceled
}
