import JSON
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// Random policies from the list of properties: import, store, read again.
@Suite struct RandomPolicyTests {
  @Test(
    "A random policy survives the store", .enabled(if: SharedFolder.isPresent, "the list of properties is missing"),
    arguments: [UInt64](1...40))
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let list = try #require(JSONValue(parsing: SharedFolder.text("facts/ios-policy-properties.json") ?? "").arrayValue)
    var object: JSONObject = [:]
    for row in list where Bool.random(using: &random) {
      let name = try #require(row["name"]?.stringValue).split(separator: " ")[0]
      guard let setting = SettingName(rawValue: String(name)), let definition = SettingDefinition.of(setting) else {
        continue
      }
      object[String(name)] = definition.type.random(&random)
    }
    var warnings: [PolicyWarning] = []
    let policy = PolicyDocument(
      graph: object, kind: .ios, source: "policies/x.json", fallbackID: "x", warnings: &warnings)
    #expect(warnings.isEmpty)
    let stored = try PolicyDocument(stored: policy.encoded)
    #expect(stored == policy)
    #expect(stored.encoded == policy.encoded)
    try expectSDKRoundTrip(policy)
  }

  /// What the SDK has a form for reads back from it.
  private func expectSDKRoundTrip(_ policy: PolicyDocument) throws {
    for (name, value) in policy.settings {
      let definition = try #require(SettingDefinition.of(name))
      let written = definition.write(sdk: value)
      guard definition.sdk != nil, !written.isNull, name.isExactInSDK else { continue }
      #expect(definition.read(sdk: written).value == value, "\(name)")
    }
  }

  @Test(
    "A stored text that is none of ours is refused",
    arguments: [
      "", "{}", "[]", #"{"id":"x"}"#,
      #"{"id":"x","displayName":"x","kind":"ios","source":"","targeting":{},"settings":{"pinRequired":"x"}}"#,
    ])
  func refuses(text: String) {
    #expect(throws: StoredTextError.self) { try PolicyDocument(stored: text) }
  }
}

extension SettingName {
  /// iManage and egnyte have no bit; names of exempt schemes are not delivered.
  fileprivate var isExactInSDK: Bool { self != .allowedDataStorageLocations && self != .exemptedAppProtocols }
}

extension SettingType {
  func random(_ random: inout SeededGenerator) -> JSONValue {
    if Int.random(in: 0..<10, using: &random) == 0 { return .null }
    switch self {
    case .bool: return .bool(.random(using: &random))
    case .integer(let range): return .integer(.random(in: range, using: &random))
    case .duration: return .string("P\(Int.random(in: 0...400, using: &random))D")
    case .string: return .string("text \(random.next() % 100)")
    case .word(let type): return .string(type.words[Int.random(in: 0..<type.words.count, using: &random)])
    case .words(let type, let joined):
      let words = type.words.filter { _ in Bool.random(using: &random) }
      return joined ? .string(words.joined(separator: ",")) : .array(words.map(JSONValue.string))
    case .version: return .string("\(random.next() % 20).\(random.next() % 20)")
    case .strings(let separator):
      let texts = ["a", "b c", "d*"].filter { _ in Bool.random(using: &random) }
      return separator.map { .string(texts.joined(separator: String($0))) } ?? .array(texts.map(JSONValue.string))
    case .pairs: return [["name": "Default", "value": "skype;itms"]]
    case .opaque: return .array([])
    }
  }
}
