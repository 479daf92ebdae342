import Testing

@testable import Model
@testable import Policy

/// The lock-down policy against every question and action.
@Suite struct LockDownTests {
  private static let alice: AccountReference = "alice@contoso.example"
  private static let bob: AccountReference = "bob@fabrikam.example"
  private static let eve: AccountReference = "eve@home.example"

  /// Policies that allow everything, leave everything open, and block everything.
  private static let policies = [
    #"{"allowedOutboundDataTransferDestinations": "allApps", "allowedInboundDataTransferSources": "allApps"}"#,
    "{}",
    #"{"allowedOutboundDataTransferDestinations": "none", "allowedInboundDataTransferSources": "none"}"#,
    #"{"allowedOutboundClipboardSharingLevel": "allApps", "saveAsBlocked": false, "printBlocked": false}"#,
  ]

  private func accounts(_ policy: String) throws -> FixedAccounts {
    FixedAccounts(policies: [Self.alice: try #require(PolicyQuestions.of(policy).policy)])
  }

  private func locked(_ policy: String) throws -> (PolicyQuestions, FixedAccounts) {
    let accounts = try accounts(policy)
    return (PolicyQuestions(of: SharedView([Self.alice, Self.eve]), in: accounts), accounts)
  }

  @Test("A locked-down view has the same properties whatever the policy allows", arguments: policies)
  func properties(policy: String) throws {
    let (questions, _) = try locked(policy)
    let properties = questions.properties(.notSet)
    var expected = PolicyProperties.unmanaged
    expected.isManagedBrowserRequired = true
    expected.isFileEncryptionRequired = true
    expected.shouldFileProviderEncryptFiles = true
    expected.notificationPolicy = .block
    expected.isContactSyncAllowed = false
    expected.isWidgetContentSyncAllowed = false
    expected.isSpotlightIndexingAllowed = false
    expected.areSiriIntentsAllowed = false
    expected.areAppIntentsAllowed = false
    expected.isAppSharingAllowed = false
    expected.isScreenCaptureAllowed = false
    #expect(properties == expected)
    #expect(questions.isContactSyncAllowed.rule == .lockDown)
    #expect(questions.isContactSyncAllowed.setting == nil)
  }

  @Test(
    "A locked-down view allows no save, open, receive or paste, whoever owns the location or content",
    arguments: policies)
  func locations(policy: String) throws {
    let (questions, accounts) = try locked(policy)
    for owner in [nil, "", Self.alice, Self.bob, Self.eve] as [AccountReference?] {
      for location in SaveLocation.allCases {
        #expect(!questions.isSaveToAllowed(location, locationAccount: owner, in: accounts).value)
        #expect(!questions.saveToLocations(locationAccount: owner, in: accounts).value[location])
      }
      for location in OpenLocation.allCases {
        #expect(!questions.isOpenFromAllowed(location, locationAccount: owner, in: accounts).value)
        #expect(!questions.openFromLocations(locationAccount: owner, in: accounts).value[location])
      }
      #expect(!questions.canReceive(from: owner, in: accounts).value)
      for content in [ClipboardContent.text(""), .text("x"), .data([1])] {
        #expect(!questions.pasting(content, of: owner, isOfThisApp: true, in: accounts).value)
      }
    }
  }

  @Test(
    "A locked-down view blocks every action, copy, share and notification because of the lockdown", arguments: policies)
  func actions(policy: String) throws {
    let (questions, accounts) = try locked(policy)
    for action in EnforcedAction.allCases {
      let decision = questions.isActionAllowed(action, keyboard: "com.example.keyboard", in: accounts)
      #expect(!decision.value)
      #expect(decision.rule == .lockDown)
    }
    for content in [ClipboardContent.text(""), .text("x"), .data([1])] {
      #expect(questions.copying(content).value == .blocked)
    }
    let targets = [
      ShareTarget(id: "a", managed: true), ShareTarget(id: "b", managed: false),
      ShareTarget(id: "c", managed: true, account: Self.alice),
    ]
    let choice = questions.shareTargets(targets, isMDM: true, in: accounts)
    #expect(choice.value.targets.isEmpty)
    #expect(choice.value.encrypts)
    #expect(choice.reasons.allSatisfy { $0.rule == .lockDown })
    let notification = questions.redact(title: "Eve", body: "The figures", in: .english).value
    #expect(notification == ShownNotification(isShown: false, title: "", body: ""))
    #expect(questions.hasSaveRestriction.value)
    #expect(questions.hasSaveRestriction.rule == .lockDown)
    #expect(questions.hasOpenRestriction.value)
    #expect(questions.hasOpenRestriction.rule == .lockDown)
    #expect(!questions.isUploadToUnmanagedAllowed.value)
    #expect(!questions.isPasteToUnmanagedAllowed.value)
    for mode in DocumentPickerMode.allCases { #expect(!questions.isDocumentPickerAllowed(mode).value) }
  }

  @Test(
    "A locked-down view rewrites web links to the managed browser and blocks all other URLs",
    arguments: [
      ("https://contoso.example/a", URLAction.rewrite, "microsoft-edge-https://contoso.example/a"),
      ("HTTP://x", .rewrite, "microsoft-edge-http://x"), ("tel:1", .block, "tel:1"), ("sms:1", .block, "sms:1"),
      ("mailto:eve", .block, "mailto:eve"), ("x-intunemam:x", .block, "x-intunemam:x"),
      ("microsoft-edge-https://x", .block, "microsoft-edge-https://x"),
    ])
  func links(text: String, action: URLAction, opened: String) throws {
    let url = try #require(AbsoluteURL(text))
    for policy in Self.policies {
      let (questions, _) = try locked(policy)
      for isManaged in [true, false] {
        #expect(!questions.isURLAllowed(url, toManagedApp: isManaged).value)
        let opening = questions.opening(url, toManagedApp: isManaged)
        #expect(opening.value.action == action)
        #expect(opening.value.url.text.lowercased() == opened.lowercased())
      }
      #expect(!questions.isUniversalLinkAllowed(url).value)
    }
  }

  @Test("A view of several accounts requires a PIN if any account does and no device PIN replaces it")
  func pin() throws {
    let always = #"{"pinRequired": true}"#
    let dropped = #"{"pinRequired": true, "disableAppPinIfDevicePinIsSet": true}"#
    let rows: [(String, String, without: Bool, with: Bool)] = [
      ("{}", "{}", false, false), (always, "{}", true, true), ("{}", dropped, true, false),
      (dropped, always, true, true), (dropped, dropped, true, false),
    ]
    for row in rows {
      let accounts = FixedAccounts(policies: [
        Self.alice: try #require(PolicyQuestions.of(row.0).policy),
        Self.bob: try #require(PolicyQuestions.of(row.1).policy),
      ])
      let questions = PolicyQuestions(of: SharedView([Self.alice, Self.bob]), in: accounts)
      #expect(questions.isPINRequired(.notSet).value == row.without)
      #expect(questions.isPINRequired(.setOnManagedDevice).value == row.with)
      #expect(questions.isPINRequired(.setByUser).value == row.without)
    }
  }

  @Test("A view is locked down only if it shows several accounts and one of them is managed")
  func views() throws {
    var accounts = try accounts("{}")
    accounts.userPrincipalNames = ["00000000-0000-4000-8000-00000000000a": Self.alice]
    let rows: [([AccountReference], Bool)] = [
      ([], false), ([Self.alice], false), ([Self.alice, Self.alice], false),
      ([Self.alice, "00000000-0000-4000-8000-00000000000a"], false), ([Self.eve, Self.bob], false),
      ([Self.eve, ""], false), ([Self.alice, ""], true), ([Self.eve, Self.alice], true),
      (["", Self.eve, "00000000-0000-4000-8000-00000000000a"], true),
    ]
    for (names, isLocked) in rows {
      let questions = PolicyQuestions(of: SharedView(names), in: accounts)
      #expect(questions.isLockedDown == isLocked, "\(names.map(\.text))")
      let isAlone = names.first.map { accounts.policy(of: $0) != nil } ?? false
      #expect((questions.policy != nil) == (isAlone && !isLocked))
      #expect(PolicyQuestions(of: SharedView(names, isLocked: true), in: accounts).isLockedDown)
    }
  }
}
