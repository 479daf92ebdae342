import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

@Suite struct SettingDefinitionTests {
  @Test("No two settings share an SDK name")
  func sdkNames() {
    let names = SettingDefinition.all.flatMap { $0.sdk?.names ?? [] }.map(\.lowercasedASCII)
    #expect(Set(names).count == names.count)
  }

  @Test(
    "Every member of iosManagedAppProtection has a setting definition for iOS with its SDK name",
    .enabled(if: SharedFolder.isPresent, "facts are missing"))
  func everyProperty() throws {
    let rows = try #require(JSONValue(parsing: SharedFolder.text("facts/ios-policy-properties.json") ?? "").arrayValue)
    #expect(rows.count >= 84)
    for row in rows {
      let text = try #require(row["name"]?.stringValue).replacing(" (nav)", with: "")
      let definition = SettingName(rawValue: text).map(\.definition)
      #expect(definition?.kinds.contains(.ios) == true, "\(text)")
      try expectSDKName(of: definition, row)
    }
  }

  /// The first word of the column, where it is a name at all; what belongs to two settings is tested by itself.
  private func expectSDKName(of definition: SettingDefinition?, _ row: JSONValue) throws {
    let key = try #require(row["sdkKey"]?.stringValue)
    guard key != "-", !key.hasPrefix("("), let name = key.split(separator: " ").first.map(String.init) else { return }
    guard definition?.name != .pinRequiredInsteadOfBiometricTimeout else { return }
    #expect(definition?.sdk?.names.contains(name) == true, "\(name)")
    let isInverted = if case .inverted? = definition?.sdk?.form { true } else { false }
    #expect(isInverted == key.contains("inverted") || key.hasPrefix("FileEncryptionLevel"), "\(name)")
  }

  @Test(
    "Every member of the sample policies has a setting definition",
    .enabled(if: SharedFolder.isPresent, "samples are missing"),
    arguments: [
      "ios-level1", "ios-level2", "ios-level3", "ios-minimal", "android-level1", "android-level2", "android-level3",
    ])
  func samples(name: String) throws {
    let policy = try #require(JSONValue(parsing: SharedFolder.text("samples/\(name).json") ?? "").objectValue)
    let kind = try #require(PolicyKind(rawValue: String(name.prefix { $0 != "-" })))
    for member in policy.names where member != "@odata.type" {
      let definition = SettingName(rawValue: member).map(\.definition)
      #expect(definition?.kinds.contains(kind) == true, "\(member)")
    }
  }
}

extension String {
  fileprivate func replacing(_ part: String, with other: String) -> String {
    guard hasSuffix(part) else { return self }
    return dropLast(part.count) + other
  }
}
