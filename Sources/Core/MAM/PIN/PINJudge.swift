import Model
import Policy

/// Judges the answers to PIN challenges. A right answer takes effect at once.
struct PINJudge: ChallengeJudge {
  let pins: PINs

  func judge(_ answer: ChallengeAnswer, to stored: StoredChallenge) throws(MAMError) -> Judgement {
    let judgement = try judge(answer, to: stored.challenge, beside: stored.companions)
    guard case .right = judgement else { return judgement }
    for companion in stored.companions {
      try pins.required(of: companion)?.share(answer, to: stored.challenge.kind)
    }
    return judgement
  }

  private func judge(
    _ answer: ChallengeAnswer, to challenge: Challenge, beside companions: [AccountReference]
  ) throws(MAMError) -> Judgement {
    guard let reference = challenge.account?.reference, let pin = try pins.required(of: reference) else {
      return try giveUp(challenge)
    }
    switch (challenge.kind, answer) {
    case (.enterPIN, .pin(let entered)): return try enter(entered, pin, challenge, companions)
    case (.enterPIN, .biometric(let biometric)): return try recognize(biometric, pin, challenge)
    case (.setPIN, .pin(let new)):
      return try choose(new, pin, challenge) { !($0?.isSet ?? false) }
    case (.changePIN, .pin(let new)):
      return try choose(new, pin, challenge, if: pin.mustChange)
    case (.enterPIN, _): throw .wrongAnswer("pin or biometric", to: challenge)
    default: throw .wrongAnswer("pin", to: challenge)
    }
  }

  /// Lists the biometrics that may replace the PIN.
  func complete(_ challenge: Challenge) throws(MAMError) -> Challenge {
    guard challenge.kind == .enterPIN, let reference = challenge.account?.reference,
      let pin = try pins.required(of: reference), let stored = try pin.stored()
    else { return challenge }
    let biometrics = try pin.biometrics(replacing: stored)
    var challenge = challenge
    challenge.biometrics = biometrics.isEmpty ? .none : biometrics
    return challenge
  }

  private func enter(
    _ entered: HostSecret, _ pin: AccountPIN, _ challenge: Challenge, _ companions: [AccountReference]
  ) throws(MAMError) -> Judgement {
    switch try pin.verdict(on: entered) {
    case .right(let mustChange):
      let next = mustChange ? try pin.challenge(.change, in: challenge.window, companions: companions) : nil
      return .right(signedIn: nil, next: next)
    case .wrong: return .wrong(UserText(.pin(.enterError)))
    case .exhausted where pin.rules.exhaustion == .wipe:
      try pin.beginWipe()
      return .over(instead: nil)
    case .exhausted: return .over(instead: try pin.challenge(.signIn, in: challenge.window))
    case .notSet: return try giveUp(challenge)
    }
  }

  private func recognize(
    _ biometric: Biometric, _ pin: AccountPIN, _ challenge: Challenge
  ) throws(MAMError) -> Judgement {
    guard let stored = try pin.stored(), stored.isSet, !pin.rules.isExhausted(stored) else {
      return try giveUp(challenge)
    }
    guard try pin.accept(biometric, replacing: stored) else { return .wrong(UserText(.pin(.biometricNotAllowed))) }
    return .right(signedIn: nil, next: nil)
  }

  private func choose(
    _ new: HostSecret, _ pin: AccountPIN, _ challenge: Challenge, if isWanted: @Sendable (StoredPIN?) -> Bool
  ) throws(MAMError) -> Judgement {
    switch try pin.choose(new, if: isWanted) {
    case .taken: return .right(signedIn: nil, next: nil)
    case .refused(let fault): return .wrong(fault.text)
    case .unwanted: return try giveUp(challenge)
    }
  }

  /// Withdraws a challenge that is no longer needed, or no longer of the right kind, and throws `challengeNotOpen`.
  private func giveUp(_ challenge: Challenge) throws(MAMError) -> Judgement {
    try pins.challenges.withdraw([challenge])
    throw Challenges.notOpen
  }
}

extension AccountPIN {
  /// Takes an answer that was right for another account of the same view, if this account asks the same and the answer
  /// fits. A PIN that does not fit counts as one try, so that changing one PIN does not help to guess another; with
  /// tries already counted, or only one left, nothing is tried.
  fileprivate func share(_ answer: ChallengeAnswer, to kind: Challenge.Kind) throws(MAMError) {
    guard try demand(isRecheckDue: true).kind == kind else { return }
    switch (kind, answer) {
    case (.enterPIN, .pin(let entered)):
      guard let stored = try stored(), stored.tries == 0, rules.triesLeft(of: stored) ?? .max > 1 else { return }
      _ = try verdict(on: entered)
    case (.enterPIN, .biometric(let biometric)):
      guard let stored = try stored(), !rules.isExhausted(stored) else { return }
      _ = try accept(biometric, replacing: stored)
    case (.setPIN, .pin(let new)): _ = try choose(new) { !($0?.isSet ?? false) }
    case (.changePIN, .pin(let new)): _ = try choose(new, if: mustChange)
    default: break
    }
  }

  /// Whether the user must choose another PIN.
  @Sendable fileprivate func mustChange(_ stored: StoredPIN?) -> Bool {
    PINDemand(rules, on: stored, isRecheckDue: false, at: pins.live.now) == .change
  }

  /// Returns false if the biometric may not replace the PIN now.
  fileprivate func accept(_ biometric: Biometric, replacing stored: StoredPIN) throws(MAMError) -> Bool {
    guard try biometrics(replacing: stored).contains(biometric) else { return false }
    let now = pins.live.now
    try change { $0.activeAt = now }
    return true
  }

  /// The biometrics that may replace the PIN now.
  fileprivate func biometrics(replacing stored: StoredPIN) throws(MAMError) -> [Biometric] {
    let last = try pins.activities.last(of: account.account)
    return rules.biometrics(replacing: stored, lastUsedAt: last?.usedAt, on: pins.live.state.device, at: pins.live.now)
  }
}
