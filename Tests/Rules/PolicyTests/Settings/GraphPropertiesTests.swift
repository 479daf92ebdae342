import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// The table of settings, compared with every property of Graph's protection policies.
@Suite(.enabled(if: SharedFolder.isPresent, "the facts are missing")) struct GraphPropertiesTests {
  private static let types: [(String, PolicyKind)] = [
    ("ios_managed_app_protection", .ios), ("android_managed_app_protection", .android),
    ("windows_managed_app_protection", .windows), ("default_managed_app_protection", .default),
  ]

  private func properties(of type: String) throws -> JSONObject {
    let table = try JSONValue(parsing: SharedFolder.text("facts/graph-properties.json") ?? "")
    return try #require(table[type]?.objectValue)
  }

  @Test("Every Graph property of a protection policy is a known setting with a documented role", arguments: types)
  func known(type: String, kind: PolicyKind) throws {
    let properties = try properties(of: type)
    #expect(properties.names.count > 30)
    for name in properties.names {
      let definition = SettingDefinition.named(byGraph: name)
      #expect(definition?.kinds.contains(kind) == true, "\(name)")
      #expect(definition?.role.text.isEmpty == false, "\(name)")
    }
  }

  @Test("Every Graph property of a protection policy has the documented type and words", arguments: types)
  func typed(type: String, kind: PolicyKind) throws {
    for member in try properties(of: type).members {
      guard let definition = SettingDefinition.named(byGraph: member.name), !definition.role.isDescription else {
        continue
      }
      let written = try #require(member.value.stringValue)
      #expect(fits(definition.type, written), "\(member.name): \(written)")
      for word in words(written) where kind != .windows || !Self.unusedOnWindows.contains(word) {
        let reading = definition.read(graph: .string(word), in: kind)
        #expect(reading.value != nil, "\(member.name): \(word)")
        #expect(reading.complaint == nil, "\(member.name): \(word)")
      }
    }
  }

  /// The enumeration of actions has them, but policies for Windows only block and wipe.
  private static let unusedOnWindows: Set<String> = ["warn", "blockWhenSettingIsSupported"]

  private func fits(_ type: SettingType, _ written: String) -> Bool {
    switch (type, written.prefix { $0 != " " }) {
    case (.bool, "bool"), (.integer, "int"), (.duration, "timedelta"), (.word, "enum"), (.words, "collection_of_enums"),
      (.pairs, "collection_of_objects"), (.strings(nil, _), "collection_of_primitives"), (.string, "str"),
      (.version, "str"), (.strings(.some, _), "str"):
      true
    case (.word(let type), "collection_of_enums"): type == ManagedBrowserType.self
    default: false
    }
  }

  /// The words of an enumeration, without the one that stands for words to come.
  private func words(_ written: String) -> [String] {
    guard written.hasPrefix("enum ") else { return [] }
    return written.split(separator: " ").dropFirst(2).map(String.init).filter { $0 != "unknownFutureValue" }
  }
}
