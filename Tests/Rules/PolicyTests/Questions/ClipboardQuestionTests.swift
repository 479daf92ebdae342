import Testing

@testable import Model
@testable import Policy

/// The documented levels of the clipboard: any app, managed apps with paste in, managed apps, blocked.
@Suite struct ClipboardQuestionTests {
  private static let alice: AccountReference = "alice@contoso.example"
  private static let boss: AccountReference = "boss@contoso.example"

  private func settings(_ level: String?, exception: Int? = nil) -> String {
    let level = level.map { "\"\($0)\"" } ?? "null"
    return """
      {"allowedOutboundClipboardSharingLevel": \(level),
       "allowedOutboundClipboardSharingExceptionLength": \(exception.map(String.init) ?? "null")}
      """
  }

  @Test(
    "Copied content stays plain, is protected, or stays in this app, depending on the clipboard level",
    arguments: [
      (nil, .plain, .nothingRestricts), ("allApps", .plain, .allAppsAllowed),
      ("managedAppsWithPasteIn", .protected, .managedAppsOnly), ("managedApps", .protected, .managedAppsOnly),
      ("blocked", .protected, .thisAppOnly),
    ] as [(String?, ClipboardForm, PolicyRule)])
  func copying(level: String?, form: ClipboardForm, rule: PolicyRule) throws {
    let questions = try PolicyQuestions.of(settings(level))
    for content in [ClipboardContent.text("x"), .data([1])] {
      let decision = questions.copying(content)
      #expect(decision.value == form)
      #expect(decision.rule == rule)
    }
    #expect(questions.copying(.text("")).value == .plain)
    #expect(questions.copying(.data([])).value == .plain)
  }

  @Test(
    "Text up to the exception length in UTF-16 units is copied at any clipboard level; bytes are not",
    arguments: ["managedAppsWithPasteIn", "managedApps", "blocked"])
  func exception(level: String) throws {
    let questions = try PolicyQuestions.of(settings(level, exception: 4))
    let kept = try PolicyQuestions.of(settings(level)).copying(.text("x")).value
    let accents = "e\u{301}\u{301}\u{301}"
    let rows = [
      ("abcd", .plain), ("abcde", kept), ("👍👍", .plain), ("👍👍a", kept), (accents, .plain), (accents + "a", kept),
    ]
    for (text, form) in rows {
      #expect(questions.copying(.text(text)).value == form, "\(text)")
    }
    #expect(questions.copying(.data([1])).value == kept)
    #expect(questions.copying(.text("abcd")).setting == .allowedOutboundClipboardSharingExceptionLength)
    let own = FixedAccounts(policies: [Self.alice: try #require(questions.policy)])
    #expect(questions.pasting(.text("abcd"), of: nil, in: own).value)
    #expect(questions.pasting(.text("abcde"), of: nil, in: own).value == (level == "managedAppsWithPasteIn"))
  }

  /// Whose content, into an account of which level: that of nobody, one's own, another managed account's.
  @Test(
    "Pasting into an account depends on its clipboard level and on who owns the content",
    arguments: [
      (nil, [true, true, true]), ("allApps", [true, true, true]), ("managedAppsWithPasteIn", [true, true, true]),
      ("managedApps", [false, true, true]), ("blocked", [false, false, false]),
    ] as [(String?, [Bool])])
  func pasting(level: String?, isAllowed: [Bool]) throws {
    let questions = try PolicyQuestions.of(settings(level))
    let sender = try #require(PolicyQuestions.of(settings("managedApps")).policy)
    let accounts = FixedAccounts(policies: [Self.alice: try #require(questions.policy), Self.boss: sender])
    let answers = [nil, Self.alice, Self.boss].map { questions.pasting(.text("x"), of: $0, in: accounts).value }
    #expect(answers == isAllowed)
    #expect(questions.pasting(.text("x"), of: "eve@home.example", in: accounts).value == isAllowed[0])
  }

  @Test("Content copied in this app from an account at level blocked pastes only into the same account")
  func blockedBetweenApps() throws {
    let questions = try PolicyQuestions.of(settings("blocked"))
    let policy = try #require(questions.policy)
    let accounts = FixedAccounts(policies: [Self.alice: policy, Self.boss: policy])
    for content in [ClipboardContent.text("x"), .data([1])] {
      let own = questions.pasting(content, of: Self.alice, isOfThisApp: true, in: accounts)
      #expect(own.value)
      #expect(own.rule == .copiedInThisApp)
      #expect(!questions.pasting(content, of: Self.alice, in: accounts).value)
      #expect(!questions.pasting(content, of: Self.boss, isOfThisApp: true, in: accounts).value)
      #expect(!questions.pasting(content, of: nil, isOfThisApp: true, in: accounts).value)
    }
  }

  @Test(
    "Content of a managed account pastes into an unmanaged account only if all apps may have it",
    arguments: [
      (nil, true), ("allApps", true), ("managedAppsWithPasteIn", false), ("managedApps", false), ("blocked", false),
    ])
  func unmanaged(level: String?, isAllowed: Bool) throws {
    let sender = try #require(PolicyQuestions.of(settings(level)).policy)
    let accounts = FixedAccounts(policies: [Self.boss: sender])
    let questions = PolicyQuestions(policy: nil, account: "eve@home.example")
    let decision = questions.pasting(.text("x"), of: Self.boss, in: accounts)
    #expect(decision.value == isAllowed)
    #expect(decision.party == .dataOwner)
    #expect(decision.other == Self.boss)
    #expect(questions.pasting(.text("x"), of: nil, in: accounts).value)
  }
}
