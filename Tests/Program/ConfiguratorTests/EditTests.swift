import JSON
import Testing

@testable import Configurator

@Suite struct EditTests {
  struct Edit: Sendable, CustomTestStringConvertible {
    let name: String
    let before: String
    var entitlements = Sample.plist()
    let after: String
    var testDescription: String { name }
  }

  /// All that the SDK asks for, so that only the edit in question is seen.
  private static let schemes = QuerySchemes.fixed.map { "\t\t<string>\($0)</string>" }.joined(separator: "\n")
  private static let queries = "<key>LSApplicationQueriesSchemes</key>\n\t<array>\n\(schemes)\n\t</array>"

  static let edits = [
    Edit(
      name: "URL schemes",
      before: Sample.plist(
        queries, "<key>CFBundleURLTypes</key>", "<array>", "\t<dict>", "\t\t<key>CFBundleURLSchemes</key>",
        "\t\t<array>", "\t\t\t<string>contoso</string> <!-- ours -->", "\t\t\t<string>$(SCHEME)</string>",
        "\t\t\t<string>old-intunemam</string>", "\t\t</array>", "\t</dict>", "</array>"),
      after: Sample.plist(
        queries, "<key>CFBundleURLTypes</key>", "<array>", "\t<dict>", "\t\t<key>CFBundleURLSchemes</key>",
        "\t\t<array>", "\t\t\t<string>contoso</string> <!-- ours -->", "\t\t\t<string>$(SCHEME)</string>",
        "\t\t\t<string>old-intunemam</string>",
        "\t\t\t<!-- mambridge: copies of the URL schemes, for managed apps -->",
        "\t\t\t<string>contoso-intunemam</string>", "\t\t\t<string>$(SCHEME)-intunemam</string>", "\t\t</array>",
        "\t</dict>", "</array>")),
    Edit(
      name: "document types",
      before: Sample.plist(
        queries, "<key>CFBundleDocumentTypes</key>", "<array>", "\t<dict>", "\t\t<key>LSItemContentTypes</key>",
        "\t\t<array>", "\t\t\t<string>public.text</string>", "\t\t\t<string>Public.Text</string>", "\t\t</array>",
        "\t</dict>", "\t<dict/>", "</array>"),
      after: Sample.plist(
        queries, "<key>CFBundleDocumentTypes</key>", "<array>", "\t<dict>", "\t\t<key>LSItemContentTypes</key>",
        "\t\t<array>", "\t\t\t<string>public.text</string>", "\t\t\t<string>Public.Text</string>",
        "\t\t\t<!-- mambridge: copies of the content types, for managed apps -->",
        "\t\t\t<string>com.microsoft.intune.mam.public.text</string>", "\t\t</array>", "\t</dict>", "\t<dict/>",
        "</array>")),
    Edit(
      name: "app groups, without settings", before: Sample.plist(queries),
      entitlements: Sample.plist(
        "<key>com.apple.security.application-groups</key>", "<array><string>group.a&amp;b</string></array>"),
      after: Sample.plist(
        queries, "<!-- mambridge: app groups from the entitlements -->", "<key>IntuneMAMSettings</key>", "<dict>",
        "\t<key>AppGroupIdentifiers</key>", "\t<array>", "\t\t<string>group.a&amp;b</string>", "\t</array>",
        "</dict>")),
    Edit(
      name: "app groups, beside others",
      before: Sample.plist(
        queries, "<key>IntuneMAMSettings</key>", "<dict>", "\t<key>AppGroupIdentifiers</key>", "\t<array/>",
        "\t<key>MultiIdentity</key> <true/>", "</dict>"),
      entitlements: Sample.plist(
        "<key>com.apple.security.application-groups</key>", "<array><string>group.a</string></array>"),
      after: Sample.plist(
        queries, "<key>IntuneMAMSettings</key>", "<dict>", "\t<key>AppGroupIdentifiers</key>", "\t<array>",
        "\t\t<!-- mambridge: app groups from the entitlements -->", "\t\t<string>group.a</string>", "\t</array>",
        "\t<key>MultiIdentity</key> <true/>", "</dict>")),
    Edit(
      name: "query schemes",
      before: Sample.plist(
        queries.replacing(
          "<array>\n", with: "<array>\n\t\t<string>mailto</string>\n\t\t<string>Tel</string>\n")),
      after: Sample.plist(
        queries.replacing(
          "<array>\n", with: "<array>\n\t\t<string>mailto</string>\n\t\t<string>Tel</string>\n"
        ).replacing(
          "\n\t</array>",
          with: """

            \t\t<!-- mambridge: URL schemes of managed apps and of the SDK -->
            \t\t<string>mailto-intunemam</string>
            \t\t<string>Tel-intunemam</string>
            \t\t<string>ms-outlook-intunemam</string>
            \t</array>
            """))),
    Edit(
      name: "no query schemes yet", before: Sample.plist(),
      after: Sample.plist(
        "<!-- mambridge: URL schemes of managed apps and of the SDK -->", queries)),
  ]

  @Test("configure adds what is missing, with a comment, and changes nothing else", arguments: edits)
  func edit(_ edit: Edit) throws {
    let after = try #require(try Sample.configured(edit.before, entitlements: edit.entitlements))
    #expect(after == edit.after)
    #expect(try Sample.configured(after, entitlements: edit.entitlements) == nil)
  }

  @Test(
    "configure rejects text that is not a URL scheme, and says what to write",
    arguments: [
      ("msauth.com.example.app://auth", "Write \"msauth.com.example.app\""),
      ("msauth.$(PRODUCT_BUNDLE_IDENTIFIER)://auth", "Write \"msauth.$(PRODUCT_BUNDLE_IDENTIFIER)\""),
      ("$(ID:rfc1034identifier)://x", "Write \"$(ID:rfc1034identifier)\""), ("skype:", "Write \"skype\""),
      (" contoso ", "Write \"contoso\""), ("contoso/x?y", "Write \"contoso\""),
      ("msauth.com.example.app://auth-intunemam", "Remove it: the copy of a scheme is added for you"),
      ("my_app", letters), ("1app", letters), ("über", letters), ("$(OPEN", letters),
    ])
  func noScheme(text: String, advice: String) {
    let places = [
      ("CFBundleURLTypes[0].CFBundleURLSchemes[1]", Self.types("contoso", text)),
      (
        "LSApplicationQueriesSchemes[1]",
        Sample.plist(
          "<key>LSApplicationQueriesSchemes</key>", "<array><string>a</string><string>\(text)</string></array>")
      ),
    ]
    for (key, plist) in places {
      let error = #expect(throws: ConfiguratorError.self) { try Sample.configured(plist) }
      #expect(error?.message == "Info.plist: \(key): \"\(text)\" is not a URL scheme")
      #expect(error?.hint == "\(advice). No file was changed.")
      #expect(throws: ConfiguratorError.self) { try Configurator().check(Sample.bundle(plist)) }
    }
  }

  private static let letters =
    "A scheme begins with a letter and contains only letters, digits, \"+\", \"-\" and \".\""

  private static func types(_ schemes: String...) -> String {
    let list = schemes.map { "<string>\($0)</string>" }.joined()
    return Sample.plist(
      queries, "<key>CFBundleURLTypes</key>",
      "<array><dict><key>CFBundleURLSchemes</key><array>\(list)</array></dict></array>")
  }

  @Test(
    "configure adds no copy of a copied scheme or of a scheme of the SDK or its sign-in library",
    arguments: [
      "old-intunemam", "OLD-IntuneMAM", "msauthv2", "MSAuthV3", "companyportal", "intunemam-mtd", "scmx",
      "msauth.com.microsoft.intunemam",
    ])
  func noCopy(scheme: String) throws {
    #expect(try Sample.configured(Self.types(scheme)) == nil)
    let queries = Self.queries.replacing("<array>\n", with: "<array>\n\t\t<string>\(scheme)</string>\n")
    #expect(try Sample.configured(Sample.plist(queries)) == nil)
  }

  @Test(
    "configure adds an -intunemam copy of a URL scheme of the app",
    arguments: ["msauth.com.example.app", "com.googleusercontent.apps.1-a", "a+b", "x-$(ID)", "${SCHEME}", "$(A)$(B)"])
  func copies(scheme: String) throws {
    #expect(try Sample.configured(Self.types(scheme))?.contains("<string>\(scheme)-intunemam</string>") == true)
  }

  @Test("configure adds no copy of a URL scheme if another URL type has the copy")
  func copyElsewhere() throws {
    let text = Sample.plist(
      Self.queries, "<key>CFBundleURLTypes</key>", "<array>",
      "<dict><key>CFBundleURLSchemes</key><array><string>a</string></array></dict>",
      "<dict><key>CFBundleURLSchemes</key><array><string>A-IntuneMAM</string></array></dict>", "</array>")
    #expect(try Sample.configured(text) == nil)
  }

  @Test("configure moves the main storyboard and nib only if movesMainInterface is set")
  func mainInterface() throws {
    let text = Sample.plist(
      Self.queries, "<key>UIMainStoryboardFile</key>", "<string>Main</string>", "<key>NSMainNibFile~ipad</key>",
      "<string>Pad</string>", "<key>Last</key>", "<true/>")
    #expect(try Sample.configured(text) == nil)
    var configurator = Configurator()
    configurator.movesMainInterface = true
    let after = try #require(try Sample.configured(text, configurator))
    #expect(
      after
        == Sample.plist(
          Self.queries, "<key>Last</key>", "<true/>",
          "<!-- mambridge: was UIMainStoryboardFile; for SDKs before 2020 -->", "<key>IntuneMAMSettings</key>",
          "<dict>",
          "\t<key>MainStoryboardFile</key>", "\t<string>Main</string>",
          "\t<!-- mambridge: was NSMainNibFile~ipad; for SDKs before 2020 -->", "\t<key>MainNibFile~ipad</key>",
          "\t<string>Pad</string>", "</dict>"))
    #expect(try Sample.configured(after, configurator) == nil)
  }

  @Test("configure adds query schemes up to the limit of 50, including all schemes of the SDK")
  func limit() throws {
    let own = (0..<30).map { "<string>s\($0)</string>" }.joined()
    let after = try #require(
      try Sample.configured(Sample.plist("<key>LSApplicationQueriesSchemes</key>", "<array>\(own)</array>")))
    let schemes =
      try Sample.value(of: after)["LSApplicationQueriesSchemes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(schemes.count == 50)
    #expect(Set(QuerySchemes.fixed).isSubset(of: schemes))
    #expect(schemes.contains("s4-intunemam"))
    #expect(!schemes.contains("s5-intunemam"))
    #expect(try Sample.configured(after) == nil)
  }

  @Test("configure adds no query schemes to an extension")
  func noQueries() throws {
    #expect(try Sample.configured(Sample.plist("<key>NSExtension</key>", "<dict/>")) == nil)
  }

  @Test(
    "configure rejects a value of the wrong type and names its key",
    arguments: [
      ("CFBundleURLTypes", "<string/>", "an array of dictionaries"),
      ("CFBundleURLTypes", "<array><string/></array>", "an array of dictionaries"),
      ("CFBundleDocumentTypes", "<dict/>", "an array of dictionaries"),
      ("LSApplicationQueriesSchemes", "<array><true/></array>", "an array of strings"),
      ("IntuneMAMSettings", "<array/>", "a dictionary"), ("NSExtension", "<string/>", "a dictionary"),
    ])
  func wrongType(key: String, value: String, expected: String) throws {
    let text = Sample.plist("<key>\(key)</key>", value)
    let error = try #require(throws: ConfiguratorError.self) { try Sample.configured(text) }
    #expect(error == ConfiguratorError(.wrongType(key: key, expected: expected), path: "Info.plist"))
  }
}
