import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import MAM

@Suite struct SettingsFileTests {
  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  private func load(_ text: String) throws -> Settings {
    let folder = TemporaryFolder()
    return try Settings(path: folder.write(text, to: "Info.plist"))
  }

  @Test("Settings come only from IntuneMAMSettings in an Info.plist")
  func infoPlist() throws {
    let settings = try load(
      Self.head + """
        <dict>
          <key>CFBundleName</key><string>App</string>
          <!-- <key>MultiIdentity</key> -->
          <key>IntuneMAMSettings</key>
          <dict>
            <key>MultiIdentity</key> <true/>
            <key>SupportsDarkMode</key> <false></false>
            <key>SplashDuration</key> <real> 2.5 </real>
            <key>ADALClientId</key> <string>a &lt;b&gt; &amp; &#65;&#x1F600;<![CDATA[<c>]]></string>
            <key>AppGroupIdentifiers</key> <array><string>one</string><string/></array>
            <key>Later</key> <array><date>2026-01-01T00:00:00Z</date><data> AA EC </data><integer>-5</integer></array>
          </dict>
        </dict>
        </plist>
        """)
    #expect(settings.bool(.multiIdentity))
    #expect(!settings.bool(.supportsDarkMode))
    #expect(settings.number(.splashDuration) == 2.5)
    #expect(settings.string(.adalClientId) == "a <b> & A😀<c>")
    #expect(settings.stringList(.appGroupIdentifiers) == ["one", ""])
    #expect(settings.unknown == ["Later": ["2026-01-01T00:00:00Z", "AAEC", -5]])
    #expect(settings.warnings.count == 1)
  }

  @Test("Settings can be a bare dictionary, plist or JSON; an Info.plist without settings is accepted")
  func otherForms() throws {
    #expect(try load(Self.head + "<dict><key>multiIdentity</key><true/></dict></plist>").bool(.multiIdentity))
    let bare = try load(Self.head + "<dict><key>CFBundleName</key><string>x</string></dict></plist>")
    #expect(bare.warnings.isEmpty)
    #expect(try load(#"{"IntuneMAMSettings": {"MultiIdentity": true}, "CFBundleName": "x"}"#).bool(.multiIdentity))
    #expect(try load("\u{FEFF} {\"MultiIdentity\": true}").bool(.multiIdentity))
  }

  @Test("A damaged property list is refused with the line of the fault")
  func damagedList() throws {
    let error = try #require(throws: SettingsError.self) { try load(Self.head + "<dict>\n<key>a</key></dict></plist>") }
    guard case .malformed(_, line: 5) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(error.path != nil)
  }

  @Test("Settings can be read from a binary property list")
  func binaryList() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let contents = Array(try encoder.encode(["IntuneMAMSettings": ["MultiIdentity": true]]))
    #expect(try Settings(contents: contents).bool(.multiIdentity))
  }

  @Test(
    "Invalid JSON and other malformed text are refused as settings",
    arguments: ["{\n\"a\": }", "", "hello", "[]", "\"x\""])
  func damagedJSON(text: String) throws {
    let error = try #require(throws: SettingsError.self) { try load(text) }
    guard case .malformed = error.reason else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("A missing settings file is reported with its path")
  func missing() throws {
    let error = try #require(throws: SettingsError.self) { try Settings(path: "/nonexistent/settings") }
    #expect(error == SettingsError(.unreadable("No such file or directory"), path: "/nonexistent/settings"))
  }

  @Test("IntuneMAMSettings that is not a dictionary is refused")
  func noDictionary() throws {
    let error = try #require(throws: SettingsError.self) { try load(#"{"IntuneMAMSettings": [true]}"#) }
    #expect(error.key == "IntuneMAMSettings")
  }
}
