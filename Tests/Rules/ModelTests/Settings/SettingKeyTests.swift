import JSON
import Model
import TestSupport
import Testing

@Suite struct SettingKeyTests {
  @Test("Every setting key is unique and has a meaning and a default value of its type")
  func table() {
    #expect(Set(SettingKey.allCases.map(\.name)).count == SettingKey.allCases.count)
    for key in SettingKey.allCases {
      #expect(key.meaning.hasSuffix("."))
      #expect(key.defaultValue.isNull || key.type.normalized(key.defaultValue) == key.defaultValue)
    }
  }

  @Test("A setting key is found by its Info.plist name or its property name, in exactly that spelling")
  func aliases() {
    for key in SettingKey.allCases {
      #expect(SettingKey(named: key.name) == key)
      if let property = key.property { #expect(SettingKey(named: property) == key) }
    }
    #expect(SettingKey(named: "backgroundColor") == .backgroundColor)
    #expect(SettingKey(named: "AadClientIdOverride") == .aadClientIdOverride)
    #expect(SettingKey(named: "backgroundcolor") == nil)
    #expect(SettingKey(named: "") == nil)
  }
}

/// What the lists of the SDK and of its documentation say.
@Suite(.enabled(if: SharedFolder.isPresent, "the folder of facts beside the checkout is missing"))
struct DocumentedSettingTests {
  @Test("Setting keys have exactly the properties of the SDK's IntuneMAMSettings")
  func properties() {
    let rows = SharedFolder.rows("facts/sdk-surface-21.tsv")
    let names = rows.filter { $0.first == "IntuneMAMSettings" && !$0[1].hasPrefix("+") }.map { $0[1] }
    #expect(!names.isEmpty)
    #expect(Set(names) == Set(SettingKey.allCases.compactMap(\.property)))
  }

  @Test("Every setting in the current SDK documentation exists with its default, even if removed there")
  func newest() throws {
    let keys = try Self.newestKeys()
    #expect(keys.count > 30)
    for (name, note) in keys {
      let key = try #require(SettingKey(named: name), "\(name)")
      guard let value = note.flatMap({ Self.value($0, key) }) else { continue }
      #expect(key.defaultValue == value, "\(name)")
    }
  }

  /// A table of settings, and what its words for types stand for.
  struct Guide: Sendable {
    let file, heading: String
    let types: [String: String]
  }

  @Test(
    "Every setting in the SDK guides of 2017 and 2020 exists with its type",
    arguments: [
      Guide(
        file: "guide-2017-en.md", heading: "Setting  |",
        types: [
          "String": "string color url", "Boolean": "bool", "Number": "number", "Array of string": "stringList",
          "Array of Strings": "stringList",
        ]),
      Guide(
        file: "guide-2020-tr.md", heading: "Ayar  | Tür  | Tanım | Gerekli mi?",
        types: [
          "Dize": "string color url", "Boole": "bool", "Sayı": "number", "Dizeler dizisi": "stringList",
          "Dize Dizisi": "stringList",
        ]),
    ])
  func older(_ guide: Guide) throws {
    let text = try #require(SharedFolder.text("guides/\(guide.file)"))
    let table = text.split(separator: "\n").drop { !$0.hasPrefix(guide.heading) }.dropFirst(2).prefix {
      $0.contains("|")
    }
    #expect(table.count > 20)
    for row in table {
      let cells = row.split(separator: "|").map(String.init)
      let type = cells[1].split(separator: " ").joined(separator: " ")
      for name in cells[0].split(separator: "<br>") {
        let key = try #require(SettingKey(named: name.split(separator: " ").joined()), "\(name)")
        #expect(guide.types[type]?.contains(key.type.rawValue) == true, "\(name): \(type)")
      }
    }
  }

  @Test("Every setting in the SDK guide of 2024 exists with its type")
  func recent() throws {
    let types = [
      "Stringa": "string color url", "Booleano": "bool", "Numero": "number", "Matrice di stringhe": "stringList",
    ]
    let text = try #require(SharedFolder.text("guides/guide-2024-stage3-it.txt"))
    let lines = text.matches(
      of: #/(?m)^([A-Z][A-Za-z]{5,}) (Stringa|Booleano|Numero|Matrice di stringhe) /#)
    #expect(lines.count > 20)
    // The translation took one name for words.
    for line in lines where line.output.1 != "SfondoColore" {
      let key = try #require(SettingKey(named: String(line.output.1)), "\(line.output.0)")
      #expect(types[String(line.output.2)]?.contains(key.type.rawValue) == true, "\(line.output.0)")
    }
  }

  /// Names with what stands in parentheses behind them.
  private static func newestKeys() throws -> [(name: String, note: String?)] {
    let facts = try #require(SharedFolder.text("facts/app-protection.md"))
    let list = try #require(facts.split(separator: "\n").first { $0.hasPrefix("IntuneMAMSettings keys") })
    let keys = try #require(list.split(separator: "): ", maxSplits: 1).last)
    return keys.matches(of: /([A-Z][A-Za-z]{5,})(\[~ipad\])?(?:\(([^)]*)\))?/).flatMap { match in
      let (_, name, ending, note) = match.output
      return (ending == nil ? [""] : ["", "~ipad"]).map { (String(name) + $0, note.map(String.init)) }
    }
  }

  /// The default that a note speaks of; nil where it says something else.
  private static func value(_ note: String, _ key: SettingKey) -> JSONValue? {
    let first = note.split(separator: ";").first.map(String.init) ?? ""
    return switch first {
    case "NO": false
    case "YES": true
    case "white": "#FFFFFF"
    case "gray": "#808080"
    case "1.5 s": 1.5
    default: .string(first)
    }
  }
}
