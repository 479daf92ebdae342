import JSON
import Testing

@testable import Model
@testable import Policy

@Suite struct PolicyMergeTests {
  struct Row: Sendable {
    let setting: SettingName
    let first: String
    let second: String
    let merged: String
    var warns = false

    init(_ setting: SettingName, _ first: String, _ second: String, _ merged: String, warns: Bool = false) {
      self.setting = setting
      self.first = first
      self.second = second
      self.merged = merged
      self.warns = warns
    }
  }

  static let rows = [
    Row(.pinRequired, "false", "true", "true"), Row(.saveAsBlocked, "true", "false", "true"),
    Row(.allowWidgetContentSync, "true", "false", "false"),
    Row(.disableAppPinIfDevicePinIsSet, "true", "false", "false"),
    Row(.disableProtectionOfManagedOutboundOpenInData, "true", "false", "false"),
    Row(.pinRequired, "true", "null", "true"), Row(.allowWidgetContentSync, "null", "true", "true"),
    Row(.allowedOutboundDataTransferDestinations, #""managedApps""#, #""none""#, #""none""#),
    Row(.allowedInboundDataTransferSources, #""managedApps""#, #""allApps""#, #""managedApps""#),
    Row(.allowedOutboundClipboardSharingLevel, #""managedAppsWithPasteIn""#, #""managedApps""#, #""managedApps""#),
    Row(.notificationRestriction, #""block""#, #""blockOrganizationalData""#, #""block""#),
    Row(.appDataEncryptionType, #""afterDeviceRestart""#, #""whenDeviceLocked""#, #""whenDeviceLocked""#),
    Row(.maximumAllowedDeviceThreatLevel, #""high""#, #""secured""#, #""secured""#),
    Row(.maximumAllowedDeviceThreatLevel, #""notConfigured""#, #""high""#, #""high""#),
    Row(.dialerRestrictionLevel, #""managedApps""#, #""blocked""#, #""blocked""#),
    Row(.pinCharacterSet, #""numeric""#, #""alphanumericAndSymbol""#, #""alphanumericAndSymbol""#),
    Row(.screenCaptureConfigurationState, #""notBlocked""#, #""blocked""#, #""blocked""#),
    Row(.appActionIfDeviceComplianceRequired, #""block""#, #""wipe""#, #""wipe""#),
    Row(.appActionIfAccountIsClockedOut, #""warn""#, #""block""#, #""block""#),
    Row(.allowedDataStorageLocations, #"["box","sharePoint"]"#, #"["sharePoint","photoLibrary"]"#, #"["sharePoint"]"#),
    Row(.allowedDataStorageLocations, #"["box"]"#, "[]", "[]"),
    Row(.allowedDataIngestionLocations, #"["camera"]"#, "null", #"["camera"]"#),
    Row(.allowedIosDeviceModels, #""iPhone8;iPhone9""#, #""IPHONE9;iPad""#, #""iPhone9""#),
    Row(
      .exemptedAppProtocols, #"[{"name":"a","value":"skype;itms;"}]"#, #"[{"name":"b","value":"ITMS;tel"}]"#,
      #"[{"name":"Default","value":"itms"}]"#),
    Row(.exemptedUniversalLinks, #"["https://a/*","https://b"]"#, #"["https://b"]"#, #"["https://b"]"#),
    Row(.minimumRequiredOsVersion, #""14.8""#, #""14.10""#, #""14.10""#),
    Row(.minimumWipeAppVersion, #""2""#, #""1.9""#, #""2""#),
    Row(.maximumRequiredOsVersion, #""16""#, #""15.4""#, #""15.4""#),
    Row(.minimumRequiredOsVersion, #""0.0""#, #""12""#, #""12""#),
    Row(.minimumPinLength, "6", "8", "4"), Row(.minimumPinLength, "6", "6", "6"),
    Row(.minimumPinLength, "null", "6", "6"),
    Row(.maximumPinRetries, "3", "10", "5"), Row(.previousPinBlockCount, "3", "10", "0"),
    Row(.allowedOutboundClipboardSharingExceptionLength, "3", "10", "0"),
    Row(.periodBeforePinReset, #""P90D""#, #""P365D""#, #""PT0S""#),
    Row(.periodOnlineBeforeAccessCheck, #""PT5M""#, #""PT10M""#, #""PT30M""#),
    Row(.periodOfflineBeforeAccessCheck, #""PT12H""#, #""PT720M""#, #""PT12H""#),
    Row(.periodOfflineBeforeAccessCheck, #""PT12H""#, #""PT1H""#, #""P1D""#),
    Row(.periodOfflineBeforeWipeIsEnforced, #""P30D""#, #""P60D""#, #""P90D""#),
    Row(.pinRequiredInsteadOfBiometricTimeout, #""PT12H""#, #""PT1H""#, #""PT30M""#),
    Row(.customBrowserProtocol, #""b""#, #""a""#, #""b""#, warns: true),
    Row(.customBrowserProtocol, #""""#, #""a""#, #""a""#),
  ]

  @Test("Two policies merge each setting by its merge rule", arguments: rows)
  func merges(row: Row) throws {
    let first = try PolicyDocument.of("1", .ios, "{\"\(row.setting.rawValue)\": \(row.first)}")
    let second = try PolicyDocument.of("2", .ios, "{\"\(row.setting.rawValue)\": \(row.second)}")
    let effective = try #require(EffectivePolicy(merging: [second, first], platform: .ios))
    let definition = row.setting.definition
    let merged = effective.settings[row.setting].map { definition.write(graph: $0.value).jsonText }
    #expect(merged == row.merged)
    #expect(effective.warnings.isEmpty == !row.warns)
  }

  @Test("Each setting of a merged policy names the policy its value comes from")
  func origins() throws {
    let first = try PolicyDocument.of(
      "1", .ios, #"{"pinRequired": false, "printBlocked": true, "minimumPinLength": 5}"#)
    let second = try PolicyDocument.of("2", .ios, #"{"pinRequired": true, "minimumPinLength": 7}"#)
    let settings = try #require(EffectivePolicy(merging: [first, second], platform: .ios)).settings
    #expect(settings[.pinRequired]?.policyID == "2")
    #expect(settings[.printBlocked]?.policyID == "1")
    #expect(settings[.minimumPinLength]?.policyID == "1")
  }

  @Test("A targeted policy replaces the default policy entirely unless it is for another platform")
  func platforms() throws {
    let ios = try PolicyDocument.of("1", .ios, #"{"pinRequired": false}"#)
    let fallback = try PolicyDocument.of("0", .default, #"{"pinRequired": true, "printBlocked": true}"#)
    let onIOS = try #require(EffectivePolicy(merging: [ios, fallback], platform: .ios))
    #expect(onIOS.sources.map(\.id) == ["1"])
    #expect(onIOS.settings[.printBlocked] == nil)
    let onAndroid = try #require(EffectivePolicy(merging: [ios, fallback], platform: .android))
    #expect(onAndroid.sources.map(\.id) == ["0"])
    #expect(EffectivePolicy(merging: [ios], platform: .android) == nil)
    #expect(EffectivePolicy(merging: [], platform: .ios) == nil)
  }

  @Test(
    "Only the default policy's settings for the device's platform apply, but all are shown",
    arguments: [
      (.ios, true, false), (.android, false, true),
    ] as [(DevicePlatform, Bool, Bool)])
  func defaults(platform: DevicePlatform, keyboards: Bool, screen: Bool) throws {
    let policy = try PolicyDocument.of(
      "0", .default, #"{"thirdPartyKeyboardsBlocked": true, "screenCaptureBlocked": true}"#)
    let effective = try #require(EffectivePolicy(merging: [policy], platform: platform))
    #expect((effective.value(of: .thirdPartyKeyboardsBlocked) != nil) == keyboards)
    #expect((effective.value(of: .screenCaptureBlocked) != nil) == screen)
    #expect(effective.settings.count == 2)
  }

  @Test("Approved keyboards and exempt packages merge by package name and ignore labels")
  func packages() throws {
    let names: [(SettingName, (String, String) -> String)] = [
      (.approvedKeyboards, { label, package in #"{"name": "\#(package)", "value": "\#(label)"}"# }),
      (.exemptedAppPackages, { label, package in #"{"name": "\#(label)", "value": "\#(package)"}"# }),
    ]
    for (name, pair) in names {
      let (mine, others) = (
        [pair("Same package", "com.a"), pair("Same label", "com.b")],
        [pair("Other label", "COM.A"), pair("Same label", "com.c")]
      )
      let documents = try [mine, others].enumerated().map { index, pairs in
        try PolicyDocument.of("\(index)", .android, #"{"\#(name.rawValue)": [\#(pairs.joined(separator: ","))]}"#)
      }
      let effective = try #require(EffectivePolicy(merging: documents, platform: .android))
      let merged = effective.value(of: name)?.pairsValue ?? []
      #expect(merged.map { [$0.name, $0.value].contains("com.a") } == [true], "\(name): \(merged)")
    }
  }

  @Test(
    "A policy counts as changed if a setting, its source policy or its version differs",
    arguments: [
      (#"{"pinRequired": true, "version": "1"}"#, true),
      (#"{"pinRequired": true, "version": "1", "description": "x"}"#, true),
      (#"{"pinRequired": false, "version": "1"}"#, false), (#"{"pinRequired": true, "version": "2"}"#, false),
      (#"{"pinRequired": true, "version": "1", "printBlocked": false}"#, false),
      (#"{"pinRequired": true, "version": "1", "id": "other"}"#, false),
    ])
  func changes(text: String, isSame: Bool) throws {
    let before = try PolicyDocument.of("1", .ios, #"{"pinRequired": true, "version": "1"}"#)
    let old = try #require(CompiledPolicy(merging: [before], platform: .ios))
    let new = try #require(CompiledPolicy(merging: [try PolicyDocument.of("1", .ios, text)], platform: .ios))
    #expect(new.hasSamePolicy(as: old) == isSame)
  }
}
