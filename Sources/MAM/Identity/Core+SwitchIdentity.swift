import Model

/// What the conditional launch of an account ends with.
enum LaunchVerdict {
  case allowed
  /// The user does not want to do what the policy asks for.
  case canceled
  case blocked
}

extension Core {
  /// Shows an account in a window, when it may be shown there and its conditional launch allows it; otherwise the window
  /// keeps its identity. Nil takes the window's own identity back, so that the process's holds.
  package func setUIIdentity(
    _ reference: AccountReference?, window: String?, of identities: Identities
  ) async throws(MAMError) -> SwitchIdentityResult {
    try refresh()
    guard reference.map(state.mayShow) ?? true else { return .notAllowed }
    let account = reference ?? processIdentity
    let shown = account.map { state.account($0) } ?? state.effectiveAccount
    switch try await conditionalLaunch(for: shown, window: window) {
    case .allowed:
      try identities.setWindow(window, reference)
      return .success
    case .canceled: return state.settings.bool(.multiIdentityCancelDisabled) ? .failed : .canceled
    case .blocked: return .failed
    }
  }

  /// What the policies ask of user and device before a window shows an account; nil for nobody.
  ///
  /// The rules of the account's policy belong here, each of which may ask the user. Before all of them stands that a
  /// required policy is there, without which this throws 4001.
  func conditionalLaunch(for account: AccountState?, window: String?) async throws(MAMError) -> LaunchVerdict {
    try state.checkPolicyIsThere()
    guard let account else { return .allowed }
    let step = try await pinStep(for: account, window: window, isRecheckDue: true, mayAsk: true)
    return try await step.verdict(on: account, self)
  }
}

extension PINStep {
  fileprivate func verdict(on account: AccountState, _ core: Core) async throws(MAMError) -> LaunchVerdict {
    switch self {
    case .notRequired, .passed: return .allowed
    case .canceled: return .canceled
    case .challenge(let challenge): throw .challenge(challenge)
    case .wipe:
      if let reference = account.reference { try await core.enrollment.finishWipes(of: reference) }
      return .blocked
    }
  }
}
