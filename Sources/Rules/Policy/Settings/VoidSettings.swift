import Model

/// A setting that has no effect, because of another setting of the same policy.
package struct VoidSetting: Hashable, Sendable {
  package let name: SettingName
  /// The setting that makes it void.
  package let cause: SettingName
  /// Why, as a clause.
  package let reason: String
  let area: Area

  /// What a question would have read, had it not been decided before.
  package enum Area: Sendable {
    case saving, opening, clipboard, browser, dialer, messaging, exemptions, links, widgets, sharing, receiving, windows
    case pin, biometrics, pinRetries, actions, keyboards, shift
  }
}

/// One row: settings that have no effect if another setting has certain values.
private struct VoidRule: Sendable {
  enum Condition: Sendable {
    case isWord(String)
    /// The setting has another value, or is not set.
    case isNotWord(String)
    case isFlag(Bool)
    case isNotTrue
    case isUnset
    case isZero
  }

  let area: VoidSetting.Area
  let cause: SettingName
  let condition: Condition
  let names: [SettingName]

  init(_ area: VoidSetting.Area, _ cause: SettingName, _ condition: Condition, _ names: SettingName...) {
    (self.area, self.cause, self.condition, self.names) = (area, cause, condition, names)
  }

  /// Every row. Of several rows that make a setting void, the first gives the reason.
  static let all: [VoidRule] = data + links + access + launch

  private static let data = [
    VoidRule(
      .saving, .allowedOutboundDataTransferDestinations, .isWord("allApps"), .saveAsBlocked,
      .allowedDataStorageLocations),
    VoidRule(.saving, .allowedOutboundDataTransferDestinations, .isWord("none"), .allowedDataStorageLocations),
    VoidRule(.saving, .saveAsBlocked, .isNotTrue, .allowedDataStorageLocations),
    VoidRule(
      .opening, .allowedInboundDataTransferSources, .isWord("allApps"), .blockDataIngestionIntoOrganizationDocuments,
      .allowedDataIngestionLocations),
    VoidRule(.opening, .allowedInboundDataTransferSources, .isWord("none"), .allowedDataIngestionLocations),
    VoidRule(
      .opening, .blockDataIngestionIntoOrganizationDocuments, .isNotTrue, .allowedDataIngestionLocations),
    VoidRule(
      .clipboard, .allowedOutboundClipboardSharingLevel, .isWord("allApps"),
      .allowedOutboundClipboardSharingExceptionLength),
    VoidRule(
      .clipboard, .allowedOutboundClipboardSharingLevel, .isUnset, .allowedOutboundClipboardSharingExceptionLength),
    VoidRule(.widgets, .contactSyncBlocked, .isNotTrue, .allowWidgetContentSync),
    VoidRule(
      .sharing, .allowedOutboundDataTransferDestinations, .isNotWord("managedApps"), .filterOpenInToOnlyManagedApps,
      .disableProtectionOfManagedOutboundOpenInData),
    VoidRule(.sharing, .disableProtectionOfManagedOutboundOpenInData, .isFlag(true), .filterOpenInToOnlyManagedApps),
    VoidRule(
      .receiving, .allowedInboundDataTransferSources, .isNotWord("allApps"), .protectInboundDataFromUnknownSources),
    VoidRule(
      .windows, .allowedOutboundDataTransferDestinations, .isNotWord("selectedApps"),
      .allowedOutboundDataTransferDestinationApps),
    VoidRule(
      .windows, .allowedInboundDataTransferSources, .isNotWord("selectedApps"), .allowedInboundDataTransferSourceApps),
    VoidRule(.keyboards, .keyboardsRestricted, .isNotTrue, .approvedKeyboards),
  ]

  private static let links = [
    VoidRule(
      .browser, .managedBrowserToOpenLinksRequired, .isNotTrue, .customBrowserProtocol, .customBrowserPackageId),
    VoidRule(
      .dialer, .dialerRestrictionLevel, .isNotWord("customApp"), .customDialerAppProtocol, .customDialerAppPackageId),
    VoidRule(
      .messaging, .protectedMessagingRedirectAppType, .isNotWord("specificApps"), .messagingRedirectAppUrlScheme,
      .messagingRedirectAppPackageId),
    VoidRule(
      .exemptions, .allowedOutboundDataTransferDestinations, .isWord("allApps"), .exemptedAppProtocols,
      .exemptedAppPackages),
    VoidRule(.links, .allowedOutboundDataTransferDestinations, .isWord("none"), .managedUniversalLinks),
  ]

  private static let access = [
    VoidRule(
      .pin, .pinRequired, .isNotTrue, .minimumPinLength, .pinCharacterSet, .simplePinBlocked, .maximumPinRetries,
      .appActionIfMaximumPinRetriesExceeded, .periodBeforePinReset, .previousPinBlockCount, .fingerprintBlocked,
      .faceIdBlocked, .biometricAuthenticationBlocked, .fingerprintAndBiometricEnabled, .requireClass3Biometrics,
      .requirePinAfterBiometricChange, .disableAppPinIfDevicePinIsSet, .pinRequiredInsteadOfBiometricTimeout),
    VoidRule(.pinRetries, .maximumPinRetries, .isZero, .appActionIfMaximumPinRetriesExceeded),
    VoidRule(
      .biometrics, .biometricAuthenticationBlocked, .isFlag(true), .requireClass3Biometrics,
      .requirePinAfterBiometricChange),
    VoidRule(
      .biometrics, .fingerprintAndBiometricEnabled, .isFlag(false), .requireClass3Biometrics,
      .requirePinAfterBiometricChange),
  ]

  private static let launch = [
    VoidRule(.actions, .deviceComplianceRequired, .isNotTrue, .appActionIfDeviceComplianceRequired),
    VoidRule(.actions, .deviceLockRequired, .isNotTrue, .appActionIfDeviceLockNotSet),
    VoidRule(.actions, .allowedIosDeviceModels, .isUnset, .appActionIfIosDeviceModelNotAllowed),
    VoidRule(.actions, .allowedAndroidDeviceModels, .isUnset, .appActionIfAndroidDeviceModelNotAllowed),
    VoidRule(
      .actions, .allowedAndroidDeviceManufacturers, .isUnset, .appActionIfAndroidDeviceManufacturerNotAllowed),
    VoidRule(.actions, .maximumAllowedDeviceThreatLevel, .isUnset, .mobileThreatDefenseRemediationAction),
    VoidRule(
      .actions, .maximumAllowedDeviceThreatLevel, .isWord("notConfigured"), .mobileThreatDefenseRemediationAction),
    VoidRule(.shift, .appActionIfAccountIsClockedOut, .isUnset, .gracePeriodToBlockAppsDuringOffClockHours),
  ]

  /// Why the settings are void, as a clause; `nil` if they are not.
  func reason(_ value: SettingValue?, on platform: DevicePlatform) -> String? {
    let isVoid =
      switch condition {
      case .isWord(let word): value == .word(word)
      case .isNotWord(let word): value != .word(word)
      case .isFlag(let flag): value == .bool(flag)
      case .isNotTrue: value != .bool(true)
      case .isUnset: value == nil
      case .isZero: value == .integer(0)
      }
    guard isVoid else { return nil }
    guard let value else { return "\(cause.rawValue) is not set" }
    let written = cause.definition.write(graph: value, on: platform)
    return "\(cause.rawValue) is \(written.stringValue ?? written.jsonText)"
  }
}

extension VoidSetting {
  /// The settings that have no effect, of those whose value says more than the default does. `value` is the value of a
  /// setting that applies on the platform.
  static func all(on platform: DevicePlatform, _ value: (SettingName) -> SettingValue?) -> [VoidSetting] {
    var found: [VoidSetting] = []
    for rule in VoidRule.all {
      guard rule.names.contains(where: { value($0) != nil }), let reason = rule.reason(value(rule.cause), on: platform)
      else { continue }
      for name in rule.names where !found.contains(where: { $0.name == name }) {
        guard let set = value(name), set.isRemarkable(of: name.definition), !isNeeded(name, value),
          !isSwitchedOff(name, value)
        else { continue }
        found.append(VoidSetting(name: name, cause: rule.cause, reason: reason, area: rule.area))
      }
    }
    return found
  }

  /// Whether another question still reads the setting: exempt schemes of phone numbers and messages also lift the
  /// restrictions of these.
  private static func isNeeded(_ name: SettingName, _ value: (SettingName) -> SettingValue?) -> Bool {
    guard name == .exemptedAppProtocols, let schemes = value(name)?.pairsValue?.schemes.map(\.lowercasedASCII) else {
      return false
    }
    return schemes.contains { ["sms", "tel", "telprompt"].contains($0) } || usualExemptions.isSuperset(of: schemes)
  }

  /// Whether the policy itself says that nothing is restricted which the setting could except: the portal writes such
  /// lists into every policy, as do Microsoft's baselines.
  private static func isSwitchedOff(_ name: SettingName, _ value: (SettingName) -> SettingValue?) -> Bool {
    switch name {
    case .allowedDataStorageLocations: value(.saveAsBlocked) == .bool(false)
    case .allowedDataIngestionLocations: value(.blockDataIngestionIntoOrganizationDocuments) == .bool(false)
    default: false
    }
  }

  /// The portal writes these into every policy for iOS.
  private static let usualExemptions: Set<String> = [
    "skype", "app-settings", "calshow", "itms", "itmss", "itms-apps", "itms-appss", "itms-services",
  ]
}

extension SettingValue {
  /// Whether an administrator chose the value: it is not what the portal writes into every policy.
  fileprivate func isRemarkable(of definition: SettingDefinition) -> Bool {
    if case .portalDefault(let usual) = definition.merge, self == usual { return false }
    return switch self {
    case .bool(let flag): flag != (definition.name == .fingerprintAndBiometricEnabled)
    case .integer(let number): number != 0
    case .duration(let duration): duration.seconds > 0
    case .word(let word): word != "block" && word != PINCharacterSet.numeric.rawValue
    case .words(let words): words.contains { $0 != "none" }
    case .strings(let texts): !texts.isEmpty
    case .pairs(let pairs): !pairs.isEmpty
    case .string(let text): !text.isEmpty
    case .version, .opaque: true
    }
  }
}

extension EffectivePolicy {
  /// The settings in force that have no effect.
  package var voidSettings: [VoidSetting] { VoidSetting.all(on: platform) { value(of: $0) } }
}

extension PolicyDocument {
  /// The settings of this policy alone that have no effect. A setting of a default policy has none if it has none on any
  /// platform.
  package var voidSettings: [VoidSetting] {
    let found = kind.platforms.map { platform in
      let own = settings.filter { $0.key.definition.kinds.contains(platform.policyKind) }
      return (platform, VoidSetting.all(on: platform) { own[$0] })
    }
    var names: Set<SettingName> = []
    return found.flatMap(\.1).filter { void in
      let having = found.filter { void.name.definition.kinds.contains($0.0.policyKind) }
      return having.allSatisfy { $0.1.contains { $0.name == void.name } } && names.insert(void.name).inserted
    }
  }
}
