import JSON
import Model
import Policy

/// The table of the questions that a host asks about an account's policy, with all values that can make a difference.
struct DecisionQuestions {
  private typealias Accounts = [(text: String, account: AccountReference?)]

  let values: QuestionValues

  var all: [Questions] {
    properties + locations + actions + clipboard + addresses + sharing + pin + launch + undecided
  }

  /// What decides nothing in mambridge, and may decide elsewhere: settings that are only shown, and unknown ones.
  private var undecided: [Questions] {
    let names = SettingDefinition.all.filter { !$0.role.decides && !$0.role.isDescription }.map {
      ($0.name.rawValue, $0)
    }
    let unknown = values.unknownNames.map { ($0, $0) }
    return Questions.each("informs", "no decision here:", names) { share, definition in
      share.policy.map { _ in
        Answer(
          share.value(definition.name).map { definition.write(graph: $0, on: share.platform).shortText } ?? "not set")
      }
    }
      + Questions.each("unknown", "not known here:", unknown) { share, name in
        share.policy.map { policy in
          let found = policy.effective.unknownRestrictions.filter { $0.setting == name }.map(\.value.shortText)
          return Answer(found.isEmpty ? "not set" : found.joined(separator: " | "))
        }
      }
  }

  private static let locationAccounts: Accounts = [
    ("of the same account", ComparedAccounts.own), ("of another managed account", ComparedAccounts.other),
    ("of an unmanaged account", ComparedAccounts.unmanaged), ("without an account", nil),
  ]

  private static let owners: Accounts = [
    ("the same account", ComparedAccounts.own), ("another managed account", ComparedAccounts.other),
    ("an unmanaged account", ComparedAccounts.unmanaged), ("no account", nil),
  ]

  /// Asks only if a policy applies.
  private static func ask(_ share: ComparedShare, _ answer: (ComparedAccounts) -> Answer) -> Answer? {
    share.policy == nil ? nil : answer(ComparedAccounts(share))
  }

  private static func permission(
    _ decision: String, _ title: String, _ ask: @escaping @Sendable (PolicyQuestions) -> Decision<Bool>
  ) -> [Questions] {
    Questions.one(decision, title) { share in Self.ask(share) { .permission(ask($0.questions).value) } }
  }

  private static func demand(
    _ decision: String, _ title: String, _ ask: @escaping @Sendable (PolicyQuestions) -> Decision<Bool>
  ) -> [Questions] {
    Questions.one(decision, title) { share in Self.ask(share) { .demand(ask($0.questions).value) } }
  }

  private var properties: [Questions] {
    Self.permission("isContactSyncAllowed", "contact sync") { $0.isContactSyncAllowed }
      + Self.permission("isWidgetContentSyncAllowed", "content in widgets") { $0.isWidgetContentSyncAllowed }
      + Self.permission("isSpotlightIndexingAllowed", "Spotlight indexing") { $0.isSpotlightIndexingAllowed }
      + Self.permission("areSiriIntentsAllowed", "Siri intents") { $0.areSiriIntentsAllowed }
      + Self.permission("areAppIntentsAllowed", "app intents") { $0.areAppIntentsAllowed }
      + Self.permission("isAppSharingAllowed", "sharing with apps") { $0.isAppSharingAllowed }
      + Self.permission("isUploadToUnmanagedAllowed", "uploading in a web view without an account") {
        $0.isUploadToUnmanagedAllowed
      }
      + Self.permission("isPasteToUnmanagedAllowed", "pasting in a web view without an account") {
        $0.isPasteToUnmanagedAllowed
      }
      + Self.demand("isManagedBrowserRequired", "the managed browser") { $0.isManagedBrowserRequired }
      + Self.demand("isFileEncryptionRequired", "file encryption") { $0.isFileEncryptionRequired }
      + Self.demand("shouldFileProviderEncryptFiles", "encryption by the file provider") {
        $0.shouldFileProviderEncryptFiles
      }
      + Self.demand("hasSaveRestriction", "asking before data is saved") { $0.hasSaveRestriction }
      + Self.demand("hasOpenRestriction", "asking before data is opened") { $0.hasOpenRestriction }
      + Questions.one("notificationPolicy", "notifications") { share in
        Self.ask(share) { .word($0.questions.notificationPolicy.value) }
      }
      + Questions.one("fileProtection", "when files are encrypted") { share in
        let type: DataEncryptionType? = share.value(.appDataEncryptionType)?.word()
        return Self.ask(share) { _ in type.map { .word($0) } ?? Answer("not set", -1) }
      }
      + Questions.one("protectsUnknownData", "data of unknown sources") { share in
        share.policy.map { $0.protectsUnknownData ? Answer("belongs to the user", 1) : Answer("belongs to nobody", 0) }
      }
  }

  private var locations: [Questions] {
    let saving = SaveLocation.allCases.flatMap { location in
      Self.locationAccounts.map { ("\(location.rawValue) \($0.text)", (location, $0.account)) }
    }
    let opening = OpenLocation.allCases.flatMap { location in
      Self.locationAccounts.map { ("\(location.rawValue) \($0.text)", (location, $0.account)) }
    }
    return Questions.each("isSaveToAllowedForLocation", "saving to", saving) { share, subject in
      Self.ask(share) {
        .permission($0.questions.isSaveToAllowed(subject.0, locationAccount: subject.1, in: $0).value)
      }
    }
      + Questions.each("isOpenFromAllowedForLocation", "opening from", opening) { share, subject in
        Self.ask(share) {
          .permission($0.questions.isOpenFromAllowed(subject.0, locationAccount: subject.1, in: $0).value)
        }
      }
      + Questions.one("receivesFromOthers", "saving by other accounts to locations of this account") { share in
        Self.ask(share) {
          .permission(
            $0.othersQuestions.isSaveToAllowed(.oneDriveForBusiness, locationAccount: ComparedAccounts.own, in: $0)
              .value)
        }
      }
      + Questions.one("sendsToOthers", "opening by other accounts from locations of this account") { share in
        Self.ask(share) {
          .permission(
            $0.othersQuestions.isOpenFromAllowed(.oneDriveForBusiness, locationAccount: ComparedAccounts.own, in: $0)
              .value)
        }
      }
  }

  private var actions: [Questions] {
    let actions = EnforcedAction.allCases.map { ($0.rawValue, $0) }
    let keyboards = values.packages(.approvedKeyboards).map { ($0, $0) }
    return Questions.each("isActionAllowed", "the action", actions) { share, action in
      Self.ask(share) { .permission($0.questions.isActionAllowed(action, in: $0).value) }
    }
      + Questions.each("isKeyboardAllowed", "the keyboard", keyboards) { share, keyboard in
        Self.ask(share) {
          .permission($0.questions.isActionAllowed(.thirdPartyKeyboard, keyboard: keyboard, in: $0).value)
        }
      }
      + Questions.each(
        "isDocumentPickerAllowed", "the document picker for", DocumentPickerMode.allCases.map { ($0.rawValue, $0) }
      ) { share, mode in
        Self.ask(share) { .permission($0.questions.isDocumentPickerAllowed(mode).value) }
      }
      + Questions.each("canReceive", "receiving data of", Self.owners) { share, owner in
        Self.ask(share) { .permission($0.questions.canReceive(from: owner, in: $0).value) }
      }
      + Questions.one("canSend", "receiving data of this account in another managed account") { share in
        Self.ask(share) { .permission($0.othersQuestions.canReceive(from: ComparedAccounts.own, in: $0).value) }
      }
  }

  private var clipboard: [Questions] {
    let exceptions = values.integers(.allowedOutboundClipboardSharingExceptionLength)
    let lengths = Steps<Int64>(startingAt: exceptions.map { $0 + 1 }, from: 1) { "\($0) characters" }
    @Sendable func text(_ length: Int64) -> ClipboardContent {
      .text(String(repeating: "x", count: Int(clamping: length)))
    }
    let longest = (exceptions.max() ?? 0) + 1
    let data = ClipboardContent.data([0])
    var questions = [
      lengths.questions("copying", "copying text of") { share, length in
        Self.ask(share) { .word($0.questions.copying(text(length)).value) }
      },
      lengths.questions("pasting", "pasting of text without an owner of") { share, length in
        Self.ask(share) { .permission($0.questions.pasting(text(length), of: nil, in: $0).value) }
      },
    ]
    questions += Questions.one("copying", "copying bytes") { share in
      Self.ask(share) { .word($0.questions.copying(data).value) }
    }
    questions += Questions.each("pasting", "pasting of long text of", Self.owners) { share, owner in
      Self.ask(share) { .permission($0.questions.pasting(text(longest), of: owner, in: $0).value) }
    }
    questions += Questions.one("pasting", "pasting of what was copied in this app alone") { share in
      Self.ask(share) {
        .permission(
          $0.questions.pasting(text(longest), of: ComparedAccounts.own, isOfThisApp: true, in: $0).value)
      }
    }
    questions += Questions.one("pasting", "pasting of this account's text in another managed account") { share in
      Self.ask(share) {
        .permission($0.othersQuestions.pasting(text(longest), of: ComparedAccounts.own, in: $0).value)
      }
    }
    return questions
  }

  private var addresses: [Questions] {
    let addresses = values.addresses.flatMap { text, url in
      [("\(text) of any app", (url, false)), ("\(text) of a managed app", (url, true))]
    }
    let links = values.links.flatMap { text, urls in urls.map { (text, $0) } }
    return Questions.each("isURLAllowed", "addresses:", addresses) { share, subject in
      Self.ask(share) { .permission($0.questions.isURLAllowed(subject.0, toManagedApp: subject.1).value) }
    }
      + Questions.each("openURL", "opening addresses:", addresses) { share, subject in
        Self.ask(share) { .opening($0.questions.opening(subject.0, toManagedApp: subject.1).value, of: subject.0) }
      }
      + Questions.each("isUniversalLinkAllowed", "links", links) { share, url in
        Self.ask(share) { .permission($0.questions.isUniversalLinkAllowed(url).value) }
      }
      + Questions.each("openURL", "opening links", links) { share, url in
        Self.ask(share) { .opening($0.questions.opening(url, toManagedApp: false).value, of: url) }
      }
  }

  private var sharing: [Questions] {
    let packages = values.packages(.exemptedAppPackages) + ["com.android.phone"]
    let targets = packages.flatMap { app in
      [
        ("\(app), not managed", ShareTarget(id: app, managed: false)),
        ("\(app), managed", ShareTarget(id: app, managed: true)),
        ("\(app), for the same account", ShareTarget(id: app, managed: true, account: ComparedAccounts.own)),
        ("\(app), for another account", ShareTarget(id: app, managed: true, account: ComparedAccounts.other)),
        ("\(app), for an unmanaged account", ShareTarget(id: app, managed: true, account: ComparedAccounts.unmanaged)),
      ]
    }
    return Questions.each("filterShareTargets", "sharing with", targets) { share, target in
      Self.ask(share) {
        .permission(!$0.questions.shareTargets([target], isMDM: false, in: $0).value.targets.isEmpty)
      }
    }
      + Questions.each(
        "encryptsSharedData", "encryption of shared data",
        [("on an unmanaged device", false), ("on a managed device", true)]
      ) { share, isMDM in
        Self.ask(share) { .demand($0.questions.shareTargets([], isMDM: isMDM, in: $0).value.encrypts) }
      }
      + Questions.one("receivesShares", "sharing by other accounts with this account") { share in
        let target = ShareTarget(id: "unnamed.app", managed: true, account: ComparedAccounts.own)
        return Self.ask(share) {
          .permission(!$0.othersQuestions.shareTargets([target], isMDM: false, in: $0).value.targets.isEmpty)
        }
      }
  }
}

extension Answer {
  /// `url` is the address that was to be opened.
  fileprivate static func opening(_ opening: URLOpening, of url: AbsoluteURL) -> Answer {
    switch opening.action {
    case .open: Answer("opened", 0)
    case .rewrite: Answer("opened by \(opening.package ?? opening.url.scheme)", 1)
    case .block: Answer("blocked", 2)
    }
  }
}
