import JSON
import Testing

@testable import Model
@testable import Policy

@Suite struct PolicyImportTests {
  struct Row: Sendable {
    let member: String
    let value: JSONValue
    let name: SettingName
    let expected: SettingValue?
    var complains = false

    init(_ member: String, _ value: JSONValue, _ name: SettingName, _ expected: SettingValue?, complains: Bool = false)
    {
      self.member = member
      self.value = value
      self.name = name
      self.expected = expected
      self.complains = complains
    }
  }

  static let graph: [Row] = [
    Row("pinRequired", true, .pinRequired, .bool(true)),
    Row("pinRequired", "false", .pinRequired, .bool(false)),
    Row("pinRequired", "maybe", .pinRequired, nil, complains: true),
    Row("pinRequired", nil, .pinRequired, nil),
    Row(
      "allowedOutboundDataTransferDestinations", "managedApps", .allowedOutboundDataTransferDestinations,
      .word("managedApps")),
    Row("allowedOutboundDataTransferDestinations", 2, .allowedOutboundDataTransferDestinations, .word("none")),
    Row("allowedOutboundDataTransferDestinations", "2", .allowedOutboundDataTransferDestinations, .word("none")),
    Row("allowedOutboundDataTransferDestinations", 7, .allowedOutboundDataTransferDestinations, nil, complains: true),
    Row(
      "allowedOutboundDataTransferDestinations", "ManagedApps", .allowedOutboundDataTransferDestinations,
      .word("managedApps")),
    Row("appActionIfUnableToAuthenticateUser", nil, .appActionIfUnableToAuthenticateUser, nil),
    Row("minimumPinLength", 6, .minimumPinLength, .integer(6)),
    Row("minimumPinLength", 6.5, .minimumPinLength, nil, complains: true),
    Row("minimumPinLength", -1, .minimumPinLength, nil, complains: true),
    Row("minimumPinLength", ["6"], .minimumPinLength, nil, complains: true),
    Row("periodBeforePinReset", "P365D", .periodBeforePinReset, .duration(ISODuration(seconds: 31_536_000))),
    Row("periodBeforePinReset", "a year", .periodBeforePinReset, nil, complains: true),
    Row("pinRequiredInsteadOfBiometricTimeout", nil, .pinRequiredInsteadOfBiometricTimeout, nil),
    Row("minimumRequiredOsVersion", "0.0", .minimumRequiredOsVersion, nil),
    Row("minimumRequiredOsVersion", "", .minimumRequiredOsVersion, nil),
    Row("minimumRequiredOsVersion", "latest", .minimumRequiredOsVersion, nil, complains: true),
    Row("customBrowserProtocol", "", .customBrowserProtocol, nil),
    Row("allowedDataStorageLocations", [], .allowedDataStorageLocations, .words([])),
    Row("allowedDataStorageLocations", ["box", 7], .allowedDataStorageLocations, .words(["box", "photoLibrary"])),
    Row(
      "allowedDataStorageLocations", ["box", "attic"], .allowedDataStorageLocations, .words(["box"]), complains: true),
    Row("allowedDataStorageLocations", "box,sharePoint", .allowedDataStorageLocations, .words(["box", "sharePoint"])),
    Row("allowedDataStorageLocations", true, .allowedDataStorageLocations, nil, complains: true),
    Row("allowedIosDeviceModels", "iPhone 8; iPad", .allowedIosDeviceModels, .strings(["iPhone 8", "iPad"])),
    Row("allowedAndroidDeviceModels", [], .allowedAndroidDeviceModels, nil),
    Row(
      "exemptedAppProtocols", [["name": "Default", "value": "skype;itms;"]], .exemptedAppProtocols,
      .pairs([KeyValuePair(name: "Default", value: "skype;itms;")])),
    Row("exemptedAppProtocols", ["skype"], .exemptedAppProtocols, nil, complains: true),
  ]

  static let sdk: [Row] = [
    Row("AppSharingToLevel", 0, .allowedOutboundDataTransferDestinations, .word("none")),
    Row("appsharingtolevel", 2, .allowedOutboundDataTransferDestinations, .word("allApps")),
    Row("AppSharingToLevel", "1", .allowedOutboundDataTransferDestinations, .word("managedApps")),
    Row("ClipboardSharingLevel", 2, .allowedOutboundClipboardSharingLevel, .word("managedAppsWithPasteIn")),
    Row("FileEncryptionLevel", 0, .appDataEncryptionType, .word("whenDeviceLocked")),
    Row("PINCharacterType", 0, .pinCharacterSet, .word("alphanumericAndSymbol")),
    Row("DialerRestrictionLevel", 1, .dialerRestrictionLevel, .word("customApp")),
    Row("PINEnabled", true, .pinRequired, .bool(true)), Row("PINEnabled", 1, .pinRequired, .bool(true)),
    Row("PINEnabled", "0", .pinRequired, .bool(false)), Row("PINEnabled", 2, .pinRequired, nil, complains: true),
    Row("SimplePINAllowed", 0, .simplePinBlocked, .bool(true)),
    Row("TouchIDEnabled", true, .fingerprintBlocked, .bool(false)),
    Row("FaceIDEnabled", "0", .faceIdBlocked, .bool(true)),
    Row("ProtectManagedOpenInData", true, .disableProtectionOfManagedOutboundOpenInData, .bool(false)),
    Row("AccessRecheckOfflineTimeout", 720, .periodOfflineBeforeAccessCheck, .duration(ISODuration(seconds: 43_200))),
    Row("OfflineWipeInterval", "90", .periodOfflineBeforeWipeIsEnforced, .duration(ISODuration(seconds: 7_776_000))),
    Row("PINExpiryDays", 0, .periodBeforePinReset, .duration(ISODuration(seconds: 0))),
    Row("BlockClockStatusWithGracePeriod", -1, .gracePeriodToBlockAppsDuringOffClockHours, nil),
    Row("NonBioPassTimeout", 30, .pinRequiredInsteadOfBiometricTimeout, .duration(ISODuration(seconds: 1800))),
    Row("MinOSVersionWipe", "14.1", .minimumWipeOsVersion, VersionNumber("14.1").map(SettingValue.version)),
    Row("AppActionIfUnableToAuthenticateUser", "1", .appActionIfUnableToAuthenticateUser, .word("wipe")),
    Row("MinimumRequiredDeviceThreatProtectionLevel", "1", .maximumAllowedDeviceThreatLevel, .word("secured")),
    Row(
      "ManagedLocations", 35, .allowedDataStorageLocations,
      .words(["oneDriveForBusiness", "sharePoint", "localStorage"])),
    Row("ManagedLocations", 64, .allowedDataStorageLocations, .words(["photoLibrary"])),
    Row("ManagedLocations", 0, .allowedDataStorageLocations, .words([])),
    Row(
      "OpenDataFromManagedLocations", 31, .allowedDataIngestionLocations,
      .words(["oneDriveForBusiness", "sharePoint", "camera", "photoLibrary", "localStorage"])),
    Row(
      "ManageableUniversalLinks", "https://a.example/*|https://b.example", .managedUniversalLinks,
      .strings(["https://a.example/*", "https://b.example"])),
    Row(
      "ProtocolExclusions", "skype;itms", .exemptedAppProtocols,
      .pairs([KeyValuePair(name: "Default", value: "skype;itms")])),
    Row("ScreenCaptureConfigurationState", true, .screenCaptureConfigurationState, .word("blocked")),
    Row("DictationBlocked", 1, .dictationBlocked, .bool(true)),
  ]

  @Test("Policy settings under Graph names are read with Graph's words and numbers", arguments: graph)
  func readsGraph(row: Row) { check(row) }

  @Test(
    "Policy settings under SDK names are read in any case, with the SDK's numbers, booleans and text", arguments: sdk)
  func readsSDK(row: Row) { check(row) }

  private func check(_ row: Row) {
    let imported = PolicyImport(JSONObject([(row.member, row.value)]), source: "policies/x.json")
    #expect(imported.settings[row.name] == row.expected)
    #expect(imported.warnings.isEmpty == !row.complains)
    guard let warning = imported.warnings.first else { return }
    #expect(warning.source == "policies/x.json")
    #expect(warning.member == row.member)
  }

  @Test(
    "The SDK name of an iOS model list sets the action for other models, block or wipe",
    arguments: [
      ("AllowedIOSModelsElseBlock", "block"), ("AllowedIOSModelsElseWipe", "wipe"),
    ])
  func models(member: String, action: String) {
    let imported = PolicyImport([member: "iPhone8,1"], source: "x")
    #expect(imported.settings[.allowedIosDeviceModels] == .strings(["iPhone8,1"]))
    #expect(imported.settings[.appActionIfIosDeviceModelNotAllowed] == .word(action))
  }

  @Test(
    "NonBioPassTimeOut applies only if NonBioPassTimeOutRequired is on",
    arguments: [
      (0, nil), (false, nil), (1, 1800), (true, 1800),
    ] as [(JSONValue, Int64?)])
  func biometricTimeout(isRequired: JSONValue, seconds: Int64?) {
    let members: JSONObject = ["NonBioPassTimeOutRequired": isRequired, "NonBioPassTimeOut": 30]
    let imported = PolicyImport(members, source: "x")
    #expect(imported.settings[.pinRequiredInsteadOfBiometricTimeout]?.durationValue?.seconds == seconds)
    #expect(imported.warnings.isEmpty)
  }

  @Test("A setting under its Graph name overrides the same setting under its SDK name")
  func precedence() {
    let imported = PolicyImport(["PINEnabled": false, "pinRequired": true], source: "x")
    #expect(imported.settings == [.pinRequired: .bool(true)])
  }

  @Test("Unknown members of a policy are ignored with a warning, annotations without one")
  func unknown() {
    let members: JSONObject = [
      "surprise": 1, "shareWithBrowserVirtualSetting": 1, "apps@odata.context": "x", "@odata.editLink": "x",
      "#microsoft.graph.assign": [:], "DisableAria": true,
    ]
    let imported = PolicyImport(members, source: "x")
    #expect(imported.warnings.map(\.member) == ["surprise"])
    #expect(imported.settings.isEmpty)
  }

  @Test("Importing a policy survives values of every JSON type in every setting", arguments: SettingName.allCases)
  func robust(name: SettingName) {
    let values: [JSONValue] = [
      nil, true, 0, -1, 1.5, 9_223_372_036_854_775_807, "", "x", "999999999999999999999", [], [nil], ["x"], [[]], [:],
      ["value": nil],
    ]
    for member in [name.rawValue] + (name.definition.sdk?.names ?? []) {
      for value in values { _ = PolicyImport(JSONObject([(member, value)]), source: "x") }
    }
  }
}
