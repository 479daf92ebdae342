import TestSupport
import Testing

@testable import Model
@testable import Policy

@Suite struct SettingRoleTests {
  /// Of the members that only policies for Android have.
  private static let deciding: Set<SettingName> = [
    .encryptAppData, .screenCaptureBlocked, .keyboardsRestricted, .approvedKeyboards, .biometricAuthenticationBlocked,
    .exemptedAppPackages, .allowedAndroidDeviceModels, .appActionIfAndroidDeviceModelNotAllowed,
    .allowedAndroidDeviceManufacturers, .appActionIfAndroidDeviceManufacturerNotAllowed, .deviceLockRequired,
    .appActionIfDeviceLockNotSet, .customBrowserPackageId, .customDialerAppPackageId, .messagingRedirectAppPackageId,
    .appActionIfDevicePasscodeComplexityLessThanLow,
    .appActionIfDevicePasscodeComplexityLessThanMedium, .appActionIfDevicePasscodeComplexityLessThanHigh,
    .appActionIfDeveloperOptionsEnabled, .appActionIfSamsungKnoxAttestationRequired, .fingerprintAndBiometricEnabled,
    .requireClass3Biometrics, .requirePinAfterBiometricChange,
  ]

  @Test("Of the settings only for Android, exactly the documented ones have an effect")
  func android() {
    let ofAndroid = SettingDefinition.all.filter {
      $0.kinds.contains(.android) && !$0.kinds.contains(.ios) && !$0.role.isDescription
    }
    #expect(Set(ofAndroid.filter(\.role.decides).map(\.name)) == Self.deciding)
  }

  @Test("Of the iOS settings, only three are shown without having an effect")
  func ios() {
    let informing = SettingDefinition.all.filter { definition in
      definition.kinds.contains(.ios) && !definition.role.decides && !definition.role.isDescription
    }
    let expected: Set<SettingName> = [
      .managedBrowser, .mobileThreatDefensePartnerPriority, .purviewContentEvaluationRequired,
    ]
    #expect(Set(informing.map(\.name)) == expected)
  }

  @Test("Settings take part in a merge unless they only describe the policy")
  func merge() {
    for definition in SettingDefinition.all {
      let isLeftOut = if case .none = definition.merge { true } else { false }
      #expect(isLeftOut == definition.role.isDescription, "\(definition.name)")
    }
  }

  @Test("Every setting says what it affects or why it has no effect")
  func texts() {
    for name in SettingName.allCases { #expect(name.definition.role.text.count > 5, "\(name)") }
  }
}
