import Model
import Policy
import Support

extension AccountPIN {
  func demand(isRecheckDue: Bool) throws(MAMError) -> PINDemand {
    try forgetAfterWipe()
    let demand = PINDemand(rules, on: try stored(), isRecheckDue: isRecheckDue, at: core.now)
    guard demand == .signIn || demand == .wipe else { return demand }
    // Somebody may just be checking the last try, and it may turn out right.
    let settled = try alone { () throws(MAMError) -> StoredPIN? in try stored() }
    return PINDemand(rules, on: settled, isRecheckDue: isRecheckDue, at: core.now)
  }

  /// Where too many tries have wiped the account and it was enrolled anew, its user has signed in, and may choose a PIN.
  func forgetAfterWipe() throws(MAMError) {
    guard let stored = try stored(), isOverSinceWipe(stored) else { return }
    try forget()
  }

  /// As `demand`, but changes nothing.
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

  /// Marks the account's data; who asked for the PIN, or whichever process comes next, removes it.
  func beginWipe() throws(MAMError) {
    _ = try core.wipes.mark(reference, .tooManyWrongPINs)
    let app = core.appId
    try change { stored in
      if !stored.wipedApps.contains(app) { stored.wipedApps.append(app) }
    }
  }

  /// Nil where no answer helps, or none is needed.
  func question(_ demand: PINDemand, in window: String?) throws(MAMError) -> UserQuestion? {
    guard let kind = demand.kind else { return nil }
    let notice = UserNotice(.pin(demand.title), try text(demand))
    return UserQuestion(kind: kind, reference: reference, window: window, notice: notice, acceptance: .ignored)
  }

  /// The open challenge of the demand.
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
  /// The user has proved by a sign-in who it is: after too many wrong PINs a new one may be chosen, which the challenge
  /// asks for.
  func resetExhausted(of account: Account, in window: String?) throws(MAMError) -> Challenge? {
    guard let reference = account.reference, let pin = try required(of: reference),
      try pin.demand(isRecheckDue: false) == .signIn
    else { return nil }
    try pin.forget()
    return try pin.challenge(.set, in: window)
  }
}
