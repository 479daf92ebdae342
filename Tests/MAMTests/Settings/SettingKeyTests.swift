import MAM
import TestSupport
import Testing

@Suite struct SettingKeyTests {
  @Test("every key stands once, has a meaning, and a default of its own type")
  func table() {
    #expect(Set(SettingKey.all.map(\.name)).count == SettingKey.all.count)
    for key in SettingKey.all {
      #expect(key.meaning.hasSuffix("."))
      guard !key.defaultValue.isNull else { continue }
      var settings = Settings()
      #expect(throws: Never.self) { try settings.load([key.name: key.defaultValue]) }
      #expect(settings.value(key).value == key.defaultValue)
    }
  }

  @Test("a key is found by its name in Info.plist and by its property's, not by other spellings")
  func aliases() {
    for key in SettingKey.all { #expect(SettingKey(named: key.name) == key) }
    #expect(SettingKey(named: "backgroundColor") == .backgroundColor)
    #expect(SettingKey(named: "AadClientIdOverride") == .aadClientIdOverride)
    #expect(SettingKey(named: "backgroundcolor") == nil)
    #expect(SettingKey(named: "") == nil)
  }

  @Test("the properties are those of the SDK's IntuneMAMSettings", .enabled(if: SharedFolder.isPresent))
  func properties() {
    let rows = SharedFolder.rows("facts/sdk-surface.tsv")
    let names = rows.filter { $0.first == "IntuneMAMSettings" && !$0[1].hasPrefix("+") }.map { $0[1] }
    #expect(!names.isEmpty)
    let properties = Set(SettingKey.all.filter(\.isProperty).map(\.name))
    #expect(Set(names.compactMap { SettingKey(named: $0)?.name }) == properties)
    #expect(names.count == properties.count)
  }

  @Test("every key of the newest list of the documentation is there", .enabled(if: SharedFolder.isPresent))
  func documented() throws {
    let facts = try #require(SharedFolder.text("facts/app-protection.md"))
    let list = try #require(facts.split(separator: "\n").first { $0.hasPrefix("IntuneMAMSettings keys") })
    let keys = try #require(list.split(separator: "): ", maxSplits: 1).last).replacing(/\([^)]*\)/, with: "")
    for word in keys.matches(of: /[A-Z][A-Za-z]{5,}/) where !["Runtime"].contains(word.output) {
      #expect(SettingKey(named: String(word.output)) != nil, "\(word.output)")
    }
  }
}
