import Model
import Support

/// The rules for an account's PIN. `PolicyQuestions.isPINRequired` says whether a PIN is required.
package struct PINRules: Hashable, Sendable {
  package enum Exhaustion: Sendable {
    /// The user must sign in and choose a new PIN.
    case reset
    case wipe
  }

  package let form: PINForm
  /// How many of the last PINs, including the current one, cannot be chosen again.
  package let blockedPrevious: Int
  /// Nil if a PIN does not expire.
  let lifetimeMilliseconds: Int64?
  /// How many wrong PINs are allowed in a row; nil for any number.
  let maximumTries: Int?
  package let exhaustion: Exhaustion
  /// How long a correct PIN counts in all apps that share it, whether the account is in use or not.
  let recheckMilliseconds: Int64
  /// Whether each use requires another PIN, because the policy's time is too short for a second use.
  package let servesOneUse: Bool
  /// What may replace the PIN.
  package let biometrics: [Biometric]
  /// How long biometrics may replace the PIN after the last use; nil for no limit.
  let biometricMilliseconds: Int64?
  /// Whether only biometrics of Android's class 3 may replace the PIN.
  let needsClass3: Bool
  /// Whether biometrics replace the PIN only once it was entered after the enrolled biometrics changed.
  let needsPINAfterChange: Bool

  /// The minimum of `recheckMilliseconds`, whatever the policy says. It leaves time to repeat a call that needed the
  /// PIN.
  package static let leastMilliseconds: Int64 = 60_000

  /// A setting that is missing does not restrict. Zero tries or a lifetime of zero mean no limit.
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
    let recheck = time(.periodOnlineBeforeAccessCheck)
    recheckMilliseconds = max(Self.leastMilliseconds, recheck ?? 0)
    servesOneUse = recheck.map { $0 < Self.leastMilliseconds } ?? false
    let isNoneAllowed =
      isTrue(.biometricAuthenticationBlocked) || effective.value(of: .fingerprintAndBiometricEnabled) == .bool(false)
    biometrics = Biometric.allCases.filter { !isNoneAllowed && !isTrue($0.blockedBy) }
    biometricMilliseconds = time(.pinRequiredInsteadOfBiometricTimeout)
    needsClass3 = isTrue(.requireClass3Biometrics)
    needsPINAfterChange = isTrue(.requirePinAfterBiometricChange)
  }
}

/// The PIN of the device itself.
package enum DevicePIN: Sendable {
  case notSet
  /// The device is not enrolled in mobile device management, so nobody makes sure that its PIN stays.
  case setByUser
  case setOnManagedDevice

  package init(isSet: Bool, isDeviceManaged: Bool) {
    self = !isSet ? .notSet : isDeviceManaged ? .setOnManagedDevice : .setByUser
  }

  /// Whether a PIN is required by a policy that drops its PIN on managed devices that have their own.
  var replacement: Decision<Bool> {
    switch self {
    case .notSet: Decision(true, .settingDecides, .pinRequired)
    case .setByUser: Decision(true, .deviceNotManaged, .disableAppPinIfDevicePinIsSet)
    case .setOnManagedDevice: Decision(false, .devicePINReplacesIt, .disableAppPinIfDevicePinIsSet)
    }
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

/// What the rules need to know about a stored PIN.
package protocol PINRecord: Sendable {
  /// False before the first PIN is set, and after the PIN was reset.
  var isSet: Bool { get }
  /// The number of wrong PINs since the last correct PIN.
  var tries: Int { get }
  var setAt: Timestamp { get }
  /// When the correct PIN was last entered.
  var typedAt: Timestamp { get }
  /// When the correct PIN, or biometrics in its place, was last given.
  var activeAt: Timestamp { get }
  /// The `PINForm.key` of the rules that the PIN turned out to break; empty if there are none.
  var unfitForm: String { get }
}

extension PINRules {
  /// Whether a PIN of this many characters is long enough.
  package func isLongEnough(_ length: Int) -> Bool { length >= form.minimumLength }

  package func isExhausted(_ pin: any PINRecord) -> Bool { maximumTries.map { pin.tries >= $0 } ?? false }

  /// Nil if any number of tries is allowed.
  package func triesLeft(of pin: (any PINRecord)?) -> Int? { maximumTries.map { max(0, $0 - (pin?.tries ?? 0)) } }

  /// When the PIN expires; nil for never.
  package func expiry(of pin: any PINRecord) -> Timestamp? { lifetimeMilliseconds.map { pin.setAt.advanced(by: $0) } }

  package func hasExpired(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    expiry(of: pin).map { $0 <= now } ?? false
  }

  /// Whether the user must choose another PIN: this one has expired, or turned out to break the rules.
  package func mustChange(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    hasExpired(pin, at: now) || pin.unfitForm == form.key
  }

  /// Whether the last correct PIN, or biometrics in its place, still counts. It may have been given in another app.
  func counts(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    pin.activeAt.isWithin(recheckMilliseconds, before: now)
  }

  /// Whether the PIN itself was entered recently.
  func isTypedLately(_ pin: any PINRecord, at now: Timestamp) -> Bool {
    pin.typedAt.isWithin(recheckMilliseconds, before: now)
  }

  /// The biometrics that may replace the PIN now; none if the PIN must be changed, or if the policy requires a class of
  /// biometrics that is not reported. The policy's time is one of inactivity (ref-settings-ios.md): it runs from the last
  /// use of the account, which is nil for none, or from the last PIN if that is later.
  package func biometrics(
    replacing pin: any PINRecord, lastUsedAt: Timestamp?, on device: Device, at now: Timestamp
  ) -> [Biometric] {
    guard !mustChange(pin, at: now) else { return [] }
    if needsClass3, device.biometricClass != .class3 { return [] }
    if needsPINAfterChange, let changed = device.biometricsChangedAt, pin.typedAt <= changed { return [] }
    let isInTime =
      biometricMilliseconds.map { limit in
        [pin.typedAt, lastUsedAt].contains { $0?.isWithin(limit, before: now) ?? false }
      } ?? true
    return isInTime ? biometrics : []
  }
}

extension Timestamp {
  /// Whether this was less than a period ago. A time in the future is that of another clock, and proves nothing.
  fileprivate func isWithin(_ milliseconds: Int64, before now: Timestamp) -> Bool {
    self <= now && advanced(by: milliseconds) > now
  }
}
