import FoundationEssentials
import JSON
import MAM
import Model
import TestSupport
import Testing

/// Where a setting is written, beside the command line and the overrides.
enum SettingFile: CaseIterable {
  case json, xml, binary

  /// An Info.plist with one setting.
  func contents(_ name: String, _ value: JSONValue) throws -> [UInt8] {
    switch value {
    case .bool(let value): try contents(name, value)
    case .integer(let value): try contents(name, value)
    case .number(let value): try contents(name, value)
    case .string(let value): try contents(name, value)
    case .array(let values): try contents(name, values.compactMap(\.stringValue))
    case .null, .object: []
    }
  }

  private func contents(_ name: String, _ value: some Encodable) throws -> [UInt8] {
    let info = ["IntuneMAMSettings": [name: value]]
    if self == .json { return Array(try JSONEncoder().encode(info)) }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = self == .xml ? .xml : .binary
    return Array(try encoder.encode(info))
  }
}

@Suite struct SettingSourceTests {
  private let folder = TemporaryFolder()

  private func load(_ file: SettingFile, _ name: String, _ value: JSONValue) throws -> Settings {
    let text = String(decoding: try file.contents(name, value), as: UTF8.self)
    guard file == .binary else { return try Settings(path: folder.write(text, to: "Info.plist")) }
    let path = folder.file("Info.plist")
    try Data(file.contents(name, value)).write(to: URL(filePath: path))
    return try Settings(path: path)
  }

  @Test(
    "Every setting can be set by each kind of file, by the command line and by an override",
    arguments: SettingKey.allCases)
  func sources(_ key: SettingKey) throws {
    let value = key.type.sample
    for file in SettingFile.allCases {
      for name in [key.name, key.property ?? key.name] {
        let found = try load(file, name, value).value(key)
        #expect(found == Settings.Value(value: value, origin: .file), "\(file)")
      }
    }
    var settings = Settings()
    try settings.set(flag: "\(key.name)=\(value.stringValue ?? value.jsonText)")
    #expect(settings.value(key) == Settings.Value(value: value, origin: .flag))
    try settings.override(key.name, value)
    #expect(settings.value(key) == Settings.Value(value: value, origin: .override))
    #expect(settings.warnings == [])
  }

  @Test("A setting of the wrong type in a file or an override is refused with its name", arguments: SettingKey.allCases)
  func wrongTypes(_ key: SettingKey) throws {
    for value in key.type.wrongSamples {
      for file in SettingFile.allCases {
        let error = #expect(throws: SettingsError.self) { try load(file, key.name, value) }
        #expect(error?.key == key.name)
        #expect(error?.message.contains(key.name) == true)
        #expect(error?.message.contains(key.type.expectation) == true)
      }
      var settings = Settings()
      let error = #expect(throws: SettingsError.self) { try settings.override(key.name, value) }
      #expect(error?.key == key.name)
    }
  }
}

extension SettingForm {
  fileprivate var sample: JSONValue {
    switch self {
    case .bool: true
    case .number: 2.5
    case .string: "text"
    case .stringList: ["a", "b"]
    case .color: "#00AAFF"
    case .url: "scheme://host/path"
    case .sdkLevel: 21
    case .strictMode: "report"
    }
  }

  fileprivate var wrongSamples: [JSONValue] {
    switch self {
    case .bool: ["YES", 1]
    case .number: ["2.5", true]
    case .string: [5, true, ["text"]]
    case .stringList: ["a", true]
    case .color: ["red", "#12345", "#1234567", 255]
    case .url: ["no scheme", 5]
    case .sdkLevel: [20, 21.5, "21", true]
    case .strictMode: ["on", "Report", true, 1]
    }
  }
}
