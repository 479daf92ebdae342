import JSON
import Model

/// The IntuneMAMSettings in effect. Overrides by the running host win over flags, flags over the file, and the file
/// over the defaults.
package struct Settings: Sendable {
  package struct Value: Equatable, Sendable {
    package let value: JSONValue
    package let origin: SettingOrigin

    package init(value: JSONValue, origin: SettingOrigin) {
      self.value = value
      self.origin = origin
    }
  }

  private var layers: [SettingOrigin: [SettingKey: JSONValue]] = [:]
  /// Members of the file that are not settings, kept as they are.
  package private(set) var unknown = JSONObject()
  /// A sentence about each problem that is not an error.
  package private(set) var warnings: [String] = []

  package init() {}

  package func value(_ key: SettingKey) -> Value {
    for origin in [SettingOrigin.override, .flag, .file] {
      if let value = layers[origin]?[key] { return Value(value: value, origin: origin) }
    }
    return Value(value: key.defaultValue, origin: .defaults)
  }

  /// `false`, 0, `nil` or [] for a key of another type or without a value.
  package func bool(_ key: SettingKey) -> Bool { value(key).value.boolValue ?? false }
  package func number(_ key: SettingKey) -> Double { value(key).value.numberValue ?? 0 }
  package func string(_ key: SettingKey) -> String? { value(key).value.stringValue }
  package func stringList(_ key: SettingKey) -> [String] {
    value(key).value.arrayValue?.compactMap(\.stringValue) ?? []
  }
  package var strictHandling: StrictHandling { string(.strictMode).flatMap(StrictHandling.init(rawValue:)) ?? .off }
  /// Whether the app keeps managed and unmanaged accounts apart. At SDK level 21, several managed accounts imply it.
  package var separatesIdentities: Bool {
    bool(.multiIdentity) || sdkLevel >= .sdk21 && bool(.multiManagedIdentities)
  }
  package var sdkLevel: SDKLevel { SDKLevel(value(.sdkLevel).value) ?? .sdk19 }

  /// Loads the dictionary of a file. Unknown members are kept, with a warning.
  package mutating func load(_ dictionary: JSONObject) throws(SettingsError) {
    for member in dictionary.members {
      guard let key = SettingKey(named: member.name) else {
        unknown[member.name] = member.value
        warnings.append("\(member.name) is not a known setting; it is kept but has no effect.")
        continue
      }
      let value = try Self.check(member.value, for: key)
      if let warning = key.warning(about: member.name) {
        guard !dictionary.names.contains(where: { SettingKey(named: $0) == key && key.warning(about: $0) == nil })
        else {
          warnings.append("\(member.name) has no effect, because \(key.name) is set too.")
          continue
        }
        warnings.append(warning)
      }
      layers[.file, default: [:]][key] = value
    }
  }

  /// Sets `KEY=VALUE` from the command line.
  package mutating func set(flag text: String) throws(SettingsError) {
    guard let sign = text.firstIndex(of: "=") else { throw SettingsError(.noValue) }
    let name = String(text[..<sign])
    guard let key = SettingKey(named: name) else { throw SettingsError(.unknownKey, key: name) }
    guard let value = key.type.value(of: String(text[text.index(after: sign)...])) else {
      let found = key.type == .number ? "other text" : "this text"
      throw SettingsError(.wrongType(expected: key.type.expectation, found: found), key: key.name)
    }
    if let warning = key.warning(about: name) { warnings.append(warning) }
    layers[.flag, default: [:]][key] = value
  }

  /// Wins over the file and the flags until null or `""` removes the override.
  package mutating func override(_ name: String, _ value: JSONValue) throws(SettingsError) {
    guard let key = SettingKey(named: name) else { throw SettingsError(.unknownKey, key: name) }
    let isRemoval = value.isNull || value == .string("")
    layers[.override, default: [:]][key] = isRemoval ? .none : try Self.check(value, for: key)
  }

  /// The same settings with a flag for this key, which nothing overrides.
  func fixed(_ key: SettingKey, to value: Bool) -> Settings {
    var settings = self
    settings.layers[.override]?[key] = nil
    settings.layers[.flag, default: [:]][key] = .bool(value)
    return settings
  }

  mutating func warn(_ text: String) { warnings.append(text) }

  private static func check(_ value: JSONValue, for key: SettingKey) throws(SettingsError) -> JSONValue {
    if let fitting = key.type.normalized(value) { return fitting }
    throw SettingsError(
      .wrongType(expected: key.type.expectation, found: describe(value, for: key.type)), key: key.name)
  }

  private static func describe(_ value: JSONValue, for type: SettingForm) -> String {
    switch (type, value) {
    case (.color, .string), (.url, .string), (.strictMode, .string): "this text"
    case (.sdkLevel, .integer), (.sdkLevel, .number): "another number"
    case (.stringList, .array): "an array with other elements"
    case (_, .array), (_, .object), (_, .integer): "an \(value.kind)"
    case (_, .null): "null"
    default: "a \(value.kind)"
    }
  }
}

extension Settings {
  /// Returns the settings with the stored overrides on top, which are JSON texts by name. Values that cannot be read
  /// and settings that this version does not know are left out, with a warning.
  func overridden(by stored: [String: String]) -> Settings {
    var settings = self
    for (name, text) in stored.sorted(by: { $0.key < $1.key }) {
      guard let value = try? JSONValue(parsing: text) else {
        settings.warn("a stored override has no effect: the value of \(name) cannot be read")
        continue
      }
      do throws(SettingsError) {
        try settings.override(name, value)
      } catch {
        settings.warn("a stored override has no effect: \(error.message)")
      }
    }
    return settings
  }

  /// Reports the settings with these names, under the names as given, or all settings, under their names at `level`.
  package func report(_ names: [NamedSetting]?, at level: SDKLevel) -> [String: SettingReport] {
    let names = names ?? SettingKey.allCases.map { NamedSetting($0, at: level) }
    let reports = names.map { setting in
      let found = value(setting.key)
      return (setting.name, SettingReport(setting.key, value: found.value, origin: found.origin))
    }
    return Dictionary(reports, uniquingKeysWith: { first, _ in first })
  }
}

extension SettingForm {
  /// The value of a text from the command line; `nil` if the text does not have this form.
  func value(of text: String) -> JSONValue? {
    switch self {
    case .bool: Self.bool(text).map(JSONValue.bool)
    case .number, .sdkLevel: (try? JSONValue(parsing: text)).flatMap(normalized)
    case .stringList: Self.list(text).flatMap(normalized)
    case .string, .color, .url, .strictMode: normalized(.string(text))
    }
  }

  private static func bool(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// A JSON array, or elements separated by commas. An empty text is an empty list.
  private static func list(_ text: String) -> JSONValue? {
    if text.hasPrefix("[") { return try? JSONValue(parsing: text) }
    return .array(text.split(separator: ",").map { .string(String($0)) })
  }
}
