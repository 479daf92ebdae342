import Model
import Policy
import SQLite
import Support

/// The PINs of the user in the apps of one publisher.
///
/// For hosts with a page for PINs these calls need no challenge. Without an account they are about the account that is
/// in effect if no identity is set.
package struct PINs: Sendable {
  let core: Core

  package func status(of reference: AccountReference?) throws(MAMError) -> PINStatus {
    let services = try core.refresh()
    guard let reference = reference ?? core.state.effectiveAccount?.reference else {
      return PINStatus(required: false, isSet: false)
    }
    let pin = try required(of: reference)
    try pin?.forgetAfterWipe()
    let stored = try stored(of: core.state.named(reference), services)
    let isSet = stored?.isSet ?? false
    guard let pin else { return PINStatus(required: false, isSet: isSet) }
    return PINStatus(
      required: true, isSet: isSet, retriesLeft: pin.rules.triesLeft(of: stored),
      expires: isSet ? stored.flatMap { pin.rules.expiry(of: $0) } : .none)
  }

  /// The first one. Throws `pinAlreadySet`, and `pinNotAllowed` with the rule.
  package func set(_ new: HostSecret, of reference: AccountReference?) throws(MAMError) {
    let pin = try neededPIN(of: reference)
    try pin.take(new, elseThrow: .pinAlreadySet) { !($0?.isSet ?? false) }
  }

  /// A wrong former one counts as a try. Throws as `setPIN`, and `wrongPIN` or `pinRetriesExceeded`.
  package func change(
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
      try await core.wipes.goOn(of: pin.reference)
      throw .pinRetriesExceeded(.retriesWipe)
    }
  }

  /// Forgets the PIN of a user who has signed in: the next one is chosen by a challenge, or `setPIN`. Any token that is
  /// not empty proves the sign-in. Where too many tries wipe, it is too late for this.
  package func reset(of reference: AccountReference?, token: HostSecret) throws(MAMError) {
    let pin = try neededPIN(of: reference)
    guard try pin.stored()?.isSet ?? false else { throw .pinNotSet }
    guard try pin.demand(isRecheckDue: false) != .wipe else { throw .pinRetriesExceeded(.retriesWipe) }
    guard case .right(let account?, _) = core.login.judge(token, of: pin.reference, wanting: pin.reference) else {
      throw .tokenRefused
    }
    try core.commit { transaction throws(SQLiteError) in try transaction.noteSignIn(of: account) }
    try pin.forget()
    try core.challenges.withdraw(Challenge.Kind.pin, about: pin.reference)
  }

  private func neededPIN(of reference: AccountReference?) throws(MAMError) -> AccountPIN {
    try core.refresh()
    guard let reference = reference ?? core.state.effectiveAccount?.reference, let pin = try required(of: reference)
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

/// What the PIN asks of whoever wants to see the account.
enum PINStep: Sendable {
  case notRequired, passed
  /// Nobody has answered it.
  case challenge(Challenge)
  case canceled
  /// There were too many wrong PINs. The wipe is marked, or even done: what is left of it `Wipes.finish` does.
  case wipe(PINMessage)
}

extension PINs {
  /// `isRecheckDue` as in `AccountUse`; a PIN that was entered lately, in this app or another one of its publisher,
  /// passes all the same. `mayAsk` false never asks
  /// the host. May block.
  func step(
    for account: AccountState, window: String?, isRecheckDue: Bool, mayAsk: Bool
  ) async throws(MAMError) -> PINStep {
    guard let reference = account.reference else { return .notRequired }
    while true {
      if try isWipedForPIN(reference) { return .wipe(.retriesWipe) }
      guard let pin = try required(of: reference) else {
        try core.challenges.withdraw(Challenge.Kind.pin, about: reference)
        return .notRequired
      }
      let demand = try pin.demand(isRecheckDue: isRecheckDue)
      guard let kind = demand.kind else { return try pin.end(demand) }
      if mayAsk, try core.challenges.takeCancel(of: [kind], about: reference) { return .canceled }
      try core.challenges.withdraw(Challenge.Kind.pin.subtracting([kind]), about: reference)
      guard let challenge = try pin.challenge(demand, in: window) else { return .passed }
      guard mayAsk else { return .challenge(challenge) }
      switch try await core.challenges.ask(challenge) {
      case .closed, .canceled: continue
      case .unanswered:
        // A host may have answered until something else is asked for.
        guard try pin.demand(isRecheckDue: isRecheckDue) != demand else { return .challenge(challenge) }
      }
    }
  }

  /// What the PIN asks for now, as a rule of a conditional launch; opens no challenge. Nil if the policy asks for no PIN.
  func finding(of account: AccountState) throws(MAMError) -> LaunchFinding? {
    guard let setting = account.policy?.effective.pinSetting, let reference = account.reference else { return nil }
    let use = try core.conditionalLaunch.use(of: account, foregroundSince: nil)
    let demand = try required(of: reference).map { pin throws(MAMError) in
      try pin.standing(isRecheckDue: use.isRecheckDue)
    }
    return LaunchFinding(.pinRequired, true, policyID: setting.policyID, .pin(demand))
  }

  /// Also when the account is gone: another thread may have gone on with the wipe.
  private func isWipedForPIN(_ reference: AccountReference) throws(MAMError) -> Bool {
    try core.refresh()
    guard let account = core.state.account(reference) else { return true }
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
