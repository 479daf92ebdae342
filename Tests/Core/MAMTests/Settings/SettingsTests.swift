import JSON
import MAM
import Model
import TestSupport
import Testing

@Suite struct SettingsTests {
  private func settings(_ text: String) throws -> Settings {
    let folder = TemporaryFolder()
    return try Settings(path: folder.write(text, to: "settings"))
  }

  @Test("Without a source, each setting has its default")
  func defaults() {
    let settings = Settings()
    for key in SettingKey.allCases {
      #expect(settings.value(key) == Settings.Value(value: key.defaultValue, origin: .defaults))
    }
    #expect(settings.number(.splashDuration) == 1.5)
    #expect(settings.bool(.supportsDarkMode))
    #expect(settings.string(.adalClientId) == nil)
    #expect(settings.stringList(.appGroupIdentifiers) == [])
  }

  @Test("Overrides take precedence over flags, and flags over the file; removing one reveals the next")
  func layers() throws {
    var settings = try settings(#"{"BackgroundColor": "0a0b0c", "MultiIdentity": true}"#)
    #expect(settings.value(.backgroundColor) == .init(value: "#0A0B0C", origin: .file))
    try settings.set(flag: "BackgroundColor=#111111")
    #expect(settings.value(.backgroundColor) == .init(value: "#111111", origin: .flag))
    try settings.override("backgroundColor", "222222")
    #expect(settings.value(.backgroundColor) == .init(value: "#222222", origin: .override))
    for removal in [JSONValue.null, ""] {
      try settings.override("backgroundColor", "222222")
      try settings.override("BackgroundColor", removal)
      #expect(settings.value(.backgroundColor).origin == .flag)
    }
    #expect(settings.bool(.multiIdentity))
  }

  static let wrong: [(String, String)] = [
    ("MultiIdentity", #""YES""#), ("MultiIdentity", "1"), ("SplashDuration", #""1.5""#), ("ADALClientId", "5"),
    ("ADALClientId", "null"), ("AppGroupIdentifiers", #""a""#), ("AppGroupIdentifiers", #"["a", 1]"#),
    ("AccentColor", #""red""#), ("AccentColor", "\"#12345\""), ("AccentColor", "\"##12345\""),
    ("ADALAuthority", #""login""#), ("ADALAuthority", #""a b:c""#), ("valuesToScrubFromLogging", "{}"),
  ]

  @Test("A setting of the wrong type is refused with its name and a hint, but without its value", arguments: wrong)
  func wrongType(name: String, value: String) throws {
    let error = try #require(throws: SettingsError.self) { try settings("{\"\(name)\": \(value)}") }
    #expect(error.key == SettingKey(named: name)?.name)
    #expect(error.path?.hasSuffix("/settings") == true)
    guard case .wrongType = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains(error.key ?? "?"))
    #expect(error.hint.hasPrefix("Write the value as "))
    #expect(!error.description.contains("12345"))
  }

  @Test("Unknown settings are kept, with a warning")
  func unknown() throws {
    let settings = try settings(#"{"Later": {"a": [1]}, "MultiIdentity": true}"#)
    #expect(settings.unknown == ["Later": ["a": [1]]])
    #expect(settings.warnings.count == 1)
    #expect(settings.warnings[0].contains("Later"))
  }

  static let flags: [(String, SettingKey, JSONValue)] = [
    ("MultiIdentity=true", .multiIdentity, true), ("MultiIdentity=YES", .multiIdentity, true),
    ("MultiIdentity=1", .multiIdentity, true), ("multiIdentity=no", .multiIdentity, false),
    ("SupportsDarkMode=0", .supportsDarkMode, false), ("SplashDuration=2", .splashDuration, 2),
    ("SplashDuration=0.5", .splashDuration, 0.5), ("ADALClientId=a=b", .adalClientId, "a=b"),
    ("ADALClientId=", .adalClientId, ""), ("AppGroupIdentifiers=a,b", .appGroupIdentifiers, ["a", "b"]),
    ("AppGroupIdentifiers=[\"a,b\", \"c\"]", .appGroupIdentifiers, ["a,b", "c"]),
    ("AppGroupIdentifiers=", .appGroupIdentifiers, []),
    ("ADALRedirectUri=msauth.com.example://auth", .adalRedirectUri, "msauth.com.example://auth"),
    ("accentColor=abcdef", .accentColor, "#ABCDEF"),
  ]

  @Test("A flag is parsed according to the type of its setting", arguments: flags)
  func flag(text: String, key: SettingKey, value: JSONValue) throws {
    var settings = Settings()
    try settings.set(flag: text)
    #expect(settings.value(key) == .init(value: value, origin: .flag))
  }

  static let wrongFlags = [
    "MultiIdentity", "MultiIdentity=", "MultiIdentity=maybe", "SplashDuration=", "SplashDuration=long",
    "SplashDuration=true", "AppGroupIdentifiers=[1]", "AppGroupIdentifiers=[", "AccentColor=red", "NoSuchKey=1", "=",
  ]

  @Test("A flag with an invalid name or value is refused", arguments: wrongFlags)
  func wrongFlag(text: String) {
    var settings = Settings()
    #expect(throws: SettingsError.self) { try settings.set(flag: text) }
  }

  @Test("An override of an unknown setting or with a value of the wrong type is refused")
  func wrongOverride() {
    var settings = Settings()
    #expect(throws: SettingsError.self) { try settings.override("MultiIdentity", "YES") }
    #expect(throws: SettingsError(.unknownKey, key: "nope")) { try settings.override("nope", true) }
  }
}
