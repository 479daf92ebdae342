import JSON

/// New overrides of settings, each named once.
package struct SettingChanges: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    /// The name as it was given: of the key or of its property.
    let name: String
    package let key: SettingKey
    /// A sentence about the use of an older name; `nil` if the name is current.
    package var warning: String? { key.warning(about: name) }
    /// The value as it is stored; `nil` removes the override.
    package let value: JSONValue?
  }

  package let changes: [Change]

  /// The names as they were given.
  package var names: [String] { changes.map(\.name) }

  init(changes: [Change]) {
    self.changes = changes
  }

  /// Makes changes of different settings, to values that fit them.
  package init(_ values: [(NamedSetting, JSONValue?)]) {
    self.init(changes: values.map { Change(name: $0.name, key: $0.key, value: $1) })
  }
}

extension SettingChanges: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> SettingChanges {
    guard let object = node.value.objectValue else { throw .wrongType(expected: "an object", node) }
    var seen: Set<SettingKey> = []
    var changes: [Change] = []
    for member in object.members {
      do throws(JSONDecodingError) {
        let change = try Change(member.name, member.value)
        guard seen.insert(change.key).inserted else {
          throw JSONDecodingError(.invalid("names the same setting as another member"))
        }
        changes.append(change)
      } catch {
        throw error.inside(member.name)
      }
    }
    return SettingChanges(changes: changes)
  }

  package func encode(to writer: inout JSONWriter) {
    JSONObject(changes.map { ($0.name, $0.value ?? .null) }).encode(to: &writer)
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("SettingChanges", to: Self.self) { components in
      [
        "type": "object",
        "propertyNames": NamedSetting.schema(in: &components),
        "properties": .object(
          JSONObject(
            SettingKey.allCases.flatMap { key in
              let schema = key.changeSchema(in: &components)
              return ([key.name] + key.aliases).map { ($0, schema) }
            })),
      ]
    }
  }
}

extension SettingChanges.Change {
  fileprivate init(_ name: String, _ value: JSONValue) throws(JSONDecodingError) {
    self.name = name
    key = try SettingKey(checking: name)
    guard !value.isNull, value != .string("") else {
      self.value = nil
      return
    }
    guard let fitting = key.type.normalized(value) else {
      throw JSONDecodingError(.invalid("must be \(key.type.expectation), or null to end the override"))
    }
    self.value = fitting
  }
}

extension SettingKey {
  fileprivate func changeSchema(in components: inout SchemaComponents) -> JSONValue {
    let reset = components.reference("SettingReset", to: SettingChanges.self) { _ in
      ["description": "Removes the override.", "enum": [.null, ""]]
    }
    return ["description": .string(meaning), "anyOf": [type.schema(in: &components), reset]]
  }
}

/// A setting, by the name of its key or of its property.
package struct NamedSetting: Hashable, Sendable {
  package let name: String
  package let key: SettingKey

  /// `nil` if no setting has this name.
  package init?(_ name: String) {
    guard let key = SettingKey(named: name) else { return nil }
    self.init(name: name, key: key)
  }

  package init(_ key: SettingKey) {
    self.init(name: key.name, key: key)
  }

  /// The name that the setting had at an SDK level.
  package init(_ key: SettingKey, at level: SDKLevel) {
    self.init(name: level < .sdk21 ? key.aliases.first ?? key.name : key.name, key: key)
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
    let names = components.reference("SettingName", to: Self.self) { _ in
      ["type": "string", "enum": .array(SettingKey.allCases.map { .string($0.name) })]
    }
    guard components.describesInput else { return names }
    let aliases = components.reference("SettingAlias", to: Self.self) { _ in
      [
        "description": "Another name of a setting: that of its property in the SDK, or an older one.",
        "type": "string", "enum": .array(SettingKey.allCases.flatMap(\.otherNames).map(JSONValue.string)),
      ]
    }
    return components.reference("SettingNameInput", to: Self.self) { _ in ["anyOf": [names, aliases]] }
  }
}

extension SettingKey {
  init(checking name: String) throws(JSONDecodingError) {
    guard let key = SettingKey(named: name) else {
      let nearest = Self.nearestName(to: name).map { "did you mean \($0)?" } ?? "settings.get lists all settings"
      throw JSONDecodingError(.invalid("is not a setting; \(nearest)"))
    }
    self = key
  }

  package static func nearestName(to name: String) -> String? { allCases.map(\.name).nearest(to: name) }

  /// The name of its property if that differs, and its older names.
  fileprivate var otherNames: [String] { [property].compactMap { $0 }.filter { $0 != name } + aliases }
}
