import JSON
import Testing

@testable import Model
@testable import Policy

/// Graph's windowsManagedAppProtection: how it is read, and what it decides.
@Suite struct WindowsPolicyTests {
  private static let alice: AccountReference = "alice@contoso.example"
  private static let boss: AccountReference = "boss@contoso.example"
  private static let closed =
    #""allowedOutboundDataTransferDestinations": "none", "allowedInboundDataTransferSources": "none""#

  private func questions(_ members: String) throws -> PolicyQuestions {
    let document = try PolicyDocument.of("policy", .windows, "{\(members)}")
    let policy = try #require(CompiledPolicy(merging: [document], platform: .windows))
    return PolicyQuestions(policy: policy, account: Self.alice)
  }

  @Test(
    "Words and numbers of a Windows policy are read as Windows defines them, where 1 means none",
    arguments: [
      (SettingName.allowedOutboundDataTransferDestinations, "0", "allApps", "allApps"),
      (.allowedOutboundDataTransferDestinations, "1", "none", "none"),
      (.allowedInboundDataTransferSources, #""None""#, "none", "none"),
      (.allowedOutboundClipboardSharingLevel, #""anyDestinationAnySource""#, "allApps", "anyDestinationAnySource"),
      (.allowedOutboundClipboardSharingLevel, "1", "blocked", "none"),
      (.allowedOutboundClipboardSharingLevel, "2", "managedAppsWithPasteIn", "orgDestinationAnySource"),
      (.allowedOutboundClipboardSharingLevel, #""orgDestinationOrgSource""#, "managedApps", "orgDestinationOrgSource"),
      (.mobileThreatDefenseRemediationAction, #""wipe""#, "wipe", "wipe"),
      (.allowedOutboundDataTransferDestinations, #""selectedApps""#, "selectedApps", "selectedApps"),
      (.allowedInboundDataTransferSources, "2", "selectedApps", "selectedApps"),
    ])
  func words(name: SettingName, written: String, common: String, shown: String) throws {
    let policy = try #require(try questions(#""\#(name.rawValue)": \#(written)"#).policy)
    #expect(policy.effective.settings[name]?.value == .word(common))
    #expect(policy.effective.written(name) == .string(shown))
    let report = PolicyQuestions(policy: policy, account: nil).report(of: .noUser, .notSet)
    #expect(report.settings[name.rawValue]?.value == .string(shown))
    #expect(report.settings[name.rawValue]?.sdkName == nil)
    #expect(report.settings[name.rawValue]?.sdkValue == .null)
  }

  @Test(
    "A Windows policy ignores settings and words of other policy types and warns about each",
    arguments: [
      (#""pinRequired": true"#, "pinRequired"),
      (#""appDataEncryptionType": "whenDeviceLocked""#, "appDataEncryptionType"),
      (#""allowedOutboundDataTransferDestinations": "managedApps""#, "allowedOutboundDataTransferDestinations"),
      (#""allowedOutboundClipboardSharingLevel": "blocked""#, "allowedOutboundClipboardSharingLevel"),
      (#""mobileThreatDefenseRemediationAction": "warn""#, "mobileThreatDefenseRemediationAction"),
      (#""minimumWarningSdkVersion": "1.0""#, "minimumWarningSdkVersion"), (#""PINEnabled": true"#, "PINEnabled"),
    ])
  func ignored(members: String, name: String) throws {
    let object = try #require(try JSONValue(parsing: "{\(members)}").objectValue)
    let imported = PolicyImport(object, source: "x.json", kind: .windows)
    #expect(imported.settings.isEmpty && imported.warnings.map(\.member) == [name])
  }

  @Test("A null value of a setting that Windows policies do not have causes no warning")
  func null() throws {
    let object = try #require(try JSONValue(parsing: #"{"pinRequired": null}"#).objectValue)
    #expect(PolicyImport(object, source: "x.json", kind: .windows).warnings.isEmpty)
  }

  @Test("A Windows policy reads back from the store unchanged")
  func stored() throws {
    let text = #"{\#(Self.closed), "allowedOutboundClipboardSharingLevel": "none", "printBlocked": true}"#
    let policy = try PolicyDocument.of("policy", .windows, text)
    #expect(try PolicyDocument(stored: policy.encoded) == policy)
  }

  @Test("Windows policies apply only on Windows, phone policies only on phones, test policies everywhere")
  func platforms() throws {
    let (ios, android) = (PolicyDocument(id: "1", kind: .ios), PolicyDocument(id: "2", kind: .android))
    let (windows, fallback) = (
      PolicyDocument(id: "3", kind: .windows), PolicyDocument(id: "4", kind: .default, source: "policies/default.json")
    )
    let all = [ios, android, windows, fallback]
    #expect(all.filter { $0.counts(on: .windows) } == [windows])
    #expect(all.filter { $0.counts(on: .ios) } == [ios, fallback])
    #expect(all.filter { $0.counts(on: .android) } == [android, fallback])
    let test = PolicyDocument(id: "debug", kind: .default)
    #expect(DevicePlatform.allCases.allSatisfy { test.counts(on: $0) })
  }

  @Test("An empty Windows policy restricts nothing and explains that the type lacks the setting")
  func lacking() throws {
    let questions = try questions("")
    #expect(questions.properties(.notSet) == .unmanaged)
    let encryption = questions.isFileEncryptionRequired
    #expect(encryption.value == false)
    #expect(encryption.rule == .typeLacksSetting)
    #expect(questions.notificationPolicy.rule == .typeLacksSetting)
    for action in EnforcedAction.allCases {
      #expect(questions.isActionAllowed(action, in: FixedAccounts.nobody).value, "\(action)")
    }
    let explanation = Explanation(
      "a PIN is not required", false, because: questions.isPINRequired(.notSet).reasons, about: nil,
      in: FixedAccounts(policies: [Self.alice: try #require(questions.policy)], effective: Self.alice))
    let texts = explanation.steps.map(\.text)
    #expect(texts.contains("Policies for Windows do not have the setting pinRequired."))
    #expect(texts.contains("This policy type has no such setting."))
  }

  @Test(
    "With outbound transfer none, a Windows account saves only to locations of its own",
    arguments: [
      (SaveLocation.oneDriveForBusiness, alice, true), (.sharePoint, alice, true), (.accountDocument, alice, true),
      (.localDrive, alice, true), (.oneDriveForBusiness, nil, false), (.sharePoint, boss, false),
      (.localDrive, nil, false), (.dropbox, alice, false), (.other, alice, false), (.cameraRoll, nil, false),
    ] as [(SaveLocation, AccountReference?, Bool)])
  func saving(location: SaveLocation, owner: AccountReference?, isAllowed: Bool) throws {
    let closed = try questions(Self.closed)
    let decision = closed.isSaveToAllowed(location, locationAccount: owner, in: FixedAccounts.nobody)
    #expect(decision.value == isAllowed)
    #expect(decision.setting == .allowedOutboundDataTransferDestinations)
    #expect(decision.rule == (isAllowed ? .withinOrganization : .outsideOrganization))
    let open = try questions(#""allowedOutboundDataTransferDestinations": "allApps""#)
    #expect(open.isSaveToAllowed(location, locationAccount: owner, in: FixedAccounts.nobody).value)
  }

  @Test(
    "With inbound transfer none, a Windows account opens only from locations of its own",
    arguments: [
      (OpenLocation.sharePoint, alice, true), (.localStorage, alice, true), (.box, alice, true),
      (.sharePoint, nil, false), (.camera, nil, false), (.photos, alice, false), (.other, alice, false),
    ] as [(OpenLocation, AccountReference?, Bool)])
  func opening(location: OpenLocation, owner: AccountReference?, isAllowed: Bool) throws {
    let closed = try questions(Self.closed)
    let decision = closed.isOpenFromAllowed(location, locationAccount: owner, in: FixedAccounts.nobody)
    #expect(decision.value == isAllowed)
    #expect(decision.setting == .allowedInboundDataTransferSources)
    #expect(try questions("").isOpenFromAllowed(location, locationAccount: owner, in: FixedAccounts.nobody).value)
  }

  @Test(
    "On Windows selectedApps acts like none, except for OneDrive for Business if it is listed",
    arguments: [
      ("none", #"["oneDriveForBusiness"]"#, false), ("selectedApps", "[]", false),
      ("selectedApps", #"["none"]"#, false),
      ("selectedApps", #"["oneDriveForBusiness"]"#, true),
    ])
  func selected(level: String, list: String, isAllowed: Bool) throws {
    let questions = try questions(
      #"""
      "allowedOutboundDataTransferDestinations": "\#(level)", "allowedInboundDataTransferSources": "\#(level)",
      "allowedOutboundDataTransferDestinationApps": \#(list), "allowedInboundDataTransferSourceApps": \#(list)
      """#)
    func save(_ location: SaveLocation, _ owner: AccountReference?) -> Bool {
      questions.isSaveToAllowed(location, locationAccount: owner, in: FixedAccounts.nobody).value
    }
    func open(_ location: OpenLocation, _ owner: AccountReference?) -> Bool {
      questions.isOpenFromAllowed(location, locationAccount: owner, in: FixedAccounts.nobody).value
    }
    #expect(save(.oneDriveForBusiness, nil) == isAllowed)
    #expect(open(.oneDriveForBusiness, nil) == isAllowed)
    #expect(save(.oneDriveForBusiness, Self.alice))
    #expect(open(.oneDriveForBusiness, Self.alice))
    #expect(!save(.oneDriveForBusiness, Self.boss))
    #expect(!open(.oneDriveForBusiness, Self.boss))
    #expect(!save(.dropbox, nil))
    #expect(!save(.sharePoint, nil))
    #expect(!open(.sharePoint, nil))
    #expect(!open(.other, nil))
    #expect(!questions.isSpotlightIndexingAllowed.value)
  }

  @Test("With outbound transfer none, a Windows account shares only with its own managed targets")
  func sharing() throws {
    let targets = [
      ShareTarget(id: "own", managed: true, account: Self.alice), ShareTarget(id: "unmanaged", managed: false),
      ShareTarget(id: "nobody's", managed: true), ShareTarget(id: "boss's", managed: true, account: Self.boss),
      ShareTarget(id: "own but unmanaged", managed: false, account: Self.alice),
    ]
    let questions = try questions(Self.closed)
    let choice = questions.shareTargets(targets, isMDM: false, in: FixedAccounts.nobody).value
    #expect(choice.targets.map(\.id) == ["own"])
    #expect(!choice.encrypts)
    #expect(questions.isAppSharingAllowed.value)
    #expect(!questions.isSpotlightIndexingAllowed.value)
    #expect(!questions.areAppIntentsAllowed.value)
    let open = try self.questions("").shareTargets(targets, isMDM: false, in: FixedAccounts.nobody).value
    #expect(open.targets.count == targets.count)
    #expect(!open.encrypts)
  }

  @Test("With inbound transfer none, a Windows account receives only its own data")
  func receiving() throws {
    let questions = try questions(Self.closed)
    let accounts = FixedAccounts(policies: [Self.boss: try #require(try self.questions("").policy)])
    #expect(questions.canReceive(from: Self.alice, in: accounts).value)
    for owner in [nil, "", Self.boss, "eve@home.example"] as [AccountReference?] {
      #expect(!questions.canReceive(from: owner, in: accounts).value)
    }
  }

  @Test("On Windows web links always open, and other URLs only if data may leave")
  func links() throws {
    let (closed, open) = (try questions(Self.closed), try questions(""))
    for (text, isAllowed) in [("https://x.example", true), ("http://x.example", true), ("skype:eve", false)] {
      let url = try #require(AbsoluteURL(text))
      #expect(closed.isURLAllowed(url, toManagedApp: false).value == isAllowed)
      #expect(open.isURLAllowed(url, toManagedApp: false).value)
    }
    #expect(DocumentPickerMode.allCases.allSatisfy { closed.isDocumentPickerAllowed($0).value })
  }

  @Test(
    "The Windows clipboard level decides copying and pasting",
    arguments: [
      ("anyDestinationAnySource", ClipboardForm.plain, true), ("orgDestinationAnySource", .protected, true),
      ("orgDestinationOrgSource", .protected, false), ("none", .protected, false),
    ])
  func clipboard(level: String, form: ClipboardForm, takesOthers: Bool) throws {
    let questions = try questions(#""allowedOutboundClipboardSharingLevel": "\#(level)""#)
    #expect(questions.copying(.text("figures")).value == form)
    #expect(questions.pasting(.text("figures"), of: nil, in: FixedAccounts.nobody).value == takesOthers)
  }

  @Test("On Windows printBlocked decides whether printing is allowed", arguments: [true, false])
  func printing(isBlocked: Bool) throws {
    let questions = try questions(#""printBlocked": \#(isBlocked)"#)
    #expect(questions.isActionAllowed(.print, in: FixedAccounts.nobody).value == !isBlocked)
  }

  @Test(
    "Windows versions compare by all four parts",
    arguments: [("10.0.22631.3154", LaunchOutcome.block), ("10.0.22631.3155", .passed), ("10.0.22631.10000", .passed)])
  func versions(osVersion: String, outcome: LaunchOutcome) throws {
    let findings = try LaunchRuleFixture.findings(
      #"{"minimumRequiredOsVersion": "10.0.22631.3155"}"#, ToldDevice(.windows) { $0.osVersion = osVersion },
      kind: .windows)
    #expect(findings.map(\.outcome) == [outcome])
  }

  @Test(
    "On Windows an offline period of zero blocks at once without a network and never wipes",
    arguments: [(true, LaunchOutcome.passed), (false, .block)])
  func offline(hasNetwork: Bool, outcome: LaunchOutcome) throws {
    let text = #"{"periodOfflineBeforeAccessCheck": "PT0S", "periodOfflineBeforeWipeIsEnforced": "PT0S"}"#
    let device = ToldDevice(.windows) { $0.networkAvailable = hasNetwork }
    let findings = try LaunchRuleFixture.findings(text, device, LaunchAccount(contactedAgo: 9999), kind: .windows)
    #expect(findings.map(\.outcome) == [.notApplicable, outcome])
  }

  @Test("Different offline periods of Windows policies merge to 720 minutes, the default of the portal")
  func merge() throws {
    let documents = try ["PT1H", "PT2H"].enumerated().map { index, period in
      try PolicyDocument.of("\(index)", .windows, #"{"periodOfflineBeforeAccessCheck": "\#(period)"}"#)
    }
    let policy = try #require(EffectivePolicy(merging: documents, platform: .windows))
    #expect(policy.value(of: .periodOfflineBeforeAccessCheck)?.durationValue?.milliseconds == 43_200_000)
  }
}
