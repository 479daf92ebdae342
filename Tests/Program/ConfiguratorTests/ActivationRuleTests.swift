import JSON
import PropertyList
import Testing

@testable import Configurator

@Suite struct ActivationRuleTests {
  private static func info(_ rule: String, _ more: String = "") -> String {
    Sample.plist(
      "<key>NSExtension</key>", "<dict>", "\t<key>NSExtensionAttributes</key>", "\t<dict>",
      "\t\t<key>NSExtensionActivationRule</key>", "\t\t" + rule, "\t</dict>", "</dict>", more)
  }

  private static func dictionary(_ keys: [String: String]) -> String {
    let entries = keys.sorted { $0.key < $1.key }.map { "<key>NSExtensionActivation\($0.key)</key>\($0.value)" }
    return "<dict>\(entries.joined())</dict>"
  }

  private func rule(of text: String) throws -> String? {
    try Sample.value(of: text).value(at: .activationRule)?.stringValue
  }

  /// The rule without line breaks, and with short tests: `public.url` for a test of it, `public.url*` with its copy.
  private func shortRule(_ text: String) throws -> String {
    let rule = try #require(try rule(of: text))
    let spaces = rule.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    var short = spaces.replacing("ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO ", with: "")
    for type in ["image", "movie", "text", "url", "file-url", "data"].map({ "public.\($0)" }) + [
      "com.apple.property-list"
    ] {
      short = short.replacing("\"com.microsoft.intune.mam.\(type)\"", with: "\(type)'")
      short = short.replacing("\"\(type)\"", with: type)
    }
    return short.replacing("SUBQUERY ( $extensionItem.attachments, $attachment, ", with: "COUNT ( ")
      .replacing("SUBQUERY ( extensionItems, $extensionItem, ", with: "").replacing(" ).@count == 1", with: "")
  }

  static let forms: [([String: String], String)] = [
    (
      ["SupportsImageWithMaxCount": "<integer>3</integer>"],
      """
      COUNT ( public.image || public.image' ).@count <= 3 AND COUNT ( public.image || public.image' ).@count == \
      $extensionItem.attachments.@count AND $extensionItem.attachments.@count >= 1
      """
    ),
    (
      ["SupportsText": "<true/>", "DictionaryVersion": "<integer>2</integer>"],
      "COUNT ( public.text || public.text' ).@count > 0"
    ),
    (
      [
        "SupportsText": "<true/>", "DictionaryVersion": "<integer>2</integer>", "UsesStrictMatching": "<true/>",
        "SupportsMovieWithMaxCount": "<integer>0</integer>",
      ],
      """
      COUNT ( public.text || public.text' ).@count == $extensionItem.attachments.@count AND \
      $extensionItem.attachments.@count >= 1
      """
    ),
    (
      ["SupportsWebURLWithMaxCount": "<string>2</string>", "DictionaryVersion": "<integer>2</integer>"],
      """
      COUNT ( ((public.url || public.url') AND NOT (public.file-url || public.file-url')) ).@count <= 2 AND COUNT ( \
      ((public.url || public.url') AND NOT (public.file-url || public.file-url')) ).@count > 0
      """
    ),
    (
      ["SupportsWebPageWithMaxCount": "<true/>", "DictionaryVersion": "<integer>2</integer>"],
      """
      COUNT ( com.apple.property-list || com.apple.property-list' ).@count <= 1 AND COUNT ( com.apple.property-list || \
      com.apple.property-list' ).@count > 0
      """
    ),
    (
      [
        "SupportsMovieWithMaxCount": "<integer>2</integer>", "SupportsFileWithMaxCount": "<integer>5</integer>",
        "SupportsAttachmentsWithMaxCount": "<integer>6</integer>",
        "SupportsAttachmentsWithMinCount": "<integer>2</integer>", "DictionaryVersion": "<integer>2</integer>",
      ],
      """
      COUNT ( public.movie || public.movie' ).@count <= 2 AND \
      COUNT ( (((public.file-url || public.file-url') || ((public.data || public.data') AND NOT (public.url || \
      public.url'))) AND NOT (public.movie || public.movie')) ).@count <= 5 AND \
      COUNT ( (public.movie || public.movie') || (((public.file-url || public.file-url') || ((public.data || \
      public.data') AND NOT (public.url || public.url'))) AND NOT (public.movie || public.movie')) ).@count > 0 AND \
      $extensionItem.attachments.@count >= 2 AND $extensionItem.attachments.@count <= 6
      """
    ),
  ]

  @Test("configure rewrites an activation rule dictionary as a predicate with Intune's types", arguments: forms)
  func dictionaryForm(keys: [String: String], expected: String) throws {
    let before = Self.info(Self.dictionary(keys))
    let after = try #require(try Sample.configured(before))
    #expect(try shortRule(after) == expected)
    #expect(try Sample.configured(after) == nil)
  }

  @Test("configure writes its comment before the key of the activation rule")
  func comment() throws {
    let before = Self.info(Self.dictionary(["SupportsText": "<true/>"]))
    let after = try #require(try Sample.configured(before))
    #expect(
      after.contains(
        """
        \t\t\t<!-- mambridge: the rule was rewritten as a predicate with Intune's copies of its types -->
        \t\t\t<key>NSExtensionActivationRule</key>
        \t\t\t<string>SUBQUERY (
            extensionItems,
            $extensionItem,

        """))
  }

  @Test(
    "configure keeps an activation rule that it cannot translate, and says why",
    arguments: [
      ("<dict/>", "the rule accepts nothing"),
      ("<dict><key>NSExtensionActivationSupportsText</key><false/></dict>", "the rule accepts nothing"),
      ("<dict><key>Mine</key><true/></dict>", "Mine cannot be translated"),
      ("<dict><key>NSExtensionActivationSupportsText</key><array/></dict>", "Text cannot be translated"),
      ("<string>x == 1</string>", "no type was recognized"),
    ])
  func obstacle(rule: String, text: String) throws {
    let info = Self.info(rule)
    #expect(try Sample.configured(info) == nil)
    let findings = try Configurator().steps(of: try Sample.bundle(info))
    #expect(findings.contains { $0.kind == .manual && $0.text.contains(text) })
  }

  @Test("configure adds Intune's types to a predicate and keeps the rest of its text")
  func predicate() throws {
    let test = "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO &quot;public.url&quot;"
    let copy = test.replacing("public.url", with: "com.microsoft.intune.mam.public.url")
    let before = Self.info("<string>SUBQUERY (\n  x, $x,\n  (\(test))\n).@count &gt; 0 && 1 > 0</string>")
    let valid = before.replacing("&&", with: "&amp;&amp;")
    let after = try #require(try Sample.configured(valid))
    #expect(
      after
        == valid.replacing("(\(test))", with: "(\(test) || \(copy))").replacing(
          "<key>NSExtensionActivationRule</key>",
          with:
            "<!-- mambridge: Intune's copies of the types were added -->\n\t\t\t<key>NSExtensionActivationRule</key>"))
    #expect(try Sample.configured(after) == nil)
  }

  @Test("configure finds the types in a predicate that is written with XML entities")
  func entities() throws {
    let before = Self.info(
      "<string>(ANY x UTI&#45;CONFORMS-TO &#34;a&#34; || ANY x UTI-CONFORMS-TO &quot;b&quot;)</string>")
    let after = try #require(try Sample.configured(before))
    let expected = ["a", "b", "com.microsoft.intune.mam.a", "com.microsoft.intune.mam.b"]
    #expect(try rule(of: after) == "(\(expected.map { "ANY x UTI-CONFORMS-TO \"\($0)\"" }.joined(separator: " || ")))")
    #expect(try Sample.configured(after) == nil)
  }

  private static let app = Sample.plist(
    "<key>CFBundleDocumentTypes</key>", "<array>",
    "<dict><key>LSItemContentTypes</key>",
    "<array><string>public.text</string><string>public.image</string></array></dict>",
    "</array>")
  private static let openIn = "<key>IntuneMAMSettings</key><dict><key>OpenInActionExtension</key><true/></dict>"

  @Test("configure makes an open-in extension accept one document of the types that its app opens")
  func openInRule() throws {
    let before = Self.info("<string>TRUEPREDICATE</string>", Self.openIn)
    let after = try #require(try Sample.configured(before, app: Self.app))
    #expect(
      try rule(of: after) == """
        SUBQUERY (
            extensionItems,
            $extensionItem,
            SUBQUERY (
                $extensionItem.attachments,
                $attachment,
                ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "com.microsoft.intune.mam.public.text" ||
                ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "com.microsoft.intune.mam.public.image"
            ).@count == 1
        ).@count == 1
        """)
    #expect(try Sample.configured(after, app: Self.app) == nil)
  }

  @Test("configure keeps the rule of an open-in extension that already names the types, with any quotes")
  func openInByHand() throws {
    let tests = ["text", "image"].map {
      "ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'com.microsoft.intune.mam.public.\($0)'"
    }
    let rule =
      "<string>SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, \(tests.joined(separator: " || "))).@count == 1).@count == 1</string>"
    #expect(try Sample.configured(Self.info(rule, Self.openIn), app: Self.app) == nil)
  }

  @Test("configure does not edit the rule of an open-in extension without --app, and says so")
  func openInWithoutApp() throws {
    let before = Self.info("<string>TRUEPREDICATE</string>", Self.openIn)
    #expect(try Sample.configured(before) == nil)
    #expect(try Configurator().steps(of: try Sample.bundle(before)).contains { $0.text.contains("--app") })
  }
}
