import Model

/// The launch rules of a policy: what is checked before the data of its account is shown.
///
/// The order matters: of several rules with the same outcome, the first one decides. Versions of the SDK, the app and the
/// system come first, then the device, the account, and the sign-in.
package struct LaunchRules: Sendable {
  package let rules: [LaunchRule]
  /// The time without use after which the PIN and the credentials are due again; nil for never.
  package let recheckAfter: ISODuration?
  /// The time without an answer from the policy source after which the user must sign in again, or the data is wiped; nil
  /// for never.
  package let wipesAfter: ISODuration?

  init(_ effective: EffectivePolicy) {
    rules = Self.kinds.compactMap { LaunchRule($0, effective) } + [LaunchRule(unknownIn: effective)].compactMap { $0 }
    recheckAfter = effective.value(of: .periodOnlineBeforeAccessCheck)?.durationValue
    wipesAfter = effective.value(of: .periodOfflineBeforeWipeIsEnforced)?.durationValue.flatMap(OfflineCheck.limit)
  }

  package func findings(_ facts: LaunchFacts) -> [LaunchFinding] { rules.map { $0.finding(facts) } }

  /// A kind of rule: the setting with its value, and how to make the check.
  struct Kind: Sendable {
    let setting: SettingName
    let makeCheck: @Sendable (SettingValue, EffectivePolicy) -> (any LaunchCheck)?
  }

  private static let kinds: [Kind] =
    versions + [
      Kind(setting: .deviceComplianceRequired) { value, policy in
        value == .bool(true) ? JailbreakCheck(policy) : nil
      },
      Kind(setting: .deviceLockRequired) { value, policy in
        value == .bool(true) ? DeviceLockCheck(policy) : nil
      },
      .complexity(.appActionIfDevicePasscodeComplexityLessThanLow, .low),
      .complexity(.appActionIfDevicePasscodeComplexityLessThanMedium, .medium),
      .complexity(.appActionIfDevicePasscodeComplexityLessThanHigh, .high),
      Kind(setting: .appActionIfDeveloperOptionsEnabled) { value, _ in value.word().map(DeveloperOptionsCheck.init) },
      Kind(setting: .appActionIfSamsungKnoxAttestationRequired) { value, _ in value.word().map(KnoxCheck.init) },
      Kind(setting: .allowedIosDeviceModels) { value, policy in
        value.stringsValue.map { AllowListCheck(.iosModel, $0, policy) }
      },
      Kind(setting: .allowedAndroidDeviceModels) { value, policy in
        value.stringsValue.map { AllowListCheck(.androidModel, $0, policy) }
      },
      Kind(setting: .allowedAndroidDeviceManufacturers) { value, policy in
        value.stringsValue.map { AllowListCheck(.manufacturer, $0, policy) }
      },
      Kind(setting: .maximumAllowedDeviceThreatLevel) { value, policy in
        value.word().flatMap { ThreatCheck($0, policy) }
      },
      Kind(setting: .appActionIfUnableToAuthenticateUser) { value, _ in value.word().map(DisabledAccountCheck.init) },
      Kind(setting: .periodOfflineBeforeWipeIsEnforced) { value, _ in
        value.durationValue.map(OfflineWipeCheck.init)
      },
      Kind(setting: .periodOfflineBeforeAccessCheck) { value, policy in
        value.durationValue.map { OfflineGraceCheck(period: $0, isForWindows: policy.platform == .windows) }
      },
      Kind(setting: .appActionIfAccountIsClockedOut) { value, policy in
        value.word().map { ClockCheck($0, policy) }
      },
      Kind(setting: .organizationalCredentialsRequired) { value, policy in
        value == .bool(true) ? CredentialsCheck() : nil
      },
    ]

  private static let versions: [Kind] = [
    .version(.minimumWipeSdkVersion, .sdk, .minimum, .wipe),
    .version(.minimumRequiredSdkVersion, .sdk, .minimum, .block),
    .version(.minimumWarningSdkVersion, .sdk, .minimum, .warn),
    .version(.minimumWipeAppVersion, .app, .minimum, .wipe),
    .version(.minimumRequiredAppVersion, .app, .minimum, .block),
    .version(.minimumWarningAppVersion, .app, .minimum, .warn),
    .version(.minimumWipeOsVersion, .system, .minimum, .wipe),
    .version(.maximumWipeOsVersion, .system, .maximum, .wipe),
    .version(.minimumRequiredOsVersion, .system, .minimum, .block),
    .version(.maximumRequiredOsVersion, .system, .maximum, .block),
    .version(.minimumWarningOsVersion, .system, .minimum, .warn),
    .version(.maximumWarningOsVersion, .system, .maximum, .warn),
  ]
}

extension LaunchRules.Kind {
  fileprivate static func complexity(_ setting: SettingName, _ least: PasscodeComplexity) -> Self {
    Self(setting: setting) { value, _ in value.word().map { PasscodeComplexityCheck(least, $0) } }
  }

  fileprivate static func version(
    _ setting: SettingName, _ subject: VersionCheck.Subject, _ bound: VersionCheck.Bound, _ action: LaunchAction
  ) -> Self {
    Self(setting: setting) { value, _ in
      value.versionValue.map { VersionCheck(subject: subject, bound: bound, limit: $0, action: action) }
    }
  }
}
