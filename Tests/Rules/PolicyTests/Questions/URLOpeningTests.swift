import Testing

@testable import Model
@testable import Policy

/// Browser, dialer, messenger, exempt schemes and links, as the documentation has them.
@Suite struct URLOpeningTests {
  private static let managed = #""allowedOutboundDataTransferDestinations": "managedApps""#
  private static let none = #""allowedOutboundDataTransferDestinations": "none""#
  private static let edge = #""managedBrowserToOpenLinksRequired": true"#
  private static let browser = #"\#(edge), "customBrowserProtocol": "bee""#
  private static let unusable = #"\#(edge), "customBrowserProtocol": "b=e""#
  private static let dialer = #""dialerRestrictionLevel": "customApp""#
  private static let skype = #"\#(dialer), "customDialerAppProtocol": "Skype:""#
  private static let messenger = #""protectedMessagingRedirectAppType": "specificApps""#
  private static let chat = #"\#(messenger), "messagingRedirectAppUrlScheme": "chat""#
  private static let exempt = #""exemptedAppProtocols": [{"name": "Default", "value": "itms;calshow;"}]"#
  private static let phone = #""exemptedAppProtocols": [{"name": "Default", "value": "sms;tel"}]"#
  private static let links = #"""
    "exemptedUniversalLinks": ["http://maps.apple.com", "https://maps.apple.com"],
    "managedUniversalLinks": ["https://*.sharepoint.com/*"]
    """#

  @Test(
    "A URL is opened, rewritten for the app that must open it, or blocked, as the policy says",
    arguments: [
      ("https://contoso.example/a?b#c", [managed], nil, .open),
      ("https://contoso.example/a?b#c", [edge], "microsoft-edge-https://contoso.example/a?b#c", .rewrite),
      ("HTTP://Contoso.example", [edge], "microsoft-edge-http://Contoso.example", .rewrite),
      ("https://contoso.example", [browser], "bees://contoso.example", .rewrite),
      ("http://contoso.example", [browser], "bee://contoso.example", .rewrite),
      ("http://contoso.example", [unusable], "microsoft-edge-http://contoso.example", .rewrite),
      ("bees://contoso.example", [none, browser], nil, .open), ("bees://contoso.example", [managed], nil, .block),

      ("tel:+4930", [skype], "skype:+4930", .rewrite), ("telprompt:+4930", [skype], "skype:+4930", .rewrite),
      ("tel:+4930", [dialer], nil, .block), ("skype:+4930", [none, skype], nil, .open),
      ("tel:+4930", [#""dialerRestrictionLevel": "allApps""#], nil, .open),
      ("tel:+4930", [#""dialerRestrictionLevel": "managedApps""#], nil, .block),
      ("tel:+4930", [#""dialerRestrictionLevel": "blocked", "customDialerAppProtocol": "skype""#], nil, .block),
      ("tel:+4930", [none], nil, .open), ("tel:+4930", [skype, phone], nil, .open),
      ("telprompt:+4930", [skype, phone], "skype:+4930", .rewrite), ("sms:+4930", [chat, phone], nil, .open),

      ("sms:+4930", [chat], "chat:+4930", .rewrite), ("sms:+4930", [messenger], nil, .block),
      ("sms:+4930", [#""protectedMessagingRedirectAppType": "anyApp""#], nil, .open),
      ("sms:+4930", [#""protectedMessagingRedirectAppType": "anyManagedApp""#], nil, .block),
      ("sms:+4930", [#""protectedMessagingRedirectAppType": "blocked""#], nil, .block),

      ("itms:app", [managed, exempt], nil, .open), ("calshow:1", [none, exempt], nil, .open),
      ("itmss:app", [managed, exempt], nil, .block), ("mailto:eve@x.example", [managed], nil, .block),
      ("outlook-intunemam:x", [managed], nil, .open), ("outlook-intunemam:x", [none], nil, .block),

      ("https://maps.apple.com/?q=1", [none, edge, links], nil, .open),
      ("https://a.sharepoint.com/b", [managed, edge, links], nil, .open),
      (
        "https://a.sharepoint.com/b", [none, edge, links], "microsoft-edge-https://a.sharepoint.com/b", .rewrite
      ),
      ("https://sharepoint.com/b", [managed, edge, links], "microsoft-edge-https://sharepoint.com/b", .rewrite),
    ] as [(String, [String], String?, URLAction)])
  func opening(url: String, settings: [String], rewritten: String?, action: URLAction) throws {
    let questions = try PolicyQuestions.of("{" + settings.joined(separator: ", ") + "}")
    let opening = questions.opening(try #require(AbsoluteURL(url)), toManagedApp: false).value
    #expect(opening.action == action)
    #expect(opening.url.text == rewritten ?? url)
  }

  @Test(
    "On Android a URL for a named app is rewritten to an intent that isURLAllowed allows",
    arguments: [
      ("https://x.example/a?b#c", #"\#(edge), "customBrowserPackageId": " org.example.Bee ""#, "org.example.Bee"),
      ("HTTP://x.example", #"\#(edge), "customBrowserPackageId": "org.example.bee""#, "org.example.bee"),
      ("tel:+4930", #"\#(dialer), "customDialerAppPackageId": "org.example.dial""#, "org.example.dial"),
      ("sms:+4930", #"\#(messenger), "messagingRedirectAppPackageId": "org.example.chat""#, "org.example.chat"),
    ])
  func packages(text: String, settings: String, package: String) throws {
    let questions = try Self.android("\(Self.managed), \(settings)")
    let url = try #require(AbsoluteURL(text))
    let opening = questions.opening(url, toManagedApp: false).value
    #expect(opening.action == .rewrite)
    #expect(opening.package == package)
    #expect(opening.url.text == "intent\(text.drop { $0 != ":" })#Intent;scheme=\(url.scheme);package=\(package);end")
    let intent = questions.isURLAllowed(opening.url, toManagedApp: false)
    #expect(intent.value)
    #expect(intent.rule == .isNamedApp)
    #expect(!questions.isURLAllowed(url, toManagedApp: false).value)
    #expect(!questions.isManagedBrowserRequired.value)
    #expect(try PolicyQuestions.of("{\(settings)}").opening(url, toManagedApp: false).value.package == nil)
  }

  @Test(
    "On Android web links go to Edge if the policy has no valid browser package id",
    arguments: ["Bee; end", "", " ", "bee browser"])
  func noPackage(id: String) throws {
    let questions = try Self.android(#"\#(Self.edge), "customBrowserPackageId": "\#(id)""#)
    let opening = questions.opening(try #require(AbsoluteURL("https://x.example")), toManagedApp: false).value
    #expect(opening.url.scheme == "microsoft-edge-https")
    #expect(opening.package == nil)
    #expect(questions.isManagedBrowserRequired.value)
  }

  private static func android(_ settings: String) throws -> PolicyQuestions {
    let document = try PolicyDocument.of("x", .android, "{\(settings)}")
    return PolicyQuestions(policy: CompiledPolicy(merging: [document], platform: .android), account: nil)
  }

  @Test(
    "Every Android policy lets URLs open the phone, store and authenticator apps",
    arguments: ["com.android.phone", "com.android.vending", "com.azure.authenticator"], [managed, none])
  func alwaysExempt(package: String, level: String) throws {
    let questions = try Self.android(level)
    for text in ["android-app://\(package)/market/x", "intent://x#Intent;scheme=market;package=\(package);end"] {
      let decision = questions.isURLAllowed(try #require(AbsoluteURL(text)), toManagedApp: false)
      #expect(decision.value)
      #expect(decision.rule == .alwaysExempt)
    }
    let text = "intent://x#Intent;scheme=market;package=com.android.chrome;end"
    #expect(!questions.isURLAllowed(try #require(AbsoluteURL(text)), toManagedApp: false).value)
  }

  @Test("A managed app opens phone, message and custom URLs that are limited to managed apps")
  func managedApps() throws {
    let questions = try PolicyQuestions.of(
      """
      {\(Self.managed), "dialerRestrictionLevel": "managedApps", "protectedMessagingRedirectAppType": "anyManagedApp"}
      """)
    for url in ["tel:1", "sms:1", "contoso:x"].compactMap(AbsoluteURL.init) {
      #expect(questions.opening(url, toManagedApp: true).value.action == .open)
      #expect(questions.opening(url, toManagedApp: false).value.action == .block)
    }
  }

  @Test("Without a policy every URL is opened unchanged")
  func unmanaged() throws {
    let questions = PolicyQuestions(policy: nil, account: "bob@contoso.example")
    for url in ["https://x", "tel:1", "sms:1", "contoso:x"].compactMap(AbsoluteURL.init) {
      #expect(questions.opening(url, toManagedApp: false).value == URLOpening(action: .open, url: url))
    }
  }

  @Test(
    "On Android a URL is opened if it names exactly one package and the policy exempts that package",
    arguments: [
      ("android-app://com.cisco.webex/http/x", true), ("android-app://com.cisco.webex", true),
      ("android-app://com.cisco.webex.evil/x", false), ("android-app://com.cisco.webex@evil/x", false),
      ("intent://join#Intent;scheme=webex;package=com.cisco.webex;end", true),
      ("intent://join;package=com.cisco.webex#Intent;scheme=webex;end", false),
      ("intent://join#Intent;package=com.evil;package=com.cisco.webex;end", false),
      ("intent://join#Intent;package=com.cisco.webex;end#Intent;scheme=webex;end", false),
      ("intent://join#Intent;scheme=webex;end;package=com.cisco.webex", false),
      ("intent://join#Intent;package=com.cisco.webex;component=com.evil/.Main;end", false),
      ("intent://join#Intent;SEL;package=com.cisco.webex;end", false),
      ("intent://a#b#Intent;package=com.cisco.webex;end", true),
      ("intent://join#Intent;scheme=webex;end", false), ("webex:join", false),
    ])
  func packages(url: String, isOpened: Bool) throws {
    let text = """
      {\(Self.managed), "exemptedAppPackages": [{"name": "Webex", "value": "com.cisco.webex"}]}
      """
    let policy = CompiledPolicy(merging: [try PolicyDocument.of("x", .android, text)], platform: .android)
    let questions = PolicyQuestions(policy: policy, account: "alice@contoso.example")
    let opening = questions.opening(try #require(AbsoluteURL(url)), toManagedApp: false)
    #expect((opening.value.action == .open) == isOpened)
    #expect((opening.rule == .exemptApp) == isOpened)
  }
}
