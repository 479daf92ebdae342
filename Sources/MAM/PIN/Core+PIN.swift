import Model
import SQLite

/// PINs without a challenge, for hosts with a page for them. Without an account these are about the one that holds where
/// no identity is set.
extension Core {
  package func pinStatus(of reference: AccountReference?) throws(MAMError) -> PINStatus {
    let services = try refresh()
    guard let reference = reference ?? state.effectiveAccount?.reference else {
      return PINStatus(required: false, isSet: false)
    }
    let pin = try requiredPIN(of: reference)
    try pin?.forgetAfterWipe()
    let stored = try storedPIN(of: state.named(reference), services)
    let isSet = stored?.isSet ?? false
    guard let pin else { return PINStatus(required: false, isSet: isSet) }
    return PINStatus(
      required: true, isSet: isSet, retriesLeft: pin.rules.triesLeft(of: stored),
      expires: isSet ? stored.flatMap { pin.rules.expiry(of: $0) } : .none)
  }

  /// The first one. Throws `pinAlreadySet`, and `pinNotAllowed` with the rule.
  package func setPIN(_ new: HostSecret, of reference: AccountReference?) throws(MAMError) {
    let pin = try neededPIN(of: reference)
    try pin.take(new, elseThrow: .pinAlreadySet) { !($0?.isSet ?? false) }
  }

  /// A wrong former one counts as a try. Throws as `setPIN`, and `wrongPIN` or `pinRetriesExceeded`.
  package func changePIN(
    from former: HostSecret, to new: HostSecret, of reference: AccountReference?
  ) async throws(MAMError) {
    let pin = try neededPIN(of: reference)
    switch try pin.verdict(on: former) {
    case .right: try pin.take(new, elseThrow: .pinNotSet) { $0?.isSet ?? false }
    case .wrong(let triesLeft): throw .wrongPIN(triesLeft: triesLeft)
    case .notSet: throw .pinNotSet
    case .exhausted where pin.rules.exhaustion == .reset: throw .pinRetriesExceeded(.retriesReset)
    case .exhausted:
      try pin.beginWipe()
      try await enrollment.goOnWithWipes(of: pin.reference)
      throw .pinRetriesExceeded(.retriesWipe)
    }
  }

  /// Forgets the PIN of a user who has signed in: the next one is chosen by a challenge, or `setPIN`. Any token that is
  /// not empty proves the sign-in. Where too many tries wipe, it is too late for this.
  package func resetPIN(of reference: AccountReference?, token: HostSecret) throws(MAMError) {
    let pin = try neededPIN(of: reference)
    guard try pin.stored()?.isSet ?? false else { throw .pinNotSet }
    guard try pin.demand(isRecheckDue: false) != .wipe else { throw .pinRetriesExceeded(.retriesWipe) }
    guard case .right(let account?, _) = judge(token, of: pin.reference, wanting: pin.reference) else {
      throw .tokenRefused
    }
    try commit { transaction throws(SQLiteError) in try transaction.noteSignIn(of: account) }
    try pin.forget()
    try challenges.withdraw(Challenge.Kind.pin, about: pin.reference)
  }

  private func neededPIN(of reference: AccountReference?) throws(MAMError) -> AccountPIN {
    try refresh()
    guard let reference = reference ?? state.effectiveAccount?.reference, let pin = try requiredPIN(of: reference)
    else { throw .pinNotRequired }
    try pin.forgetAfterWipe()
    return pin
  }
}

extension AccountPIN {
  fileprivate func take(
    _ new: HostSecret, elseThrow error: MAMError, if isWanted: @Sendable (StoredPIN?) -> Bool
  ) throws(MAMError) {
    switch try choose(new, if: isWanted) {
    case .taken: try core.challenges.withdraw(Challenge.Kind.pin, about: reference)
    case .refused(let fault): throw .pinNotAllowed(fault)
    case .unwanted: throw error
    }
  }
}
