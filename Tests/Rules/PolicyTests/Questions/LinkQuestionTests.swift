import Testing

@testable import Model
@testable import Policy

@Suite struct LinkQuestionTests {
  private static let managed = #""allowedOutboundDataTransferDestinations": "managedApps""#
  private static let none = #""allowedOutboundDataTransferDestinations": "none""#
  private static let all = #""allowedOutboundDataTransferDestinations": "allApps""#
  private static let exempt = #""exemptedAppProtocols": [{"name": "Default", "value": "Skype;itms;facetime: ;"}]"#
  private static let exemptPhone = #""exemptedAppProtocols": [{"name": "x", "value": " Tel:;telprompt;SMS;https"}]"#
  private static let edge = #""managedBrowserToOpenLinksRequired": true"#
  private static let browser = #"\#(edge), "customBrowserProtocol": "Bee""#
  private static let dialer = #""dialerRestrictionLevel""#
  private static let custom = #"\#(dialer): "customApp", "customDialerAppProtocol": "dial:""#
  private static let messaging = #""protectedMessagingRedirectAppType""#
  private static let specific = #"\#(messaging): "specificApps", "messagingRedirectAppUrlScheme": "chat""#

  private func ask(_ url: String, _ settings: [String], isManaged: Bool = false) throws -> Decision<Bool> {
    let questions = try PolicyQuestions.of("{" + settings.joined(separator: ", ") + "}")
    return questions.isURLAllowed(try #require(AbsoluteURL(url)), toManagedApp: isManaged)
  }

  @Test(
    "The setting for a URL's scheme decides whether another app may open the URL",
    arguments: [
      ("https://contoso.example", [none], true, .settingDecides),
      ("https://contoso.example", [all, edge], false, .settingDecides),
      ("HTTP://contoso.example", [edge], false, .settingDecides),
      ("http://contoso.example", [browser], false, .namedAppOnly),
      ("http://contoso.example", [#""customBrowserProtocol": "bee""#], true, .settingDecides),
      ("bee://contoso.example", [none, browser], true, .isNamedApp),
      ("bees://contoso.example", [none, browser], true, .isNamedApp),
      ("bee://contoso.example", [none], false, .noAppAllowed),
      ("microsoft-edge-https://contoso.example", [managed, edge], true, .isNamedApp),
      ("microsoft-edge-https://contoso.example", [managed, browser], false, .appNotManaged),

      ("tel:1", [none], true, .nothingRestricts), ("tel:1", [none, #"\#(dialer): null"#], true, .nothingRestricts),
      ("tel:1", [none, #"\#(dialer): "allApps""#], true, .settingDecides),
      ("telprompt:1", [all, #"\#(dialer): "managedApps""#], false, .appNotManaged),
      ("tel:1", [all, #"\#(dialer): "blocked""#], false, .settingDecides),
      ("TEL:1", [all, custom], false, .namedAppOnly), ("dial:1", [none, custom], true, .isNamedApp),
      ("tel:1", [all, #"\#(dialer): "blocked""#, exemptPhone], true, .exemptScheme),
      ("TELPROMPT:1", [none, #"\#(dialer): "managedApps""#, exemptPhone], true, .exemptScheme),
      ("tel:1", [custom, exemptPhone], true, .exemptScheme), ("tel:1", [none, exemptPhone], true, .exemptScheme),
      ("sms:1", [#"\#(messaging): "blocked""#, exemptPhone], true, .exemptScheme),
      ("sms:1", [specific, exemptPhone], true, .exemptScheme),
      ("sms:1", [#"\#(messaging): "blocked""#, exempt], false, .settingDecides),
      ("https://x", [edge, exemptPhone], false, .settingDecides),

      ("sms:1", [none], true, .nothingRestricts), ("sms:1", [#"\#(messaging): "anyApp""#], true, .settingDecides),
      ("sms:1", [#"\#(messaging): "anyManagedApp""#], false, .appNotManaged),
      ("sms:1", [#"\#(messaging): "blocked""#], false, .settingDecides),
      ("sms:1", [specific], false, .namedAppOnly), ("chat://1", [none, specific], true, .isNamedApp),

      ("skype:eve", [none, exempt], true, .exemptScheme), ("SKYPE:eve", [managed, exempt], true, .exemptScheme),
      ("facetime:eve", [managed, exempt], true, .exemptScheme),
      ("itmss:app", [managed, exempt], false, .appNotManaged),
      ("mailto:eve@contoso.example", [managed], false, .appNotManaged), ("mailto:eve", [none], false, .noAppAllowed),
      ("mailto:eve", [all], true, .allAppsAllowed), ("mailto:eve", [], true, .nothingRestricts),
      ("outlook-intunemam:x", [managed], true, .appIsManaged), ("outlook-intunemam:x", [none], false, .noAppAllowed),
      ("outlook-intunemam-x:x", [managed], false, .appNotManaged),
    ] as [(String, [String], Bool, PolicyRule)])
  func schemes(url: String, settings: [String], isAllowed: Bool, rule: PolicyRule) throws {
    let decision = try ask(url, settings)
    #expect(decision.value == isAllowed)
    #expect(decision.rule == rule)
    #expect((decision.setting == nil) == (rule == .nothingRestricts))
  }

  @Test(
    "A managed app may open a URL if the setting for its scheme allows managed apps",
    arguments: [
      ("contoso:x", [managed], true), ("contoso:x", [none], false), ("tel:1", [#"\#(dialer): "managedApps""#], true),
      ("tel:1", [#"\#(dialer): "blocked""#], false), ("sms:1", [#"\#(messaging): "anyManagedApp""#], true),
      ("https://x", [edge], false),
    ])
  func managedApps(url: String, settings: [String], isAllowed: Bool) throws {
    #expect(try ask(url, settings, isManaged: true).value == isAllowed)
  }

  private static let links = #"""
    "managedUniversalLinks": ["https://*.sharepoint.com/*", "http://*.onedrive.com:8080/a*z", "teams.example"],
    "exemptedUniversalLinks": ["https://maps.apple.com", "https://facetime.apple.com/join*"]
    """#

  @Test(
    "A universal link may open its app if the policy lists it as managed or exempt",
    arguments: [
      ("https://maps.apple.com", true, true), ("https://maps.apple.com/?q=here", true, true),
      ("HTTPS://Maps.Apple.COM/?q", true, true), ("https://me@maps.apple.com:443/", true, true),
      ("http://maps.apple.com/", false, false), ("https://maps.apple.com.evil.example/", false, false),
      ("https://facetime.apple.com/join#v=1", true, true), ("https://facetime.apple.com/", false, false),
      ("https://a.sharepoint.com/b", true, false), ("https://a.b.sharepoint.com", true, false),
      ("https://sharepoint.com/", false, false), ("https://evil.example/.sharepoint.com/", false, false),
      ("https://a.sharepoint.com@evil.example/", false, false),
      ("https://evil.example\\@a.sharepoint.com/", false, false),
      ("https://evil.example/\u{301}@a.sharepoint.com/", false, false),
      ("https://evil.example?.sharepoint.com/", false, false),
      ("http://x.onedrive.com:8080/abcz", true, false), ("http://x.onedrive.com/abcz", false, false),
      ("http://x.onedrive.com:8080/abc", false, false), ("http://x.onedrive.com:8080/Abcz", false, false),
      ("https://teams.example/l", true, false), ("http://teams.example", true, false),
      ("ftp://teams.example", false, false),
      ("mailto:eve@maps.apple.com", false, false),
    ])
  func universalLinks(url: String, isAllowedWithManagedApps: Bool, isExempt: Bool) throws {
    let url = try #require(AbsoluteURL(url))
    for (level, isAllowed) in [(Self.managed, isAllowedWithManagedApps), (Self.none, isExempt), (Self.all, true)] {
      let questions = try PolicyQuestions.of("{\(level), \(Self.links)}")
      #expect(questions.isUniversalLinkAllowed(url).value == isAllowed, "\(level)")
    }
    #expect(try PolicyQuestions.of("{\(Self.links)}").isUniversalLinkAllowed(url).value)
  }

  @Test("A link pattern with many wildcards matches a long link in reasonable time")
  func wildcards() throws {
    let pattern = LinkPattern("https://x/" + String(repeating: "*a", count: 50) + "b")
    let link = try #require(WebAddress("https://x/" + String(repeating: "a", count: 1 << 15)))
    #expect(!pattern.matches(link))
    let address = try #require(WebAddress("https://[::1]:80"))
    #expect(LinkPattern("*").matches(link))
    #expect(LinkPattern("https://[::1]:80/*").matches(address))
  }

  @Test(
    "A URL without a valid scheme is refused",
    arguments: ["", "contoso", ":x", "1a:x", "a b:x", "ä:x", "http//x", "\u{e9}:x", " https://x"])
  func noScheme(text: String) {
    #expect(AbsoluteURL(text) == nil)
  }

  @Test("A URL has at most 64 KiB")
  func length() {
    #expect(AbsoluteURL("a:" + String(repeating: "x", count: AbsoluteURL.maximumLength - 2))?.scheme == "a")
    #expect(AbsoluteURL("a:" + String(repeating: "x", count: AbsoluteURL.maximumLength - 1)) == nil)
  }

  @Test(
    "Every mode of the document picker is allowed unless the level of its direction is none",
    arguments: DocumentPickerMode.allCases, [nil, DataTransferLevel.allApps, .managedApps, DataTransferLevel.none])
  func documentPicker(mode: DocumentPickerMode, level: DataTransferLevel?) throws {
    let isIncoming = mode == .import || mode == .open
    let (its, other) = isIncoming ? ("Inbound", "Outbound") : ("Outbound", "Inbound")
    func text(_ direction: String, _ level: String?) -> String {
      let end = direction == "Inbound" ? "Sources" : "Destinations"
      return #""allowed\#(direction)DataTransfer\#(end)": \#(level.map { "\"\($0)\"" } ?? "null")"#
    }
    let questions = try PolicyQuestions.of("{\(text(its, level?.rawValue)), \(text(other, "none"))}")
    #expect(questions.isDocumentPickerAllowed(mode).value == (level != DataTransferLevel.none))
  }
}
