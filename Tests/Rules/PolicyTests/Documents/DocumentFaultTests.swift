import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

@Suite("Objects refused as policies or configurations") struct DocumentFaultTests {
  /// Why an object is no policy; `nil` if it is one.
  private func fault(_ members: String, _ kind: PolicyKind = .ios) throws -> String? {
    try fault(#require(try JSONValue(parsing: "{\(members)}").objectValue), kind)
  }

  private func fault(_ object: JSONObject, _ kind: PolicyKind = .ios) -> String? {
    var warnings: [PolicyWarning] = []
    do throws(DocumentFault) {
      _ = try PolicyDocument(graph: object, kind: kind, source: "x", fallbackID: "x", warnings: &warnings)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(
    "An object without a setting of its policy type is refused as a policy",
    arguments: [
      ("", .ios), (#""id": "T_1""#, .ios),
      (
        #""displayName": "n", "description": "d", "createdDateTime": "2026-01-01T00:00:00Z", "lastModifiedDateTime": "x""#,
        .android
      ),
      (#""version": "1", "isAssigned": true, "deployedAppCount": 3, "roleScopeTagIds": ["0"]"#, .ios),
      (#""apps": [], "assignments": [], "appGroupType": "allApps", "targetedAppManagementLevels": "mdm""#, .android),
      (#""pinRequired": null, "saveAsBlocked": null"#, .ios), (#""customBrowserProtocol": """#, .ios),
      (#""encryptAppData": true, "screenCaptureBlocked": true"#, .ios), (#""faceIdBlocked": true"#, .android),
      (#""pinRequired": true"#, .windows), (#""PINEnabled": true"#, .windows),
      (#""customSettings": []"#, .ios), (#""futureSetting": true"#, .ios),
      (##""@odata.etag": "x", "#microsoft.graph.assign": {}, "apps@odata.context": "x""##, .default),
    ] as [(String, PolicyKind)])
  func nothing(members: String, kind: PolicyKind) throws {
    let fault = try #require(try fault(members, kind))
    #expect(fault.hasPrefix("the object says nothing: it has no setting of \(kind.rawValue)ManagedAppProtection"))
  }

  @Test(
    "A policy needs only one setting of its type, whatever its value",
    arguments: [
      (#""pinRequired": false"#, .ios), (#""minimumRequiredOsVersion": "0.0""#, .android),
      (#""allowedAndroidDeviceModels": []"#, .android), (#""managedBrowser": "notConfigured""#, .ios),
      (#""printBlocked": false, "pinRequired": "maybe""#, .windows), (#""PINEnabled": 1"#, .ios),
      (#""customSettings": []"#, .default), (#""ThirdPartyKeyboardsBlocked": true"#, .ios),
      (#""allowedDataStorageLocations": ["attic"]"#, .ios),
    ] as [(String, PolicyKind)])
  func something(members: String, kind: PolicyKind) throws { #expect(try fault(members, kind) == nil) }

  @Test(
    "A setting name in the wrong case is refused, and the error suggests the right spelling",
    arguments: [
      ("SaveAsBlocked", "saveAsBlocked"), ("PinRequired", "pinRequired"), ("PINREQUIRED", "pinRequired"),
      ("pinrequired", "pinRequired"), ("Assignments", "assignments"), ("APPS", "apps"),
      ("AllowedOutboundDataTransferDestinations", "allowedOutboundDataTransferDestinations"),
    ])
  func spelling(name: String, right: String) throws {
    let expected = "\(name): is not known; did you mean \(right)?"
    #expect(try fault("\"\(name)\": true") == expected)
    #expect(try fault("\"printBlocked\": true, \"\(name)\": []") == expected)
    #expect(try fault("\"printBlocked\": true, \"\(name)\": null") == nil)
  }

  @Test("A misspelled member that only informs or is for another platform does not fail a policy")
  func harmlessSpelling() throws {
    #expect(try fault(#""printBlocked": true, "DisplayName": "x", "EncryptAppData": true"#) == nil)
  }

  @Test("A policy whose only setting is misspelled is refused, and the error suggests the nearest name")
  func typingError() throws {
    #expect(
      try fault(#""saveAsBloked": true"#)?.hasSuffix("; saveAsBloked is not known, did you mean saveAsBlocked?") == true
    )
  }

  @Test(
    "Microsoft's sample policies are read, but refused if PowerShell capitalized the member names",
    .enabled(if: SharedFolder.isPresent, "the samples are missing"),
    arguments: [
      "ios-level1", "ios-level2", "ios-level3", "android-level1", "android-level2", "android-level3", "ios-minimal",
    ])
  func samples(name: String) throws {
    let text = try #require(SharedFolder.text("samples/\(name).json"))
    let object = try #require(try JSONValue(parsing: text).objectValue)
    let kind = try #require(PolicyKind(rawValue: String(name.prefix { $0 != "-" })))
    #expect(fault(object, kind) == nil)
    let spelled = object.members.map { ($0.name.prefix(1).uppercased() + $0.name.dropFirst(), $0.value) }
    #expect(fault(JSONObject(spelled), kind)?.contains("did you mean") == true)
  }

  @Test(
    "A policy is refused if a setting with an effect has the wrong type or an unknown word",
    arguments: [
      #""pinRequired": "maybe""#, #""pinRequired": 2"#, #""pinRequired": {}"#, #""pinRequired": [true]"#,
      #""pinRequired": """#, #""minimumPinLength": "long""#, #""minimumPinLength": -1"#, #""minimumPinLength": 4.5"#,
      #""minimumPinLength": """#, #""maximumPinRetries": 70000"#, #""periodOfflineBeforeAccessCheck": "12 hours""#,
      #""periodOfflineBeforeAccessCheck": 720"#, #""periodOfflineBeforeWipeIsEnforced": """#,
      #""allowedOutboundDataTransferDestinations": "someApps""#, #""allowedOutboundDataTransferDestinations": 7"#,
      #""allowedOutboundDataTransferDestinations": """#, #""allowedOutboundDataTransferDestinations": ["none"]"#,
      #""appActionIfUnableToAuthenticateUser": "explode""#, #""allowedDataStorageLocations": true"#,
      #""allowedDataStorageLocations": [{}]"#, #""allowedDataStorageLocations": ["box", null]"#,
      #""minimumRequiredOsVersion": "latest""#, #""minimumRequiredOsVersion": 14"#,
      #""exemptedAppProtocols": ["skype"]"#, #""exemptedAppProtocols": {"name": "Default", "value": "x"}"#,
      #""managedUniversalLinks": "x""#, #""customBrowserProtocol": 5"#, #""PINEnabled": "maybe""#,
      #""AppSharingToLevel": 9"#,
    ])
  func wrongType(members: String) throws {
    let fault = try #require(try fault(#""printBlocked": true, "# + members))
    let name = members.prefix { $0 != ":" }.dropFirst().dropLast()
    #expect(fault.hasPrefix("\(name): must "), "\(fault)")
  }

  @Test(
    "A policy is refused if Graph's and the SDK's name of one setting contradict each other",
    arguments: [
      (
        #""saveAsBlocked": false, "FileSharingSaveAsDisabled": true"#,
        "FileSharingSaveAsDisabled: contradicts saveAsBlocked"
      ),
      (#""pinRequired": true, "PINEnabled": false"#, "PINEnabled: contradicts pinRequired"),
      (#""pinRequired": true, "PINEnabled": true"#, nil), (#""pinRequired": null, "PINEnabled": true"#, nil),
    ] as [(String, String?)])
  func contradiction(members: String, text: String?) throws {
    let fault = try fault(members)
    #expect(text.map { fault?.hasPrefix($0) == true } ?? (fault == nil), "\(fault ?? "")")
  }

  @Test("If a filter cannot be evaluated, a Windows policy keeps an offline limit of zero but never wipes")
  func windowsOffline() throws {
    let policy = try PolicyDocument.of(
      "x", .windows,
      #"{"periodOfflineBeforeAccessCheck": "PT0S", "periodOfflineBeforeWipeIsEnforced": "P90D"}"#)
    let settings = policy.blockingInsteadOfWiping.settings
    #expect(settings[.periodOfflineBeforeAccessCheck] == .duration(ISODuration(seconds: 0)))
    #expect(settings[.periodOfflineBeforeWipeIsEnforced] == nil)
  }

  @Test(
    "A policy is refused if its assignments, apps or other targeting are malformed",
    arguments: [
      (#""assignments": "everyone""#, "assignments: must be a list"),
      (#""assignments": {}"#, "assignments: must be a list"),
      (#""assignments": ["staff"]"#, "has no target"), (#""assignments": [{"groupId": "staff"}]"#, "has no target"),
      (#""assignments": [{"target": {"groupId": "staff"}}]"#, "has no target with an @odata.type"),
      (
        ##""assignments": [{"target": {"@odata.type": "#microsoft.graph.groupAssignmentTarget"}}]"##, "has no groupId"
      ),
      (
        ##""assignments": [{"target": {"@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "groupId": 5}}]"##,
        "has no groupId"
      ),
      (#""apps": "all""#, "apps: must be a list"), (#""apps": ["com.example.host"]"#, "has no mobileAppIdentifier"),
      (#""apps": [{"id": "com.example.host"}]"#, "has no mobileAppIdentifier"),
      (#""appGroupType": "someApps""#, "appGroupType: must be one of"),
      (#""targetedAppManagementLevels": {}"#, "targetedAppManagementLevels: must be"),
      (#""targetedAppManagementLevels": "mdm,unmanagedDevices""#, "targetedAppManagementLevels: must contain only"),
      (#""targetedAppManagementLevels": ["mdm", "x"]"#, "targetedAppManagementLevels: must contain only"),
      (#""apps": [{"mobileAppIdentifier": {"bundleId": 5}}]"#, "does not name an app; one of bundleId"),
      (#""apps": [{"mobileAppIdentifier": {"BundleId": "com.x"}}]"#, "does not name an app"),
      (#""apps": [{"mobileAppIdentifier": {"bundleId": ""}}]"#, "does not name an app"),
      (
        #""apps": [{"mobileAppIdentifier": {"bundleId": "com.x"}}, {"mobileAppIdentifier": {}}]"#,
        "does not name an app"
      ),
    ])
  func targeting(members: String, text: String) throws {
    let fault = try #require(try fault(#""printBlocked": true, "# + members))
    #expect(fault.contains(text), "\(fault)")
  }

  @Test(
    "A configuration needs a list of customSettings or settings, and well-formed assignments",
    arguments: [
      (#""customSettings": []"#, nil), (#""settings": []"#, nil),
      (#""customSettings": [{"name": "a", "value": "b"}], "pinRequired": "maybe""#, nil),
      (#""id": "A_1", "customSettings": null"#, "it has no customSettings"),
      (#""pinRequired": true"#, "it has no customSettings"), (#""CustomSettings": []"#, "did you mean customSettings?"),
      (#""customSettings": {"a": "b"}"#, "customSettings: must be a list"),
      (#""customSettings": ["a"]"#, "customSettings: must be a list"),
      (#""customSettings": [], "Assignments": []"#, "did you mean assignments?"),
      (#""customSettings": [], "assignments": 5"#, "assignments: must be a list"),
    ])
  func configuration(members: String, text: String?) throws {
    let object = try #require(try JSONValue(parsing: "{\(members)}").objectValue)
    var warnings: [PolicyWarning] = []
    do throws(DocumentFault) {
      _ = try ConfigurationDocument(graph: object, source: "x", fallbackID: "x", warnings: &warnings)
      #expect(text == nil)
    } catch {
      #expect(text.map(error.reason.contains) == true, "\(error.reason)")
    }
  }

  @Test(
    "A policy dumped from a device may have values of other types, but needs one readable setting",
    arguments: [
      (#""PINEnabled": "1""#, true), (#""pinenabled": 0, "AppSharingToLevel": "1", "Unheard": {}"#, true),
      (#""transferSharingLevel": "BLOCKED", "policyTemplateVersion": "1.10""#, true), ("", false),
      (#""IntuneIdentityUPN": "a@b.c""#, false), (#""Unheard": true"#, false), (#""PINEnabled": null"#, false),
      (#""PINEnabled": "maybe""#, false), (#""AppSharingToLevel": {}"#, false),
    ])
  func device(members: String, isRead: Bool) throws {
    let object = try #require(try JSONValue(parsing: "{\"IntuneMAMPolicies\": {\(members)}}").objectValue)
    var warnings: [PolicyWarning] = []
    let document = try? PolicyDocument(device: object, source: "x", fallbackID: "x", warnings: &warnings)
    #expect((document != nil) == isRead)
  }

  @Test(
    "A non-empty value of a setting with an effect is kept, or the policy is refused", arguments: SettingName.allCases)
  func neverDropped(name: SettingName) {
    let definition = name.definition
    let values: [JSONValue] = [true, 0, -1, 1.5, "", "x", [], [nil], ["x"], [[]], [:], [true], ["value": nil]]
    for kind in definition.kinds where definition.role.decides {
      for value in values {
        var warnings: [PolicyWarning] = []
        let object = JSONObject([("printBlocked", true), (name.rawValue, value)])
        guard
          let document = try? PolicyDocument(
            graph: object, kind: kind, source: "x", fallbackID: "x", warnings: &warnings)
        else { continue }
        let isEmpty = value == "" || value == [] || value == 0 || value == "0"
        #expect(document.settings[name] != nil || isEmpty, "\(kind) \(name.rawValue) \(value.jsonText)")
      }
    }
  }
}
