import Model

/// What the PIN asks of whoever wants to see the account.
enum PINStep: Sendable {
  case notRequired, passed
  case challenge(Challenge)
  case canceled
  case wipe(UserMessage)
}

extension Core {
  func pinStep(
    for account: AccountState, window: String?, isRecheckDue: Bool, mayAsk: Bool
  ) async throws(MAMError) -> PINStep {
    .notRequired
  }
}
