import Model
import Support

/// What an account's policy says of its PIN. Whether there must be one is `PolicyQuestions.isPINRequired`.
struct PINRules: Hashable, Sendable {
  enum Exhaustion: Sendable {
    /// The user signs in, and chooses a new PIN.
    case reset
    case wipe
  }

  let form: PINForm
  /// How many PINs, the one in use included, cannot be chosen again.
  let blockedPrevious: Int
  /// Nil where a PIN does not expire.
  let lifetimeMilliseconds: Int64?
  /// How many may be tried; nil for any number.
  let maximumTries: Int?
  let exhaustion: Exhaustion
  /// How long a right PIN counts in all apps that share it, be the account in use or not.
  let recheckMilliseconds: Int64
  /// What may replace the PIN.
  let biometrics: [Biometric]
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

extension PINRules {
  func isExhausted(_ pin: StoredPIN) -> Bool { maximumTries.map { pin.tries >= $0 } ?? false }

  /// Nil where any number may follow.
  func triesLeft(of pin: StoredPIN?) -> Int? { maximumTries.map { max(0, $0 - (pin?.tries ?? 0)) } }

  /// Nil for never.
  func expiry(of pin: StoredPIN) -> Timestamp? { lifetimeMilliseconds.map { pin.setAt.advanced(by: $0) } }

  func hasExpired(_ pin: StoredPIN, at now: Timestamp) -> Bool { expiry(of: pin).map { $0 <= now } ?? false }

  /// Whether another one must be chosen: this one has expired, or was entered and found not to follow the rules.
  func mustChange(_ pin: StoredPIN, at now: Timestamp) -> Bool {
    hasExpired(pin, at: now) || pin.unfitForm == form.key
  }

  /// Whether a right PIN, or what replaced it, still counts, in whichever app that was.
  func counts(_ pin: StoredPIN, at now: Timestamp) -> Bool { pin.activeAt.advanced(by: recheckMilliseconds) > now }

  /// Whether the PIN itself was entered lately.
  func isTypedLately(_ pin: StoredPIN, at now: Timestamp) -> Bool {
    pin.typedAt.advanced(by: recheckMilliseconds) > now
  }

  /// What may replace the PIN now. Nothing replaces one that is to be changed.
  func biometrics(replacing pin: StoredPIN, at now: Timestamp) -> [Biometric] {
    guard !mustChange(pin, at: now) else { return [] }
    let isInTime = biometricMilliseconds.map { pin.typedAt.advanced(by: $0) > now } ?? true
    return isInTime ? biometrics : []
  }
}
