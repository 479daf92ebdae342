import TestSupport
import Testing

@testable import Model
@testable import Policy

/// What the published levels must mean for addresses, pickers and received data, written from the documentation of the
/// methods, not from the code.
@Suite(.enabled(if: SharedFolder.isPresent, "the sample policies are missing")) struct SampleLinkTests {
  /// An answer of each policy, in this order.
  private static let samples = [
    "ios-level1", "ios-level2", "ios-level3", "android-level1", "android-level2", "android-level3",
  ]

  private func questions(_ sample: String) throws -> PolicyQuestions {
    let document = try PolicyDocument.sample(sample)
    let platform: DevicePlatform = document.kind == .android ? .android : .ios
    let policy = try #require(CompiledPolicy(merging: [document], platform: platform))
    return PolicyQuestions(policy: policy, account: "alice@contoso.example")
  }

  private func expect(_ answers: [Bool], _ what: String, _ ask: (PolicyQuestions) throws -> Bool) throws {
    for (sample, answer) in zip(Self.samples, answers) {
      #expect(try ask(questions(sample)) == answer, "\(sample): \(what)")
    }
  }

  /// Level 3 names a dialer on iOS, but exempts tel and telprompt, and wants a managed one on Android; exempt schemes are
  /// of iOS alone.
  static let handed: [(url: String, isManaged: Bool, answers: [Bool])] = [
    ("https://contoso.example", false, [true, false, false, true, false, false]),
    ("http://contoso.example", true, [true, false, false, true, false, false]),
    ("microsoft-edge-https://contoso.example", false, [true, true, true, true, true, true]),
    ("tel:1", false, [true, true, true, true, true, false]),
    ("telprompt:1", true, [true, true, true, true, true, true]),
    ("sms:1", false, [true, true, true, true, true, true]),
    ("skype:eve", false, [true, true, true, true, false, false]),
    ("itms-services:x", false, [true, true, true, true, false, false]),
    ("mailto:eve@home.example", false, [true, false, false, true, false, false]),
    ("mailto:eve@home.example", true, [true, true, true, true, true, true]),
    ("notes-intunemam:x", false, [true, true, true, true, true, true]),
  ]

  @Test("Microsoft's sample policies allow or block each URL as documented", arguments: handed)
  func addresses(url: String, isManaged: Bool, answers: [Bool]) throws {
    let address = try #require(AbsoluteURL(url))
    try expect(answers, "\(url) \(isManaged)") { $0.isURLAllowed(address, toManagedApp: isManaged).value }
  }

  @Test("Microsoft's sample policies let universal links open apps only if all apps may receive data")
  func links() throws {
    let link = try #require(AbsoluteURL("https://contoso.sharepoint.example/page"))
    try expect([true, false, false, true, false, false], "link") { $0.isUniversalLinkAllowed(link).value }
  }

  @Test(
    "Microsoft's sample policies allow every mode of the document picker",
    arguments: DocumentPickerMode.allCases)
  func pickers(mode: DocumentPickerMode) throws {
    try expect([Bool](repeating: true, count: 6), "\(mode)") { $0.isDocumentPickerAllowed(mode).value }
  }

  @Test("Of Microsoft's sample policies, only those of level 3 refuse data from unmanaged accounts")
  func receiving() throws {
    let boss: AccountReference = "boss@contoso.example"
    let lenient = FixedAccounts(policies: [boss: try #require(questions("ios-level1").policy)])
    let onlyManaged = [true, true, false, true, true, false]
    try expect(onlyManaged, "nobody's") { $0.canReceive(from: nil, in: lenient).value }
    try expect(onlyManaged, "eve's") { $0.canReceive(from: "eve@home.example", in: lenient).value }
    let everything = [Bool](repeating: true, count: 6)
    try expect(everything, "its own") { $0.canReceive(from: "alice@contoso.example", in: lenient).value }
    try expect(everything, "the boss's") { $0.canReceive(from: boss, in: lenient).value }
  }

  /// Whether level 1 may save to, and open from, a location of a managed account of this level.
  @Test(
    "The account that owns a location decides by its level whether other accounts may use it",
    arguments: [("ios-level1", true, true), ("ios-level2", true, false), ("ios-level3", false, false)])
  func otherAccount(sample: String, save: Bool, open: Bool) throws {
    let boss: AccountReference = "boss@contoso.example"
    let accounts = FixedAccounts(policies: [boss: try #require(questions(sample).policy)])
    let questions = try questions("ios-level1")
    for location in SaveLocation.allCases {
      #expect(questions.isSaveToAllowed(location, locationAccount: boss, in: accounts).value == save, "\(location)")
    }
    for location in OpenLocation.allCases {
      #expect(questions.isOpenFromAllowed(location, locationAccount: boss, in: accounts).value == open, "\(location)")
    }
  }
}
