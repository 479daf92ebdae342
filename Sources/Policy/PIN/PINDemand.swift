import Model
import Support

/// What stands between a user and the account's data, as far as the PIN goes.
package enum PINDemand: Equatable, Sendable {
  case nothing, set, enter, change
  /// After too many wrong PINs.
  case signIn, wipe

  package init(_ rules: PINRules, on pin: (any PINRecord)?, isRecheckDue: Bool, at now: Timestamp) {
    guard let pin, pin.isSet else {
      self = .set
      return
    }
    if rules.isExhausted(pin) {
      self = rules.exhaustion == .wipe ? .wipe : .signIn
    } else if rules.mustChange(pin, at: now) {
      // Who changes it has just shown to know it.
      self = rules.isTypedLately(pin, at: now) ? .change : .enter
    } else {
      self = isRecheckDue && !rules.counts(pin, at: now) ? .enter : .nothing
    }
  }

  /// Nil where no answer helps, or none is needed.
  package var kind: Challenge.Kind? {
    switch self {
    case .nothing, .wipe: nil
    case .set: .setPIN
    case .enter: .enterPIN
    case .change: .changePIN
    case .signIn: .credentials
    }
  }
}

extension Challenge.Kind {
  /// Those that only a PIN answers, or what replaces it.
  package static let pin: Set<Challenge.Kind> = [.setPIN, .enterPIN, .changePIN]
}
