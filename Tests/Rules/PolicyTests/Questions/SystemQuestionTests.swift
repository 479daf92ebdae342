import Testing

@testable import Model
@testable import Policy

/// What the system shows or takes of an account's data, as the documentation of the settings has it.
@Suite struct SystemQuestionTests {
  @Test(
    "Search and assistant need transfer to all apps; app sharing needs any level but none",
    arguments: [(nil, true, true), ("allApps", true, true), ("managedApps", false, true), ("none", false, false)])
  func sending(level: String?, toSystem: Bool, sharing: Bool) throws {
    let level = level.map { "\"\($0)\"" } ?? "null"
    let questions = try PolicyQuestions.of("{\"allowedOutboundDataTransferDestinations\": \(level)}")
    #expect(questions.isSpotlightIndexingAllowed.value == toSystem)
    #expect(questions.areSiriIntentsAllowed.value == toSystem)
    #expect(questions.areAppIntentsAllowed.value == toSystem)
    #expect(questions.isAppSharingAllowed.value == sharing)
  }

  @Test(
    "Screen capture needs transfer to all apps unless a setting of its own allows or blocks it",
    arguments: [
      ("null", "null", "", true), ("\"allApps\"", "null", "", true), ("\"managedApps\"", "null", "", false),
      ("\"none\"", "null", "", false), ("\"managedApps\"", "null", "Disabled", true),
      ("\"managedApps\"", "null", "Enabled", false), ("\"managedApps\"", "\"notBlocked\"", "", true),
      ("\"allApps\"", "\"blocked\"", "Disabled", false),
    ])
  func screenCapture(level: String, own: String, detached: String, isAllowed: Bool) throws {
    let questions = try PolicyQuestions.of(
      #"{"allowedOutboundDataTransferDestinations": \#(level), "screenCaptureConfigurationState": \#(own)}"#)
    let control = KeyValuePair(name: "com.microsoft.intune.mam.screencapturecontrol", value: detached)
    let appConfig = AppConfig(
      configurations: [ConfigurationDocument(id: "control", customSettings: detached.isEmpty ? [] : [control])],
      defaults: [], mdm: nil, tokens: AppConfigTests.tokens)
    #expect(questions.isScreenCaptureAllowed(appConfig).value == isAllowed)
    #expect(questions.properties(.notSet, appConfig: appConfig).isScreenCaptureAllowed == isAllowed)
  }

  @Test(
    "Screen capture control counts only from app configurations for managed apps that agree",
    arguments: [
      (["Disabled"], nil, nil, true), ([" disabled "], nil, "Enabled", true), ([], "Disabled", nil, true),
      ([], nil, "Disabled", false), (["Enabled"], nil, "Disabled", false), (["Enabled"], "Disabled", nil, false),
      (["Disabled", "Enabled"], nil, nil, false), (["Disabled", "Disabled"], nil, nil, true), ([""], nil, nil, false),
      ([], "Enabled", "Disabled", false),
    ] as [([String], String?, String?, Bool)])
  func channels(targeted: [String], fallback: String?, device: String?, isAllowed: Bool) throws {
    let name = SteeringKey.screenCaptureControl.rawValue
    let pair = { (value: String) in KeyValuePair(name: name, value: value) }
    // An id that is also the id of the device's configuration does not make it one.
    let configurations = targeted.enumerated().map { index, value in
      ConfigurationDocument(id: index == 0 ? "mdm" : "A_\(index)", customSettings: [pair(value)])
    }
    let defaults = fallback.map { [PolicyDocument(id: "D", kind: .default, customSettings: [pair($0)])] } ?? []
    let appConfig = AppConfig(
      configurations: configurations, defaults: defaults, mdm: device.map { [name: $0] }, tokens: AppConfigTests.tokens)
    let questions = try PolicyQuestions.of(#"{"allowedOutboundDataTransferDestinations": "managedApps"}"#)
    for config in [appConfig, try AppConfig(stored: appConfig.encoded)] {
      #expect(questions.isScreenCaptureAllowed(config).value == isAllowed)
    }
    #expect(appConfig.strings(name).count >= targeted.count)
  }

  @Test("An app configuration stored by an older version keeps its channel, device or managed apps")
  func formerChannel() throws {
    func stored(_ id: String) throws -> AppConfig {
      try AppConfig(
        stored: #"[{"policyId": "\#(id)", "isDefault": false, "entries": [{"name": "IntuneMAMUPN", "value": "a"}]}]"#)
    }
    #expect(try stored("mdm").namesManagedUser)
    #expect(try !stored("A_1").namesManagedUser)
  }

  @Test(
    "contactSyncBlocked blocks contacts and widgets, but allowWidgetContentSync allows widgets",
    arguments: [
      ("null", "null", true, true), ("false", "null", true, true), ("false", "false", true, true),
      ("false", "true", true, true), ("true", "null", false, false), ("true", "false", false, false),
      ("true", "true", false, true), ("null", "false", true, true),
    ])
  func contacts(isBlocked: String, allowsWidgets: String, contacts: Bool, widgets: Bool) throws {
    let questions = try PolicyQuestions.of(
      #"{"contactSyncBlocked": \#(isBlocked), "allowWidgetContentSync": \#(allowsWidgets)}"#)
    #expect(questions.isContactSyncAllowed.value == contacts)
    #expect(questions.isWidgetContentSyncAllowed.value == widgets)
  }

  @Test(
    "notificationRestriction shows a notification in full, with generic text, or not at all",
    arguments: [
      ("null", .allow, true), (#""allow""#, .allow, true), (#""blockOrganizationalData""#, .blockOrgData, true),
      (#""block""#, .block, false),
    ] as [(String, NotificationPolicy, Bool)])
  func notifications(restriction: String, policy: NotificationPolicy, isShown: Bool) throws {
    let questions = try PolicyQuestions.of("{\"notificationRestriction\": \(restriction)}")
    let shown = questions.redact(title: "Eve", body: "The figures", in: .english).value
    #expect(questions.notificationPolicy.value == policy)
    #expect(shown.isShown == isShown)
    #expect((shown.title == "Eve" && shown.body == "The figures") == (policy == .allow))
  }
}
