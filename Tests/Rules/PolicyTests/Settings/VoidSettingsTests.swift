import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// Settings that another setting of the same policy makes void.
@Suite struct VoidSettingsTests {
  /// A policy, the settings of it that have no effect, and the setting that makes them void.
  struct Row: Sendable, CustomTestStringConvertible {
    let members: String
    let void: [SettingName]
    let cause: SettingName?
    var kind = PolicyKind.ios
    var testDescription: String { members }

    init(_ members: String, _ void: SettingName..., because cause: SettingName? = nil, kind: PolicyKind = .ios) {
      (self.members, self.void, self.cause, self.kind) = (members, void, cause, kind)
    }
  }

  private static let send = SettingName.allowedOutboundDataTransferDestinations
  private static let receive = SettingName.allowedInboundDataTransferSources

  static let rows = [
    Row(
      #""saveAsBlocked": true, "allowedOutboundDataTransferDestinations": "allApps""#, .saveAsBlocked, because: send),
    Row(#""saveAsBlocked": true, "allowedOutboundDataTransferDestinations": "managedApps""#),
    Row(#""saveAsBlocked": true"#),
    Row(#""saveAsBlocked": false, "allowedOutboundDataTransferDestinations": "allApps""#),
    Row(#""allowedDataStorageLocations": ["box"]"#, .allowedDataStorageLocations, because: .saveAsBlocked),
    Row(#""allowedDataStorageLocations": []"#),
    Row(
      #""allowedDataStorageLocations": ["box"], "allowedOutboundDataTransferDestinations": "none", "saveAsBlocked": true"#,
      .allowedDataStorageLocations, because: send),
    Row(#""allowedDataStorageLocations": ["box"], "saveAsBlocked": true"#),
    Row(
      #""allowedInboundDataTransferSources": "allApps", "blockDataIngestionIntoOrganizationDocuments": true"#,
      .blockDataIngestionIntoOrganizationDocuments, because: receive),
    Row(
      #""allowedDataIngestionLocations": ["camera"]"#, .allowedDataIngestionLocations,
      because: .blockDataIngestionIntoOrganizationDocuments),
    Row(#""allowedDataIngestionLocations": ["camera"], "blockDataIngestionIntoOrganizationDocuments": false"#),
    Row(
      #"""
      "allowedDataStorageLocations": ["box"], "saveAsBlocked": false, "allowedOutboundDataTransferDestinations": "allApps"
      """#),
    Row(
      #""allowedOutboundClipboardSharingExceptionLength": 5"#, .allowedOutboundClipboardSharingExceptionLength,
      because: .allowedOutboundClipboardSharingLevel),
    Row(
      #""allowedOutboundClipboardSharingExceptionLength": 5, "allowedOutboundClipboardSharingLevel": "blocked""#),
    Row(#""customBrowserProtocol": "fox""#, .customBrowserProtocol, because: .managedBrowserToOpenLinksRequired),
    Row(#""customBrowserProtocol": "fox", "managedBrowserToOpenLinksRequired": true"#),
    Row(
      #""customDialerAppProtocol": "fox", "dialerRestrictionLevel": "blocked""#, .customDialerAppProtocol,
      because: .dialerRestrictionLevel),
    Row(
      #""messagingRedirectAppUrlScheme": "fox""#, .messagingRedirectAppUrlScheme,
      because: .protectedMessagingRedirectAppType),
    Row(
      #"""
      "exemptedAppProtocols": [{"name": "Default", "value": "fox"}], "allowedOutboundDataTransferDestinations": "allApps"
      """#, .exemptedAppProtocols, because: send),
    Row(
      #"""
      "exemptedAppProtocols": [{"name": "Default", "value": "tel;fox"}],
      "allowedOutboundDataTransferDestinations": "allApps"
      """#),
    Row(
      #"""
      "exemptedAppProtocols": [{"name": "Default", "value": "skype;app-settings;"}],
      "allowedOutboundDataTransferDestinations": "allApps"
      """#),
    Row(#""allowWidgetContentSync": true"#, .allowWidgetContentSync, because: .contactSyncBlocked),
    Row(#""filterOpenInToOnlyManagedApps": true"#, .filterOpenInToOnlyManagedApps, because: send),
    Row(
      #""protectInboundDataFromUnknownSources": true, "allowedInboundDataTransferSources": "none""#,
      .protectInboundDataFromUnknownSources, because: receive),
    Row(#""minimumPinLength": 6"#, .minimumPinLength, because: .pinRequired),
    Row(#""minimumPinLength": 6, "pinRequired": false"#, .minimumPinLength, because: .pinRequired),
    Row(#""minimumPinLength": 4, "maximumPinRetries": 5, "pinCharacterSet": "numeric""#),
    Row(#""minimumPinLength": 6, "pinRequired": true"#),
    Row(
      #""pinRequired": true, "maximumPinRetries": 0, "appActionIfMaximumPinRetriesExceeded": "wipe""#,
      .appActionIfMaximumPinRetriesExceeded, because: .maximumPinRetries),
    Row(
      #""pinRequired": true, "biometricAuthenticationBlocked": true, "requireClass3Biometrics": true"#,
      .requireClass3Biometrics, because: .biometricAuthenticationBlocked, kind: .android),
    Row(
      #""appActionIfDeviceComplianceRequired": "wipe""#, .appActionIfDeviceComplianceRequired,
      because: .deviceComplianceRequired),
    Row(#""appActionIfDeviceComplianceRequired": "block""#),
    Row(
      #""appActionIfIosDeviceModelNotAllowed": "wipe", "allowedIosDeviceModels": """#,
      .appActionIfIosDeviceModelNotAllowed, because: .allowedIosDeviceModels),
    Row(
      #""mobileThreatDefenseRemediationAction": "wipe", "maximumAllowedDeviceThreatLevel": "notConfigured""#,
      .mobileThreatDefenseRemediationAction, because: .maximumAllowedDeviceThreatLevel),
    Row(
      #""gracePeriodToBlockAppsDuringOffClockHours": "PT5M""#, .gracePeriodToBlockAppsDuringOffClockHours,
      because: .appActionIfAccountIsClockedOut),
    Row(
      #""approvedKeyboards": [{"name": "a", "value": "b"}]"#, .approvedKeyboards, because: .keyboardsRestricted,
      kind: .android),
    Row(
      #""appActionIfDeviceLockNotSet": "wipe""#, .appActionIfDeviceLockNotSet, because: .deviceLockRequired,
      kind: .android),
    Row(
      #"""
      "allowedOutboundDataTransferDestinations": "none",
      "allowedOutboundDataTransferDestinationApps": ["oneDriveForBusiness"]
      """#, .allowedOutboundDataTransferDestinationApps, because: send, kind: .windows),
    Row(
      #""biometricAuthenticationBlocked": true, "pinRequired": true, "pinRequiredInsteadOfBiometricTimeout": "PT5M""#,
      kind: .default),
    Row(
      #""biometricAuthenticationBlocked": true, "pinRequired": true, "pinRequiredInsteadOfBiometricTimeout": "PT12H""#,
      kind: .android),
  ]

  @Test("voidSettings lists settings without effect, each with the setting that makes it void", arguments: rows)
  func found(_ row: Row) throws {
    let found = try PolicyDocument.of("x", row.kind, "{\(row.members)}").voidSettings
    #expect(found.map(\.name) == row.void)
    #expect(found.allSatisfy { $0.cause == row.cause && $0.reason.hasPrefix($0.cause.rawValue) })
  }

  @Test(
    "Of Microsoft's sample policies, only ios-minimal has a void setting, saveAsBlocked",
    .enabled(if: SharedFolder.isPresent, "samples are missing"),
    arguments: [
      "ios-level1", "ios-level2", "ios-level3", "ios-minimal", "android-level1", "android-level2", "android-level3",
    ])
  func samples(name: String) throws {
    let void = try PolicyDocument.sample(name).voidSettings.map(\.name)
    #expect(void == (name == "ios-minimal" ? [.saveAsBlocked] : []))
  }

  @Test("A void setting changes no answer, whatever its value", arguments: rows.filter { !$0.void.isEmpty })
  func noEffect(_ row: Row) throws {
    let platform = try #require(DevicePlatform.allCases.first { $0.policyKind == row.kind })
    let document = try PolicyDocument.of("x", row.kind, "{\(row.members)}")
    var without = document
    for name in row.void { without.settings[name] = nil }
    let answers = try [document, without].map { document in
      PolicyAnswers(try #require(CompiledPolicy(merging: [document], platform: platform))).texts
    }
    let isOfPIN = row.cause == .pinRequired || row.cause == .biometricAuthenticationBlocked
    if !isOfPIN { #expect(answers[0] == answers[1]) }
  }

  @Test("An explanation names only the void settings that concern its question")
  func explanation() throws {
    let alice: AccountReference = "alice@contoso.example"
    let questions = try PolicyQuestions.of(
      #"""
      {"saveAsBlocked": true, "allowedOutboundDataTransferDestinations": "allApps", "minimumPinLength": 6,
       "customBrowserProtocol": "fox"}
      """#, account: alice)
    let accounts = FixedAccounts(policies: [alice: try #require(questions.policy)], effective: alice)
    func texts(_ reasons: [Reason]) -> [String] {
      Explanation("yes", true, because: reasons, about: EffectiveIdentity(alice, .process), in: accounts).steps.map(
        \.text
      )
      .filter { $0.contains("no effect") }
    }
    let saving = texts(questions.isSaveToAllowed(.dropbox, locationAccount: nil, in: accounts).reasons)
    #expect(saving.count == 1 && saving[0].contains("saveAsBlocked to true, which has no effect, because"))
    #expect(saving[0].hasSuffix("allowedOutboundDataTransferDestinations is allApps."))
    #expect(texts(questions.isActionAllowed(.saveAs, in: accounts).reasons) == saving)
    #expect(texts(questions.saveToLocations(locationAccount: nil, in: accounts).reasons).count == 1)
    let link = texts(
      questions.isURLAllowed(try #require(AbsoluteURL("https://x.example")), toManagedApp: false).reasons)
    #expect(link.count == 1 && link[0].contains("customBrowserProtocol"))
    #expect(
      texts(questions.isPINRequired(.notSet).reasons).map { $0.contains("minimumPinLength") } == [true])
    #expect(texts(questions.isActionAllowed(.print, in: accounts).reasons).isEmpty)
  }
}
