import Model

/// What a policy asks before the data of its account is shown, ready to be compared.
///
/// In the order in which rules decide: of several that wipe, block or warn alike the first one counts. Versions of the
/// SDK, of the app and of the system come first, then the device, the account, and the sign-in.
package struct LaunchRules: Sendable {
  package let rules: [LaunchRule]
  /// After so long without use PIN and credentials are asked for again; nil for never.
  package let recheckAfter: ISODuration?
  /// After so long without an answer of the policy source the user must sign in again, or all is wiped; nil for never.
  package let wipesAfter: ISODuration?

  init(_ effective: EffectivePolicy) {
    rules = Self.kinds.compactMap { LaunchRule($0, effective) }
    recheckAfter = effective.value(of: .periodOnlineBeforeAccessCheck)?.durationValue
    wipesAfter = effective.value(of: .periodOfflineBeforeWipeIsEnforced)?.durationValue.flatMap(OfflineCheck.limit)
  }

  package func findings(_ facts: LaunchFacts) -> [LaunchFinding] { rules.map { $0.finding(facts) } }

  /// A kind of rule: the setting that has its value, the one that says what to do, and how it is compared.
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
      Kind(setting: .periodOfflineBeforeAccessCheck) { value, _ in
        value.durationValue.map(OfflineGraceCheck.init)
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
  fileprivate static func version(
    _ setting: SettingName, _ subject: VersionCheck.Subject, _ bound: VersionCheck.Bound, _ action: LaunchAction
  ) -> Self {
    Self(setting: setting) { value, _ in
      value.versionValue.map { VersionCheck(subject: subject, bound: bound, limit: $0, action: action) }
    }
  }
}
