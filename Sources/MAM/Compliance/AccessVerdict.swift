import Model

/// Whether the data of an account may be used in the app now.
enum AccessVerdict: Sendable {
  /// There is a policy, and nothing stands against it.
  case allowed
  case blocked(UserMessage, title: UserMessage)
  /// Only the user can tell.
  case undecided(Challenge)
}

extension Core {
  /// The one place that decides about access: a question to the user that is open, then whether there is a policy.
  func accessVerdict(of reference: AccountReference) throws(MAMError) -> AccessVerdict {
    if let open = try challenges.all(about: reference).first(where: { $0.outcome == nil }) {
      return .undecided(open.challenge)
    }
    guard state.account(reference)?.isManaged == true else {
      return .blocked(.notCompliantMessage, title: .notCompliantTitle)
    }
    return .allowed
  }
}
