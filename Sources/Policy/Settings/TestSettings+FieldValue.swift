import JSON
import Model

extension TestSettings: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> TestSettings {
    guard let object = node.value.objectValue else { throw .wrongType(expected: "an object", node) }
    do throws(Fault) {
      return try TestSettings(object)
    } catch {
      throw JSONDecodingError(.invalid(error.reason)).inside(error.member)
    }
  }

  package func encode(to writer: inout JSONWriter) { members.encode(to: &writer) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("TestSettings") { _ in
      let definitions = SettingDefinition.all.filter { !$0.role.isDescription }
      return [
        "type": "object",
        "description": """
        Settings by Graph's names, as listed, or by those that the SDK delivers and logs (docs/policy-settings.md), \
        which have values of their own and are read in any case. null and "" leave a setting unset.
        """,
        "properties": .object(JSONObject(definitions.map { ($0.name.rawValue, $0.schema) })),
      ]
    }
  }
}

extension SettingDefinition {
  /// Of its value as Graph writes it.
  fileprivate var schema: JSONValue {
    var schema = type.schema
    schema["description"] = .string("\(role.decides ? "Decides" : "Informs"): \(role.text).")
    return .object(schema)
  }
}

extension SettingType {
  fileprivate var schema: JSONObject {
    switch self {
    case .bool: ["type": "boolean"]
    case .integer(let range):
      ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    case .duration: ["type": "string", "format": "duration"]
    case .string, .strings(joinedBy: .some), .words(_, joined: true): ["type": "string"]
    case .word(let type): ["type": "string", "enum": .array(type.words.map(JSONValue.string))]
    case .words(let type, joined: false):
      ["type": "array", "items": ["type": "string", "enum": .array(type.words.map(JSONValue.string))]]
    case .version: ["type": "string", "pattern": "^[0-9]+([.-][0-9]+)*$"]
    case .strings(joinedBy: nil): ["type": "array", "items": ["type": "string"]]
    case .pairs: ["type": "array", "items": KeyValuePair.schema]
    case .opaque: [:]
    }
  }
}

extension KeyValuePair {
  fileprivate static let schema: JSONValue = [
    "type": "object", "properties": ["name": ["type": "string"], "value": ["type": "string"]],
    "required": ["name", "value"],
  ]
}
