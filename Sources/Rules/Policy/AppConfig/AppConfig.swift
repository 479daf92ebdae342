import JSON
import Model

/// The app configuration of an account, with its tokens replaced.
package struct AppConfig: ConfigValues, Hashable, Sendable {
  package struct Source: Hashable, Sendable {
    package var policyID: String
    package var channel: ConfigChannel
    /// Whether the source is the tenant's default, which provides only the keys that no targeted source has.
    package var isDefault: Bool
    /// Each name occurs once.
    package var entries: [KeyValuePair]

    package init(
      policyID: String, channel: ConfigChannel = .managedApps, isDefault: Bool, entries: [KeyValuePair]
    ) {
      self.policyID = policyID
      self.channel = channel
      self.isDefault = isDefault
      self.entries = entries
    }

    func value(of key: String) -> String? { entries.first { $0.name == key }?.value }
  }

  /// In the order of the policies' ids.
  package let sources: [Source]
  private let values: [String: [String]]
  private let conflicts: Set<String>

  /// The configuration before enrollment, or if nothing is configured.
  package static let empty = AppConfig(sources: [])

  package init(sources: [Source]) {
    self.sources = sources.sorted { ($0.policyID, $0.isDefault ? 1 : 0) < ($1.policyID, $1.isDefault ? 1 : 0) }
    var targeted: [String: [String]] = [:]
    var fallback: [String: [String]] = [:]
    for source in self.sources {
      for entry in source.entries {
        if source.isDefault {
          fallback[entry.name, default: []].append(entry.value)
        } else {
          targeted[entry.name, default: []].append(entry.value)
        }
      }
    }
    values = targeted.merging(fallback) { targeted, _ in targeted }
    conflicts = Set(targeted.filter { _, values in values.contains { $0 != values.first } }.keys)
  }

  /// From the documents targeted at a user. `mdm` is the configuration that mobile device management delivers.
  package init(
    configurations: [ConfigurationDocument], defaults: [PolicyDocument], mdm: [String: String]?, tokens: ConfigTokens
  ) {
    var sources = configurations.map { Source($0.id, isDefault: false, $0.customSettings, tokens) }
    sources += defaults.map { Source($0.id, isDefault: true, $0.customSettings, tokens) }
    if let mdm {
      let entries = mdm.sorted { $0.key < $1.key }.map { KeyValuePair(name: $0.key, value: $0.value) }
      sources.append(Source(Self.mdmID, .managedDevices, isDefault: false, entries, tokens))
    }
    self.init(sources: sources.filter { !$0.entries.isEmpty })
  }

  /// The policy id for the configuration that mobile device management delivers.
  fileprivate static let mdmID = "mdm"

  package var isEmpty: Bool { sources.isEmpty }

  /// One object for each source. The object of the default has the member `__IsDefault`.
  package var fullData: [JSONObject] {
    sources.map { source in
      var object = JSONObject(source.entries.map { ($0.name, .string($0.value)) })
      if source.isDefault { object["__IsDefault"] = true }
      return object
    }
  }

  /// Whether targeted sources have different values for the key.
  package func hasConflict(_ key: String) -> Bool { conflicts.contains(key) }

  /// All values of the key: the targeted values, or if there are none, the default's.
  package func strings(_ key: String) -> [String] { values[key] ?? [] }

  /// The values of targeted sources only.
  fileprivate func targetedStrings(_ key: String) -> [String] {
    sources.filter { !$0.isDefault }.compactMap { $0.value(of: key) }
  }
}

/// The app configurations of several accounts as one, in the order of the accounts. Each account keeps its own values:
/// what is targeted at one account does not hide the default of another.
package struct JoinedAppConfig: ConfigValues, Sendable {
  private let parts: [AppConfig]

  package init(_ parts: [AppConfig]) {
    self.parts = parts
  }

  package var fullData: [JSONObject] { parts.flatMap(\.fullData) }

  package func hasConflict(_ key: String) -> Bool {
    let values = parts.flatMap { $0.targetedStrings(key) }
    return values.contains { $0 != values.first }
  }

  package func strings(_ key: String) -> [String] { parts.flatMap { $0.strings(key) } }
}

/// Configured values, in the order of their sources.
package protocol ConfigValues {
  /// One object for each source.
  var fullData: [JSONObject] { get }
  func hasConflict(_ key: String) -> Bool
  func strings(_ key: String) -> [String]
}

extension AppConfig.Source {
  /// If a name occurs twice, the first value counts.
  init(
    _ policyID: String, _ channel: ConfigChannel = .managedApps, isDefault: Bool, _ pairs: [KeyValuePair],
    _ tokens: ConfigTokens
  ) {
    var names: Set<String> = []
    let entries = pairs.filter { names.insert($0.name).inserted }.map { pair in
      KeyValuePair(name: pair.name, value: tokens.replacing(in: pair.value))
    }
    self.init(policyID: policyID, channel: channel, isDefault: isDefault, entries: entries)
  }
}

extension ConfigValues {
  package func bools(_ key: String) -> [Bool] { strings(key).compactMap(Bool.init(configured:)) }

  package func numbers(_ key: String) -> [ConfigNumber] { strings(key).compactMap(ConfigNumber.init) }

  /// Nil if no value is a boolean.
  package func bool(_ key: String, _ query: BoolQueryType) -> Bool? {
    let found = bools(key)
    guard let first = found.first else { return nil }
    return switch query {
    case .any: first
    case .or: found.contains(true)
    case .and: !found.contains(false)
    }
  }

  /// Nil if no value is a number.
  package func number(_ key: String, _ query: NumberQueryType) -> ConfigNumber? {
    let found = numbers(key)
    return switch query {
    case .any: found.first
    case .min: found.min()
    case .max: found.max()
    }
  }

  /// Compares the values by their UTF-8 bytes. Nil if there is none.
  package func string(_ key: String, _ query: StringQueryType) -> String? {
    let found = strings(key)
    func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
    return switch query {
    case .any: found.first
    case .min: found.min(by: precedes)
    case .max: found.max(by: precedes)
    }
  }
}

extension Bool {
  init?(configured text: String) {
    switch text.trimmedASCII.lowercasedASCII {
    case "true", "1", "yes": self = true
    case "false", "0", "no": self = false
    default: return nil
    }
  }
}

extension AppConfig {
  /// JSON text for the store.
  package var encoded: String {
    let list = sources.map { source -> JSONValue in
      let entries = source.entries.map { entry -> JSONValue in
        ["name": .string(entry.name), "value": .string(entry.value)]
      }
      return [
        "policyId": .string(source.policyID), "channel": .string(source.channel.rawValue),
        "isDefault": .bool(source.isDefault), "entries": .array(entries),
      ]
    }
    return JSONValue.array(list).jsonText
  }

  package init(stored text: String) throws(StoredTextError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: text) } catch { throw StoredTextError(reason: error.description) }
    let sources = value.arrayValue?.compactMap(Source.init(json:))
    guard let sources, sources.count == value.arrayValue?.count else {
      throw StoredTextError(reason: "not an app configuration")
    }
    self.init(sources: sources)
  }
}

extension AppConfig.Source {
  fileprivate init?(json value: JSONValue) {
    guard let id = value["policyId"]?.stringValue, let isDefault = value["isDefault"]?.boolValue,
      let entries = value["entries"].flatMap(KeyValuePair.list(json:))
    else { return nil }
    // Older versions stored no channel.
    let former: ConfigChannel = id == AppConfig.mdmID ? .managedDevices : .managedApps
    guard let channel = value["channel"] == nil ? former : value["channel"]?.stringValue.flatMap(ConfigChannel.init)
    else { return nil }
    self.init(policyID: id, channel: channel, isDefault: isDefault, entries: entries)
  }
}

/// Replaces tokens such as `{{userprincipalname}}`, in any ASCII case, with the user's values.
package struct ConfigTokens: Sendable {
  private let values: [String: String]

  /// `userId` is the Entra object id. If `mail` is nil, the user principal name is used instead.
  package init(userId: String, userPrincipalName: String, displayName: String, mail: String?, tenantId: String) {
    let mail = mail ?? userPrincipalName
    values = [
      "userprincipalname": userPrincipalName, "mail": mail, "primarysmtpaddress": mail,
      "partialupn": userPrincipalName.split(separator: "@").first.map(String.init) ?? "",
      "userid": userId, "accountid": tenantId, "username": displayName,
    ]
  }

  /// Unknown tokens stay unchanged. Tokens in the replaced values are not replaced.
  package func replacing(in text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      if let (value, end) = token(at: rest) {
        result += value
        rest = rest[end...]
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  private func token(at text: Substring) -> (value: String, end: Substring.Index)? {
    guard text.hasPrefix("{{") else { return nil }
    let name = text.dropFirst(2).prefix { $0 != "{" && $0 != "}" }
    guard text[name.endIndex...].hasPrefix("}}"), let value = values[String(name).lowercasedASCII] else { return nil }
    return (value, text.index(name.endIndex, offsetBy: 2))
  }
}
