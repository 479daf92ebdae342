import JSON

/// A setting by a name that was given: the key's, or its property's.
public struct NamedSetting: Hashable, Sendable {
  public let name: String
  public let key: SettingKey

  /// Nil when there is no setting of this name.
  public init?(_ name: String) {
    guard let key = SettingKey(named: name) else { return nil }
    self.init(name: name, key: key)
  }

  public init(_ key: SettingKey) {
    self.init(name: key.name, key: key)
  }

  private init(name: String, key: SettingKey) {
    self.name = name
    self.key = key
  }
}

extension NamedSetting: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> NamedSetting {
    let name = try String.decode(node)
    return NamedSetting(name: name, key: try SettingKey(checking: name))
  }

  package func encode(to writer: inout JSONWriter) { writer.string(name) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("SettingName") { _ in
      ["type": "string", "enum": .array(SettingKey.all.flatMap(\.names).map(JSONValue.string))]
    }
  }
}

extension SettingKey {
  init(checking name: String) throws(JSONDecodingError) {
    guard let key = SettingKey(named: name) else {
      throw JSONDecodingError(.invalid("is no setting; settings.get lists all of them"))
    }
    self = key
  }

  /// Its name, and its property's where that is another one.
  fileprivate var names: [String] {
    guard let property, property != name else { return [name] }
    return [name, property]
  }
}
