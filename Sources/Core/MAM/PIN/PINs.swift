import Model
import Policy
import SQLite
import Support

/// The PINs of the user in the apps of one publisher.
///
/// `status`, `set`, `change` and `reset` are for hosts with their own PIN page, and need no challenge. `reference`
/// defaults to the effective account.
package struct PINs: Sendable {
  let live: LiveState
  let source: TenantSource
  let wipes: Wipes
  let challenges: Challenges
  let activities: Activities

  package func status(of reference: AccountReference?) throws(MAMError) -> PINStatus {
    let services = try live.refresh()
    guard let reference = reference ?? live.state.effectiveAccount?.reference else {
      return PINStatus(required: false, isSet: false)
    }
    let pin = try required(of: reference)
    try pin?.forgetAfterWipe()
    let stored = try stored(of: live.state.named(reference), services)
    let isSet = stored?.isSet ?? false
    guard let pin else { return PINStatus(required: false, isSet: isSet) }
    return PINStatus(
      required: true, isSet: isSet, retriesLeft: pin.rules.triesLeft(of: stored),
      expires: isSet ? stored.flatMap { pin.rules.expiry(of: $0) } : .none)
  }

  /// Sets the first PIN. Throws `pinAlreadySet`, or `pinNotAllowed` with the rule that the PIN breaks.
  package func set(_ new: HostSecret, of reference: AccountReference?) throws(MAMError) {
    let pin = try neededPIN(of: reference)
    try pin.set(new, elseThrow: .pinAlreadySet) { !($0?.isSet ?? false) }
  }

  /// Replaces the PIN. A wrong `former` counts as a try. Throws `pinNotSet`, `wrongPIN` or `pinRetriesExceeded`, or
  /// `pinNotAllowed` with the rule that `new` breaks.
  package func change(
    from former: HostSecret, to new: HostSecret, of reference: AccountReference?
  ) async throws(MAMError) {
    let pin = try neededPIN(of: reference)
    switch try pin.verdict(on: former) {
    case .right: try pin.set(new, elseThrow: .pinNotSet) { $0?.isSet ?? false }
    case .wrong(let triesLeft): throw .wrongPIN(triesLeft: triesLeft)
    case .notSet: throw .pinNotSet
    case .exhausted where pin.rules.exhaustion == .reset: throw .pinRetriesExceeded(.retriesReset)
    case .exhausted:
      try pin.beginWipe()
      try await wipes.finishUnlessInUse(of: pin.reference)
      throw pin.retriesExceeded
    }
  }

  /// Forgets the PIN of a user who has signed in; the user chooses the next PIN through a challenge or `set`. Any token
  /// that is not empty proves the sign-in. Throws `pinRetriesExceeded` if too many wrong PINs have led to a wipe.
  package func reset(of reference: AccountReference?, token: HostSecret) throws(MAMError) {
    let pin = try neededPIN(of: reference)
    guard try pin.stored()?.isSet ?? false else { throw .pinNotSet }
    guard try pin.demand(isRecheckDue: false) != .wipe else { throw pin.retriesExceeded }
    guard case .signedIn(let account) = source.check(token, of: pin.reference, wanting: pin.reference) else {
      throw .tokenRefused
    }
    try live.commit { transaction throws(SQLiteError) in try transaction.noteSignIn(of: account) }
    try pin.forget()
    try challenges.withdraw(Challenge.Kind.pin, about: pin.reference)
  }

  private func neededPIN(of reference: AccountReference?) throws(MAMError) -> AccountPIN {
    try live.refresh()
    guard let reference = reference ?? live.state.effectiveAccount?.reference, let pin = try required(of: reference)
    else { throw .pinNotRequired }
    try pin.forgetAfterWipe()
    return pin
  }
}

extension AccountPIN {
  /// The error after too many wrong PINs that lead to a wipe.
  fileprivate var retriesExceeded: MAMError {
    pins.live.state.account(reference)?.hold.map(MAMError.pinRetriesHeld) ?? .pinRetriesExceeded(.retriesWipe)
  }

  fileprivate func set(
    _ new: HostSecret, elseThrow error: MAMError, if isWanted: @Sendable (StoredPIN?) -> Bool
  ) throws(MAMError) {
    switch try choose(new, if: isWanted) {
    case .taken: try pins.challenges.withdraw(Challenge.Kind.pin, about: reference)
    case .refused(let fault): throw .pinNotAllowed(fault)
    case .unwanted: throw error
    }
  }
}

/// What the PIN requires before the account's data is shown.
enum PINStep: Sendable {
  case notRequired, passed
  /// The challenge is still open: no host can ask the user, or the user has not answered.
  case challenge(Challenge)
  case canceled
  /// There were too many wrong PINs. The wipe is marked or already done, and `Wipes.finish` does the rest; or wipes are on
  /// hold.
  case wipe
}

extension PINs {
  /// Asks for the PIN if it is needed. `isRecheckDue` is that of `AccountUse`; even if it is true, a PIN that was
  /// entered recently in any app of the publisher still counts. Asks the host only if `mayAsk` is true. For
  /// `companions`, see `UserQuestion`; for `notes`, see `Challenges.ask`. May block.
  func step(
    for account: AccountState, beside companions: [AccountReference] = [], window: String?, isRecheckDue: Bool,
    mayAsk: Bool, noting notes: LaunchNotes? = nil
  ) async throws(MAMError) -> PINStep {
    guard let reference = account.reference else { return .notRequired }
    while true {
      if try isWipedForPIN(reference) { return .wipe }
      let pin = try required(of: reference)
      let demand = try pin?.demand(isRecheckDue: isRecheckDue)
      if demand == .wipe {
        try pin?.beginWipe()
        return .wipe
      }
      try challenges.withdraw(Challenge.Kind.pin.filter { $0 != demand?.kind }, about: reference)
      guard let pin, let demand else { return .notRequired }
      guard let question = try pin.question(demand, in: window, companions: companions) else { return .passed }
      switch try await challenges.ask(question, takingAnswer: mayAsk, askingHost: mayAsk, noting: notes) {
      case .accepted, .over: continue
      case .canceled: return .canceled
      case .open(let challenge):
        // Another app may have done what is needed meanwhile.
        if mayAsk, try pin.demand(isRecheckDue: isRecheckDue) != demand { continue }
        return .challenge(challenge)
      }
    }
  }

  /// Also returns true if the account is gone because another thread has finished the wipe.
  private func isWipedForPIN(_ reference: AccountReference) throws(MAMError) -> Bool {
    let services = try live.refresh()
    if let account = live.state.account(reference) { return account.wipe?.reason.isOfWrongPINs == true }
    let stored = try stored(of: live.state.directory.account(of: reference), services)
    return stored?.wipedApps.contains(live.appId) ?? false
  }

  /// Call this when an account is shown whose PIN was to be checked. If each use requires a PIN, the last answer does not
  /// count any longer.
  func spendAnswer(of account: AccountState) throws(MAMError) {
    guard let reference = account.reference, account.policy?.pin.servesOneUse == true,
      let pin = try required(of: reference)
    else { return }
    try pin.alone { () throws(MAMError) in
      guard var stored = try pin.stored() else { return }
      stored.activeAt = .never
      try pin.save(stored)
    }
  }
}

/// The result of a try.
enum PINVerdict: Equatable, Sendable {
  case right(mustChange: Bool)
  /// `triesLeft` is `nil` if any number of tries is allowed.
  case wrong(triesLeft: Int?)
  /// The PIN was wrong and this was the last try, or no try was left and the PIN was not checked.
  case exhausted
  case notSet
}

/// The result of choosing a new PIN.
enum PINChoice: Equatable, Sendable {
  case taken
  case refused(PINFault)
  /// The stored PIN is not what the caller expects: a PIN was set already, or there is none.
  case unwanted
}
