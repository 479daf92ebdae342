import Model
import Policy

/// Judges the answers to PIN challenges. A right answer takes effect at once.
struct PINJudge: ChallengeJudge {
  let core: Core

  func judge(_ answer: ChallengeAnswer, to challenge: Challenge) throws(MAMError) -> Judgement {
    guard let reference = challenge.account?.reference, let pin = try core.pins.required(of: reference) else {
      return try giveUp(challenge)
    }
    switch (challenge.kind, answer) {
    case (.enterPIN, .pin(let entered)): return try enter(entered, pin, challenge)
    case (.enterPIN, .biometric(let biometric)): return try recognize(biometric, pin, challenge)
    case (.setPIN, .pin(let new)):
      return try choose(new, pin, challenge) { !($0?.isSet ?? false) }
    case (.changePIN, .pin(let new)):
      let (rules, now) = (pin.rules, core.now)
      return try choose(new, pin, challenge) { PINDemand(rules, on: $0, isRecheckDue: false, at: now) == .change }
    case (.enterPIN, _): throw .wrongAnswer("pin or biometric", to: challenge)
    default: throw .wrongAnswer("pin", to: challenge)
    }
  }

  /// Lists the biometrics that may replace the PIN.
  func complete(_ challenge: Challenge) throws(MAMError) -> Challenge {
    guard challenge.kind == .enterPIN, let reference = challenge.account?.reference,
      let pin = try core.pins.required(of: reference), let stored = try pin.stored()
    else { return challenge }
    let biometrics = pin.rules.biometrics(replacing: stored, at: core.now)
    var challenge = challenge
    challenge.biometrics = biometrics.isEmpty ? .none : biometrics
    return challenge
  }

  private func enter(_ entered: HostSecret, _ pin: AccountPIN, _ challenge: Challenge) throws(MAMError) -> Judgement {
    switch try pin.verdict(on: entered) {
    case .right(let mustChange):
      return .right(signedIn: nil, next: mustChange ? try pin.challenge(.change, in: challenge.window) : nil)
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
    let now = core.now
    guard pin.rules.biometrics(replacing: stored, at: now).contains(biometric) else {
      return .wrong(UserText(.pin(.biometricNotAllowed)))
    }
    try pin.change { $0.activeAt = now }
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
    try core.challenges.withdraw([challenge])
    throw Challenges.notOpen
  }
}
