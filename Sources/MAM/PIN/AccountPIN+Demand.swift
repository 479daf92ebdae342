import Model
import Policy
import Support

extension AccountPIN {
  func demand(isRecheckDue: Bool) throws(MAMError) -> PINDemand {
    try forgetAfterWipe()
    let demand = PINDemand(rules, on: try stored(), isRecheckDue: isRecheckDue, at: core.now)
    guard demand == .signIn || demand == .wipe else { return demand }
    // Another call may be checking the last try right now, and the PIN may turn out to be correct.
    let settled = try alone { () throws(MAMError) -> StoredPIN? in try stored() }
    return PINDemand(rules, on: settled, isRecheckDue: isRecheckDue, at: core.now)
  }

  /// Forgets the PIN if too many tries wiped the account and the account was enrolled again since. Its user has signed
  /// in, and may choose a new PIN.
  func forgetAfterWipe() throws(MAMError) {
    guard let stored = try stored(), isOverSinceWipe(stored) else { return }
    try forget()
  }

  /// Like `demand`, but changes nothing.
  func standing(isRecheckDue: Bool) throws(MAMError) -> PINDemand {
    let stored = try stored().flatMap { isOverSinceWipe($0) ? nil : $0 }
    return PINDemand(rules, on: stored, isRecheckDue: isRecheckDue, at: core.now)
  }

  private func isOverSinceWipe(_ stored: StoredPIN) -> Bool {
    stored.isSet && rules.isExhausted(stored) && rules.exhaustion == .wipe && hasEnrolledSince(stored)
  }

  private func hasEnrolledSince(_ stored: StoredPIN) -> Bool {
    guard !account.isWiping else { return false }
    return stored.wipedApps.contains(core.appId)
      || account.enrolledAt.map { $0 > stored.triedAt } ?? false
  }

  /// Marks the account's data to be wiped. The call that asked for the PIN removes it, or else the next process does.
  func beginWipe() throws(MAMError) {
    _ = try core.wipes.mark(reference, .tooManyWrongPINs)
    let app = core.appId
    try change { stored in
      if !stored.wipedApps.contains(app) { stored.wipedApps.append(app) }
    }
  }

  /// The question to the user; `nil` if no answer is needed, or none helps.
  func question(_ demand: PINDemand, in window: String?) throws(MAMError) -> UserQuestion? {
    guard let kind = demand.kind else { return nil }
    let notice = UserNotice(.pin(demand.title), try text(demand))
    return UserQuestion(kind: kind, reference: reference, window: window, notice: notice, acceptance: .ignored)
  }

  /// Opens the challenge of the demand, or returns the one that is open; `nil` if no answer is needed, or none helps.
  func challenge(_ demand: PINDemand, in window: String?) throws(MAMError) -> Challenge? {
    try question(demand, in: window).map { question throws(MAMError) in try core.challenges.open(question) }
  }

  private func text(_ demand: PINDemand) throws(MAMError) -> UserText {
    let message = UserText(.pin(try message(demand)))
    guard [.set, .change].contains(demand) else { return message }
    return rules.form.rules.reduce(message) { $0.followed(by: $1) }
  }

  private func message(_ demand: PINDemand) throws(MAMError) -> PINMessage {
    switch demand {
    case .set: return .setMessage
    case .change:
      let hasExpired = try stored().map { rules.hasExpired($0, at: core.now) } ?? false
      return hasExpired ? .expired : .changeRequired
    case .signIn: return .retriesReset
    case .nothing, .enter, .wipe: return .enterMessage
    }
  }
}

extension PINDemand {
  fileprivate var title: PINMessage {
    switch self {
    case .set: .setTitle
    case .change: .changeTitle
    case .signIn: .retriesTitle
    case .nothing, .enter, .wipe: .enterTitle
    }
  }
}

extension PINs {
  /// Call this when the user has signed in. After too many wrong PINs, forgets the PIN and returns the challenge that
  /// asks for a new one; otherwise returns `nil`.
  func resetExhausted(of account: Account, in window: String?) throws(MAMError) -> Challenge? {
    guard let reference = account.reference, let pin = try required(of: reference),
      try pin.demand(isRecheckDue: false) == .signIn
    else { return nil }
    try pin.forget()
    return try pin.challenge(.set, in: window)
  }
}
