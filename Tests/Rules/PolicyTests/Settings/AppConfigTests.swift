import JSON
import Testing

@testable import Model
@testable import Policy

@Suite struct AppConfigTests {
  static let tokens = ConfigTokens(
    userId: "87d349ed-44d7-43e1-9a83-5f2406dee5bd", userPrincipalName: "alice@contoso.example", displayName: "Alice",
    mail: nil, tenantId: "6babcaad-604b-40ac-a9d7-9fd97c0b779f")

  static func config(
    _ targeted: [[String: String]], default fallback: [String: String]? = nil, mdm: [String: String]? = nil
  ) -> AppConfig {
    let configurations = targeted.enumerated().map { index, values in
      ConfigurationDocument(id: "A_\(index)", customSettings: pairs(values))
    }
    let defaults = fallback.map { [PolicyDocument(id: "G_0", kind: .default, customSettings: pairs($0))] } ?? []
    return AppConfig(configurations: configurations.reversed(), defaults: defaults, mdm: mdm, tokens: tokens)
  }

  private static func pairs(_ values: [String: String]) -> [KeyValuePair] {
    values.sorted { $0.key < $1.key }.map { KeyValuePair(name: $0.key, value: $0.value) }
  }

  @Test("fullData lists app configurations in the order of the policies and marks the default")
  func fullData() {
    let config = Self.config([["a": "1"], ["a": "2"]], default: ["a": "0"], mdm: ["m": "x"])
    #expect(config.fullData == [["a": "1"], ["a": "2"], ["a": "0", "__IsDefault": true], ["m": "x"]])
    #expect(AppConfig.empty.fullData.isEmpty)
    #expect(AppConfig.empty.isEmpty)
  }

  @Test("The default app configuration applies to a key only if no targeted configuration has the key")
  func defaults() {
    let config = Self.config([["a": "1"], ["b": "2"]], default: ["a": "0", "c": "0"])
    #expect(config.strings("a") == ["1"])
    #expect(config.strings("c") == ["0"])
    #expect(config.strings("A").isEmpty)
    #expect(config.strings("d").isEmpty)
  }

  @Test(
    "hasConflict is true if targeted app configurations give a key different values",
    arguments: [
      ([["k": "1"], ["k": "2"]], true), ([["k": "1"], ["k": "1"]], false), ([["k": "1"]], false), ([[:]], false),
      ([["k": "true"], ["k": "TRUE"]], true), ([["k": "{{mail}}"], ["k": "alice@contoso.example"]], false),
      ([["k": "{{userid}}"], ["k": "x"]], true),
    ] as [([[String: String]], Bool)])
  func conflicts(targeted: [[String: String]], isConflict: Bool) {
    #expect(Self.config(targeted, default: ["k": "other"]).hasConflict("k") == isConflict)
  }

  @Test("App configuration from device management counts as one more targeted configuration")
  func managed() {
    let config = Self.config([["k": "1"]], mdm: ["k": "2"])
    #expect(config.hasConflict("k"))
    #expect(config.strings("k") == ["1", "2"])
  }

  @Test(
    "App configuration values read as Booleans from true, false, yes, no, 1 and 0 in any case",
    arguments: [
      (["true", "false"], true, true, false), (["0", "1"], false, true, false), ([" YES\n", "no"], true, true, false),
      (["maybe", "False"], false, false, false), (["TRUE", "x"], true, true, true), (["x"], nil, nil, nil),
      ([], nil, nil, nil), (["2"], nil, nil, nil), ([""], nil, nil, nil),
    ] as [([String], Bool?, Bool?, Bool?)])
  func bools(values: [String], any: Bool?, or: Bool?, and: Bool?) {
    let config = Self.config(values.map { ["k": $0] })
    #expect(config.bool("k", .any) == any)
    #expect(config.bool("k", .or) == or)
    #expect(config.bool("k", .and) == and)
    #expect(config.bools("k").count == values.compactMap(Bool.init(configured:)).count)
  }

  @Test(
    "App configuration values read as numbers in JSON syntax and compare as numbers",
    arguments: [
      (["10", "9"], .integer(10), .integer(9), .integer(10)), (["2.5", "2"], .real(2.5), .integer(2), .real(2.5)),
      (["x", "-1"], .integer(-1), .integer(-1), .integer(-1)),
      (["1e3", "999"], .real(1000), .integer(999), .real(1000)),
      (["", "0x1"], nil, nil, nil),
    ] as [([String], ConfigNumber?, ConfigNumber?, ConfigNumber?)])
  func numbers(values: [String], any: ConfigNumber?, min: ConfigNumber?, max: ConfigNumber?) {
    let config = Self.config(values.map { ["k": $0] })
    #expect(config.number("k", .any) == any)
    #expect(config.number("k", .min) == min)
    #expect(config.number("k", .max) == max)
  }

  @Test(
    "App configuration strings compare by UTF-8 bytes",
    arguments: [
      (["b", "a"], "b", "a", "b"), (["Z", "a"], "Z", "Z", "a"), (["10", "9"], "10", "10", "9"),
      (["é", "z"], "é", "z", "é"),
      ([""], "", "", ""), ([], nil, nil, nil),
    ] as [([String], String?, String?, String?)])
  func strings(values: [String], any: String?, min: String?, max: String?) {
    let config = Self.config(values.map { ["k": $0] })
    #expect(config.string("k", .any) == any)
    #expect(config.string("k", .min) == min)
    #expect(config.string("k", .max) == max)
    #expect(config.strings("k") == values)
  }

  @Test(
    "Tokens in an app configuration are replaced by the data of the user, and unknown tokens stay",
    arguments: [
      ("{{userprincipalname}}", "alice@contoso.example"), ("<{{MAIL}}>", "<alice@contoso.example>"),
      ("{{primarysmtpaddress}}", "alice@contoso.example"), ("{{partialUPN}}-x", "alice-x"),
      ("{{UserId}}", "87d349ed-44d7-43e1-9a83-5f2406dee5bd"), ("{{username}} {{username}}", "Alice Alice"),
      ("{{accountid}}", "6babcaad-604b-40ac-a9d7-9fd97c0b779f"), ("{{serialnumber}}", "{{serialnumber}}"),
      ("{{ mail }}", "{{ mail }}"), ("{mail}", "{mail}"), ("{{mail", "{{mail"),
      ("{{{mail}}}", "{alice@contoso.example}"),
      ("{{", "{{"), ("", ""), ("{{mail}", "{{mail}"),
    ])
  func tokens(text: String, expected: String) {
    #expect(Self.tokens.replacing(in: text) == expected)
  }

  @Test("If an app configuration has a key twice, the first value applies")
  func twice() {
    let document = ConfigurationDocument(
      id: "A", customSettings: [KeyValuePair(name: "k", value: "1"), KeyValuePair(name: "k", value: "2")])
    let config = AppConfig(configurations: [document], defaults: [], mdm: nil, tokens: Self.tokens)
    #expect(config.strings("k") == ["1"])
    #expect(!config.hasConflict("k"))
  }

  @Test("An app configuration reads back from the store unchanged, and other text is refused")
  func stored() throws {
    let config = Self.config([["a": "1", "é\n": "\"{{username}}"], ["a": "2"]], default: ["c": ""], mdm: ["m": "x"])
    #expect(try AppConfig(stored: config.encoded) == config)
    #expect(throws: StoredTextError.self) { try AppConfig(stored: "{}") }
    #expect(throws: StoredTextError.self) { try AppConfig(stored: "[{}]") }
  }
}
