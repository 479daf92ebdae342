import Model
import Support

/// What an account's policy says of its PIN. Whether there must be one is `PolicyQuestions.isPINRequired`.
package struct PINRules: Hashable, Sendable {
  package enum Exhaustion: Sendable {
    /// The user signs in, and chooses a new PIN.
    case reset
    case wipe
  }

  package let form: PINForm
  /// How many PINs, the one in use included, cannot be chosen again.
  package let blockedPrevious: Int
  /// Nil where a PIN does not expire.
  let lifetimeMilliseconds: Int64?
  /// How many may be tried; nil for any number.
  let maximumTries: Int?
  package let exhaustion: Exhaustion
  /// How long a right PIN counts in all apps that share it, be the account in use or not.
  let recheckMilliseconds: Int64
  /// What may replace the PIN.
  package let biometrics: [Biometric]
  /// How long after the last PIN they may; nil for ever.
  let biometricMilliseconds: Int64?

  /// A call that needed the PIN is repeated within that, whatever the policy says.
  private static let leastMilliseconds: Int64 = 60_000

  /// What is missing or null restricts nothing. No tries at all, and no time to keep a PIN, are no rule.
  init(_ effective: EffectivePolicy) {
    func isTrue(_ name: SettingName) -> Bool { effective.value(of: name) == .bool(true) }
    func number(_ name: SettingName) -> Int? { effective.value(of: name)?.integerValue.map { Int(clamping: $0) } }
    func time(_ name: SettingName) -> Int64? { effective.value(of: name)?.durationValue?.milliseconds }
    form = PINForm(
      minimumLength: max(1, number(.minimumPinLength) ?? 1), characters: effective.value(of: .pinCharacterSet)?.word(),
      isSimpleBlocked: isTrue(.simplePinBlocked))
    blockedPrevious = number(.previousPinBlockCount) ?? 0
    lifetimeMilliseconds = time(.periodBeforePinReset).flatMap { $0 > 0 ? $0 : nil }
    maximumTries = number(.maximumPinRetries).flatMap { $0 > 0 ? $0 : nil }
    let action: RemediationAction? = effective.value(of: .appActionIfMaximumPinRetriesExceeded)?.word()
    exhaustion = action == .wipe ? .wipe : .reset
    recheckMilliseconds = max(Self.leastMilliseconds, time(.periodOnlineBeforeAccessCheck) ?? 0)
    let isNoneAllowed = isTrue(.biometricAuthenticationBlocked)
    biometrics = Biometric.allCases.filter { !isNoneAllowed && !isTrue($0.blockedBy) }
    biometricMilliseconds = time(.pinRequiredInsteadOfBiometricTimeout)
  }
}

extension Biometric {
  fileprivate var blockedBy: SettingName {
    switch self {
    case .touchID: .fingerprintBlocked
    case .faceID: .faceIdBlocked
    }
  }
}

/// What rules ask of a PIN that was set.
package protocol PINRecord: Sendable {
  /// False before the first PIN, and after the PIN was forgotten.
  var isSet: Bool { get }
  /// How many wrong PINs came since the last right one.
  var tries: Int { get }
  var setAt: Timestamp { get }
  /// When the right PIN was entered last.
  var typedAt: Timestamp { get }
  /// When the right PIN, or what replaced it, was given last.
  var activeAt: Timestamp { get }
  /// The `PINForm.key` that the PIN was found not to follow; empty for none.
  var unfitForm: String { get }
}

extension PINRules {
  package func isExhausted(_ pin: any PINRecord) -> Bool { maximumTries.map { pin.tries >= $0 } ?? false }

  /// Nil where any number may follow.
  package func triesLeft(of pin: (any PINRecord)?) -> Int? { maximumTries.map { max(0, $0 - (pin?.tries ?? 0)) } }

  /// Nil for never.
  package func expiry(of pin: any PINRecord) -> Timestamp? { lifetimeMilliseconds.map { pin.setAt.advanced(by: $0) } }

  package func hasExpired(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    expiry(of: pin).map { $0 <= now } ?? false
  }

  /// Whether another one must be chosen: this one has expired, or was entered and found not to follow the rules.
  package func mustChange(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    hasExpired(pin, at: now) || pin.unfitForm == form.key
  }

  /// Whether a right PIN, or what replaced it, still counts, in whichever app that was.
  func counts(_ pin: any PINRecord, at now: Timestamp) -> Bool { pin.activeAt.advanced(by: recheckMilliseconds) > now }

  /// Whether the PIN itself was entered lately.
  func isTypedLately(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    pin.typedAt.advanced(by: recheckMilliseconds) > now
  }

  /// What may replace the PIN now. Nothing replaces one that is to be changed.
  package func biometrics(replacing pin: any PINRecord, at now: Timestamp) -> [Biometric] {
    guard !mustChange(pin, at: now) else { return [] }
    let isInTime = biometricMilliseconds.map { pin.typedAt.advanced(by: $0) > now } ?? true
    return isInTime ? biometrics : []
  }
}
