import Model

/// What a host answers to a challenge.
package enum ChallengeAnswer: Sendable {
  case pin(HostSecret)
  /// Instead of a PIN, where the policy lets it replace one now; the host vouches for it.
  case biometric(Biometric)
  /// A token, and who has signed in; nil for the account of the challenge.
  case credentials(HostSecret, userPrincipalName: String?)
  /// Whether the user goes on in spite of a warning.
  case acceptance(Bool)
  case canceled
}
