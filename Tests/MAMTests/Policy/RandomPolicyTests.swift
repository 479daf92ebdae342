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
