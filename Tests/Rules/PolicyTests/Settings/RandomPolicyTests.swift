import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// Random policies from the list of properties: import, store, read again.
@Suite struct RandomPolicyTests {
  /// An object of the listed properties, about half of which it has.
  private func object(_ random: inout SeededGenerator) throws -> JSONObject {
    let list = try #require(JSONValue(parsing: SharedFolder.text("facts/ios-policy-properties.json") ?? "").arrayValue)
    var object: JSONObject = [:]
    for row in list where Bool.random(using: &random) {
      let name = try #require(row["name"]?.stringValue).split(separator: " ")[0]
      let definition = try #require(SettingName(rawValue: String(name)).map(\.definition), "\(name)")
      object[String(name)] = definition.type.random(&random)
    }
    return object
  }

  private func document(_ object: JSONObject, _ id: String) -> PolicyDocument {
    var (object, warnings) = (object, [PolicyWarning]())
    object["id"] = .string(id)
    let policy = PolicyDocument(
      unchecked: object, kind: .ios, source: "policies/x.json", fallbackID: "x", warnings: &warnings)
    #expect(warnings.isEmpty)
    return policy
  }

  @Test(
    "A random policy reads back unchanged from the store and from SDK names",
    .enabled(if: SharedFolder.isPresent, "the list of properties is missing"),
    arguments: [UInt64](1...40))
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let policy = document(try object(&random), "x")
    let stored = try PolicyDocument(stored: policy.encoded)
    #expect(stored == policy)
    #expect(stored.encoded == policy.encoded)
    try expectSDKRoundTrip(policy)
  }

  @Test(
    "Random policies merge in any order to one policy that exports and reads back unchanged",
    .enabled(if: SharedFolder.isPresent, "the list of properties is missing"), arguments: [UInt64](1...40))
  func merge(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let policies = try ["1", "2", "3"].map { document(try object(&random), $0) }
    let merged = try #require(EffectivePolicy(merging: policies, platform: .ios))
    #expect(EffectivePolicy(merging: policies.reversed(), platform: .ios) == merged)
    let back = document(merged.exported, "x")
    #expect(back.settings == merged.values)
    let again = try #require(EffectivePolicy(merging: [back], platform: .ios))
    #expect(again.values == merged.values)
  }

  @Test(
    "The policy report shows every one of 84 iOS policy properties with its value",
    .enabled(if: SharedFolder.isPresent, "the list of properties is missing"))
  func shown() throws {
    var random = SeededGenerator(state: 1)
    let list = try #require(JSONValue(parsing: SharedFolder.text("facts/ios-policy-properties.json") ?? "").arrayValue)
    var object: JSONObject = [:]
    for row in list {
      let name = try #require(row["name"]?.stringValue?.split(separator: " ").first.map(String.init))
      let definition = try #require(SettingName(rawValue: name).map(\.definition), "\(name)")
      repeat {
        object[name] = definition.type.random(&random)
      } while definition.read(graph: object[name] ?? .null) == .unset
    }
    let shown = try #require(EffectivePolicy(merging: [document(object, "x")], platform: .ios)).exported
    #expect(object.names.count == 84)
    #expect(shown.names.sorted() == object.names.sorted())
    for name in object.names where name != "id" {
      let definition = try #require(SettingName(rawValue: name).map(\.definition))
      let value = try #require(object[name].map { definition.read(graph: $0).value })
      #expect(definition.read(graph: shown[name] ?? .null).value == value, "\(name)")
    }
  }

  @Test(
    "A policy merged with itself keeps its settings",
    .enabled(if: SharedFolder.isPresent, "the list of properties is missing"), arguments: [UInt64](1...20))
  func same(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let object = try object(&random)
    let policies = ["1", "2"].map { document(object, $0) }
    let merged = try #require(EffectivePolicy(merging: policies, platform: .ios))
    #expect(merged.settings.mapValues(\.value) == policies[0].settings)
    #expect(merged.warnings.isEmpty)
  }

  /// What the SDK has a form for reads back from it.
  private func expectSDKRoundTrip(_ policy: PolicyDocument) throws {
    for (name, value) in policy.settings {
      let definition = name.definition
      let written = definition.write(sdk: value)
      guard definition.sdk != nil, !written.isNull, name.isExactInSDK else { continue }
      #expect(definition.read(sdk: written).value == value, "\(name)")
    }
  }

  @Test(
    "Text that is not a stored policy is refused",
    arguments: [
      "", "{}", "[]", #"{"id":"x"}"#,
      #"{"id":"x","displayName":"x","kind":"ios","source":"","targeting":{},"settings":{"pinRequired":"x"}}"#,
    ])
  func refuses(text: String) {
    #expect(throws: StoredTextError.self) { try PolicyDocument(stored: text) }
  }
}

extension EffectivePolicy {
  /// As policyManager.policy reports it, under Graph's names.
  fileprivate var exported: JSONObject {
    let report = PolicyQuestions(policy: CompiledPolicy(self), account: nil).report(of: .noUser, .notSet)
    return JSONObject(report.settings.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value) })
  }

  fileprivate var values: [SettingName: SettingValue] { settings.mapValues(\.value) }
}

extension SettingName {
  /// Some locations have no bit; names of exempt schemes are not delivered.
  fileprivate var isExactInSDK: Bool {
    ![.allowedDataStorageLocations, .allowedDataIngestionLocations, .exemptedAppProtocols].contains(self)
  }
}
