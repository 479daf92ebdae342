import Model
import Policy
import Support

/// What the PIN asks of whoever wants to see the account.
enum PINStep: Sendable {
  case notRequired, passed
  /// Nobody has answered it.
  case challenge(Challenge)
  case canceled
  /// There were too many wrong PINs. The wipe is marked, or even done: what is left of it `Enrollment.finishWipes` does.
  case wipe(PINMessage)
}

extension Core {
  /// `isRecheckDue` as in `AccountUse`; a PIN that was entered lately, in this app or another one of its publisher,
  /// passes all the same. `mayAsk` false never asks
  /// the host. May block.
  func pinStep(
    for account: AccountState, window: String?, isRecheckDue: Bool, mayAsk: Bool
  ) async throws(MAMError) -> PINStep {
    guard let reference = account.reference else { return .notRequired }
    while true {
      if try isWipedForPIN(reference) { return .wipe(.retriesWipe) }
      guard let pin = try requiredPIN(of: reference) else {
        try challenges.withdraw(Challenge.Kind.pin, about: reference)
        return .notRequired
      }
      let demand = try pin.demand(isRecheckDue: isRecheckDue)
      guard let kind = demand.kind else { return try pin.end(demand) }
      if mayAsk, try challenges.takeCancel(of: [kind], about: reference) { return .canceled }
      try challenges.withdraw(Challenge.Kind.pin.subtracting([kind]), about: reference)
      guard let challenge = try pin.challenge(demand, in: window) else { return .passed }
      guard mayAsk else { return .challenge(challenge) }
      switch try await challenges.ask(challenge) {
      case .closed, .canceled: continue
      case .unanswered:
        // A host may have answered until something else is asked for.
        guard try pin.demand(isRecheckDue: isRecheckDue) != demand else { return .challenge(challenge) }
      }
    }
  }

  /// What the PIN asks for now, as a rule of a conditional launch; opens no challenge. Nil if the policy asks for no PIN.
  func pinFinding(of account: AccountState) throws(MAMError) -> LaunchFinding? {
    guard let setting = account.policy?.effective.pinSetting, let reference = account.reference else { return nil }
    let use = try use(of: account, foregroundSince: nil)
    let demand = try requiredPIN(of: reference).map { pin throws(MAMError) in
      try pin.standing(isRecheckDue: use.isRecheckDue)
    }
    return LaunchFinding(.pinRequired, true, policyID: setting.policyID, .pin(demand))
  }

  /// Also when the account is gone: another thread may have gone on with the wipe.
  private func isWipedForPIN(_ reference: AccountReference) throws(MAMError) -> Bool {
    try refresh()
    guard let account = state.account(reference) else { return true }
    return account.wipe?.reason == .tooManyWrongPINs
  }
}

extension AccountPIN {
  /// Of a demand that no answer meets, or needs to.
  fileprivate func end(_ demand: PINDemand) throws(MAMError) -> PINStep {
    if demand == .wipe {
      try beginWipe()
      return .wipe(.retriesWipe)
    }
    try core.challenges.withdraw(Challenge.Kind.pin, about: reference)
    return .passed
  }
}
