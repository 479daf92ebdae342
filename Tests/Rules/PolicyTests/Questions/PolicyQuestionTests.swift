import JSON
import Testing

@testable import Model
@testable import Policy

@Suite struct PolicyQuestionTests {
  @Test("An account without a policy has no restrictions")
  func unmanaged() {
    let questions = PolicyQuestions(policy: nil, account: "bob@contoso.example")
    #expect(questions.properties(.notSet) == .unmanaged)
    #expect(questions.isFileEncryptionRequired.rule == .unmanaged)
    for location in SaveLocation.allCases {
      #expect(questions.isSaveToAllowed(location, locationAccount: nil, in: FixedAccounts.nobody).value)
    }
  }

  @Test("An empty policy restricts nothing")
  func empty() throws {
    #expect(try PolicyQuestions.of("{}").properties(.notSet) == .unmanaged)
  }

  @Test(
    "Settings of a policy decide its properties, such as isPINRequired",
    arguments: [
      (#"{"pinRequired": true}"#, \.isPINRequired, true),
      (#"{"pinRequired": true, "disableAppPinIfDevicePinIsSet": true}"#, \.isPINRequired, false),
      (#"{"disableAppPinIfDevicePinIsSet": true}"#, \.isPINRequired, false),
      (#"{"contactSyncBlocked": true}"#, \.isContactSyncAllowed, false),
      (#"{"contactSyncBlocked": true}"#, \.isWidgetContentSyncAllowed, false),
      (#"{"contactSyncBlocked": true, "allowWidgetContentSync": true}"#, \.isWidgetContentSyncAllowed, true),
      (#"{"contactSyncBlocked": true, "allowWidgetContentSync": true}"#, \.isContactSyncAllowed, false),
      (#"{"allowWidgetContentSync": false}"#, \.isWidgetContentSyncAllowed, true),
      (#"{"allowedOutboundDataTransferDestinations": "managedApps"}"#, \.isSpotlightIndexingAllowed, false),
      (#"{"allowedOutboundDataTransferDestinations": "managedApps"}"#, \.areSiriIntentsAllowed, false),
      (#"{"allowedOutboundDataTransferDestinations": "managedApps"}"#, \.isAppSharingAllowed, true),
      (#"{"allowedOutboundDataTransferDestinations": "none"}"#, \.isAppSharingAllowed, false),
      (#"{"AppSharingToLevel": 2}"#, \.isSpotlightIndexingAllowed, true),
      (#"{"managedBrowserToOpenLinksRequired": true}"#, \.isManagedBrowserRequired, true),
      (
        #"{"managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": "x"}"#, \.isManagedBrowserRequired, false
      ),
      (#"{"managedBrowserToOpenLinksRequired": true, "customBrowserProtocol": ""}"#, \.isManagedBrowserRequired, true),
      (#"{"appDataEncryptionType": "useDeviceSettings"}"#, \.isFileEncryptionRequired, false),
      (#"{"appDataEncryptionType": "afterDeviceRestart"}"#, \.isFileEncryptionRequired, true),
      (#"{"encryptAppData": true}"#, \.isFileEncryptionRequired, false),
      (#"{"encryptAppData": true, "AppSharingToLevel": 1}"#, \.shouldFileProviderEncryptFiles, false),
      (
        #"{"appDataEncryptionType": "whenDeviceLocked", "AppSharingToLevel": 2}"#, \.shouldFileProviderEncryptFiles,
        false
      ),
    ] as [(String, any KeyPath<PolicyProperties, Bool> & Sendable, Bool)])
  func decides(text: String, property: any KeyPath<PolicyProperties, Bool> & Sendable, expected: Bool) throws {
    let properties = try PolicyQuestions.of(text).properties(.setOnManagedDevice)
    #expect(properties[keyPath: property] == expected)
  }

  @Test(
    "The device PIN replaces the app PIN only on a managed device and if the policy allows it",
    arguments: [
      (DevicePIN.notSet, true, true, PolicyRule.settingDecides), (.setByUser, true, true, .deviceNotManaged),
      (.setOnManagedDevice, true, false, .devicePINReplacesIt), (.notSet, false, true, .settingDecides),
      (.setByUser, false, true, .settingDecides), (.setOnManagedDevice, false, true, .settingDecides),
    ])
  func devicePIN(_ pin: DevicePIN, isDropped: Bool, isRequired: Bool, rule: PolicyRule) throws {
    for kind in [PolicyKind.ios, .android] {
      let document = try PolicyDocument.of(
        "x", kind, #"{"pinRequired": true, "disableAppPinIfDevicePinIsSet": \#(isDropped)}"#)
      let policy = CompiledPolicy(merging: [document], platform: kind == .ios ? .ios : .android)
      let decision = PolicyQuestions(policy: policy, account: nil).isPINRequired(pin)
      #expect(decision.value == isRequired)
      #expect(decision.rule == rule)
    }
  }

  @Test("The state of the device PIN depends on whether it is set and whether the device is managed")
  func devicePINs() {
    #expect(DevicePIN(isSet: false, isDeviceManaged: true) == .notSet)
    #expect(DevicePIN(isSet: true, isDeviceManaged: false) == .setByUser)
    #expect(DevicePIN(isSet: true, isDeviceManaged: true) == .setOnManagedDevice)
  }

  @Test(
    "notificationRestriction decides the notification policy",
    arguments: [
      ("allow", .allow), ("blockOrganizationalData", .blockOrgData), ("block", .block),
    ] as [(String, NotificationPolicy)])
  func notifications(word: String, expected: NotificationPolicy) throws {
    #expect(try PolicyQuestions.of("{\"notificationRestriction\": \"\(word)\"}").notificationPolicy.value == expected)
  }

  @Test("The policy report shows each setting by its Graph and SDK name and value, with its policy")
  func report() throws {
    let questions = try PolicyQuestions.of(
      """
      {"allowedOutboundDataTransferDestinations": "managedApps", "simplePinBlocked": true, "minimumPinLength": 4,
       "allowedDataStorageLocations": ["box", "photoLibrary"], "periodOfflineBeforeWipeIsEnforced": "P90D",
       "periodOnlineBeforeAccessCheck": "PT30M", "managedBrowser": "microsoftEdge", "allowedIosDeviceModels": "a;b",
       "appActionIfIosDeviceModelNotAllowed": "wipe", "displayName": "One", "id": "T_1"}
      """)
    let account = Account(accountId: nil, identity: "alice@contoso.example")
    let report = questions.report(of: account, .notSet)
    #expect(report.managed)
    #expect(report.policies == [AppliedPolicy(id: "T_1", displayName: "One")])
    func shown(_ name: String) -> [JSONValue?] {
      let setting = report.settings[name]
      return [setting?.value, setting?.sdkName.map(JSONValue.string), setting?.sdkValue]
    }
    #expect(shown("allowedOutboundDataTransferDestinations") == ["managedApps", "AppSharingToLevel", 1])
    #expect(shown("simplePinBlocked") == [true, "SimplePINAllowed", false])
    #expect(shown("minimumPinLength") == [4, "PINMinLength", 4])
    #expect(shown("allowedDataStorageLocations") == [["box", "photoLibrary"], "ManagedLocations", 132])
    #expect(shown("periodOfflineBeforeWipeIsEnforced") == ["P90D", "OfflineWipeInterval", 90])
    #expect(shown("periodOnlineBeforeAccessCheck") == ["PT30M", "AccessRecheckOnlineTimeout", 30])
    #expect(shown("managedBrowser") == ["microsoftEdge", nil, .some(.null)])
    #expect(shown("allowedIosDeviceModels") == ["a;b", "AllowedIOSModelsElseWipe", "a;b"])
    #expect(report.settings.values.allSatisfy { $0.policyId == "T_1" })
    #expect(try PolicyReport.decode(JSONDocument(parsing: report.jsonText).root) == report)
  }

  @Test("Every policy rule has its own explanation")
  func rulesHaveTexts() {
    #expect(Set(PolicyRule.allCases.map(\.text)).count == PolicyRule.allCases.count)
  }
}
