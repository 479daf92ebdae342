import JSON
import PropertyList
import Testing

@testable import Configurator

@Suite struct CheckTests {
  private func steps(
    _ info: String, entitlements: String = Sample.plist(), app: String? = nil, kind: Finding.Kind = .manual
  ) throws -> [String] {
    try Configurator().steps(of: try Sample.bundle(info, entitlements: entitlements, app: app))
      .filter { $0.kind == kind }.map { "\($0.path): \($0.key): \($0.text)" }
  }

  private static func groups(_ names: String...) -> String {
    let strings = names.map { "<string>\($0)</string>" }.joined()
    return Sample.plist("<key>keychain-access-groups</key><array>\(strings)</array>")
  }

  private static let info = Sample.plist(
    "<key>CFBundleIdentifier</key><string>com.contoso.app</string>",
    "<key>NSFaceIDUsageDescription</key><string>To open it.</string>")

  private static let complete = groups(
    "$(AppIdentifierPrefix)com.contoso.app", "$(AppIdentifierPrefix)com.microsoft.intune.mam",
    "$(AppIdentifierPrefix)com.microsoft.adalcache")

  static let keychains: [(String, String, [String])] = [
    (info, complete, []),
    (
      info, Sample.plist(),
      [
        "add $(AppIdentifierPrefix)com.contoso.app as the first group",
        "add $(AppIdentifierPrefix)com.microsoft.intune.mam", "add $(AppIdentifierPrefix)com.microsoft.adalcache",
      ]
    ),
    (
      info,
      groups(
        "$(AppIdentifierPrefix)com.microsoft.intune.mam", "$(AppIdentifierPrefix)com.contoso.app",
        "com.microsoft.adalcache"),
      [
        "the first group must be the bundle identifier of the app: $(AppIdentifierPrefix)com.contoso.app",
        "write com.microsoft.adalcache as $(AppIdentifierPrefix)com.microsoft.adalcache",
      ]
    ),
    (
      info,
      groups(
        "ABCDE12345.com.contoso.app", "ABCDE12345.com.microsoft.adalcache", "ABCDE12345.com.microsoft.intune.mam"), []
    ),
    (
      info.replacing("com.contoso.app", with: "$(PRODUCT_BUNDLE_IDENTIFIER)"), complete, []
    ),
    (
      Sample.plist(
        "<key>CFBundleIdentifier</key><string>com.contoso.app</string>",
        "<key>NSFaceIDUsageDescription</key><string>x</string>",
        "<key>IntuneMAMSettings</key><dict>",
        "<key>ADALCacheKeychainGroupOverride</key><string>com.contoso.cache</string></dict>"),
      complete.replacing("com.microsoft.adalcache", with: "com.contoso.cache"), []
    ),
  ]

  @Test("configure reports missing keychain groups and groups in the wrong order", arguments: keychains)
  func keychainGroups(info: String, entitlements: String, texts: [String]) throws {
    let expected = texts.map { "App.entitlements: keychain-access-groups: \($0)" }
    #expect(try steps(info, entitlements: entitlements) == expected)
  }

  @Test("configure reports a blank NSFaceIDUsageDescription")
  func faceID() throws {
    let texts = try steps(Sample.plist("<key>NSFaceIDUsageDescription</key><string> </string>"))
    #expect(texts.contains { $0.hasPrefix("Info.plist: NSFaceIDUsageDescription: ") })
  }

  @Test("configure --check reports the edits to make, and none once they are made")
  func edits() throws {
    let findings = try Configurator().check(try Sample.bundle(Self.info, entitlements: Self.complete))
    #expect(findings.filter { $0.kind != .hint }.map(\.key) == ["LSApplicationQueriesSchemes"])
    let after = try #require(try Sample.configured(Self.info, entitlements: Self.complete))
    let rest = try Configurator().check(try Sample.bundle(after, entitlements: Self.complete))
    #expect(rest.allSatisfy { $0.kind == .hint })
  }

  private static let openIn = Sample.plist(
    "<key>NSExtension</key><dict/>",
    "<key>IntuneMAMSettings</key><dict><key>OpenInActionExtension</key><true/></dict>")

  @Test("configure reports what an open-in extension and its app lack to work together")
  func openInSteps() throws {
    #expect(
      try steps(Self.openIn, entitlements: Self.complete) == [
        "Info.plist: IntuneMAMSettings.ContainingAppBundleId: set it to the bundle identifier of the app",
        """
        Info.plist: NSExtension.NSExtensionAttributes.NSExtensionActivationRule: add the document types that the app opens; \
        with --app APP/Info.plist they are added for you
        """,
        "App.entitlements: com.apple.security.application-groups: add an app group that the app is in, too",
      ])
    let entitlements = Self.complete.replacing(
      "</dict>",
      with: "<key>com.apple.security.application-groups</key><array><string>group.a</string></array></dict>")
    #expect(
      try steps(Self.openIn, entitlements: entitlements, app: Self.info).suffix(2) == [
        "App/Info.plist: IntuneMAMSettings.AppGroupIdentifiers: add an app group that the extension is in, too",
        "App/Info.plist: CFBundleURLTypes: add a URL scheme and its copy for managed apps",
      ])
  }

  @Test("configure reports settings that may be intended as hints")
  func hints() throws {
    let many = (0..<40).map { "<string>scheme\($0)</string>" }.joined()
    let info = Sample.plist(
      "<key>LSApplicationQueriesSchemes</key><array>\(many)</array>",
      "<key>IntuneMAMSettings</key><dict><key>DebugSettingsEnabled</key><true/>",
      "<key>AppGroupIdentifiers</key><array><string>group.gone</string></array></dict>")
    let hints = try steps(info, kind: .hint)
    for word in [
      "group.gone", "turn it off before you ship", "ADALClientId", "STRIP_SWIFT_SYMBOLS", "55 schemes",
      "no room for scheme0-intunemam, ", "UISceneConfig",
    ] {
      #expect(hints.contains { $0.contains(word) }, "\(word)")
    }
    let interface = Sample.plist(
      "<key>IntuneMAMSettings</key><dict><key>MainStoryboardFile</key><string>Main</string></dict>")
    let older = try steps(interface, kind: .hint)
    #expect(older.contains { $0.contains("UIMainStoryboardFile") })
    #expect(!older.contains { $0.contains("UIScene") })
  }
}
