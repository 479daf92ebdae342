import JSON
import Model

/// The settings of a test policy, with Graph's or the SDK's names and values. Unlike a tenant's files, which
/// somebody else may have written, an unknown or wrong member is an error.
package struct TestSettings: Hashable, Sendable {
  /// The member that is wrong, and why.
  package struct Fault: Error, Hashable, Sendable {
    package let member: String
    /// A predicate of the member, such as "must be true or false, not 7".
    package let reason: String
  }

  /// Only the settings that have a value.
  package let settings: [SettingName: SettingValue]
  /// The members as the caller gave them.
  let members: JSONObject

  /// Members that only describe a policy, which exports contain, have no effect.
  package init(_ members: JSONObject) throws(Fault) {
    for name in members.names where !PolicyImport.isKnown(name) { throw Fault(unknown: name) }
    if let twice = members.namedTwice { throw Fault(member: twice, reason: "is the same setting as another member") }
    let imported = PolicyImport(members, source: "")
    if let warning = imported.warnings.first { throw Fault(member: warning.member ?? "", reason: warning.text) }
    settings = imported.settings
    self.members = members
  }

  /// The settings by Graph's names and in Graph's form, whatever form the caller chose.
  package var graphMembers: JSONObject { JSONObject(graph: settings) }

  /// The settings as Graph writes them in a policy of this kind. Throws for a word that such a policy cannot have.
  package func graphMembers(in kind: PolicyKind) throws(Fault) -> JSONObject {
    var members = graphMembers
    guard kind == .windows else { return members }
    for member in members.members {
      guard let name = SettingName(rawValue: member.name), let words = WindowsForm.words(of: name) else { continue }
      guard let word = words.first(where: { .string($0.common) == member.value }) else {
        let list = words.map(\.common).joined(separator: ", ")
        throw Fault(
          member: member.name, reason: "must be one of \(list) in a policy for Windows, not \(member.value.jsonText)")
      }
      members[member.name] = .string(word.graph)
    }
    return members
  }

  /// From typed values, with Graph's names.
  package init(_ settings: [SettingName: SettingValue]) {
    self.settings = settings
    members = JSONObject(graph: settings)
  }
}

extension TestSettings.Fault {
  private static let names = SettingDefinition.all.filter { !$0.role.isDescription }.flatMap { definition in
    [definition.name.rawValue] + (definition.sdk?.names ?? [])
  }

  fileprivate init(unknown name: String) {
    let nearest =
      Self.names.nearest(to: name).map { "; did you mean \($0)?" } ?? "; docs/policy-settings.md lists the settings"
    self.init(member: name, reason: "is not a setting of Microsoft Graph or of the SDK" + nearest)
  }
}

extension JSONObject {
  /// The second of two members that set the same setting.
  fileprivate var namedTwice: String? {
    var seen: Set<SettingName> = []
    return members.first { member in
      let definition = SettingDefinition.named(byGraph: member.name) ?? .named(bySDK: member.name)
      guard let definition, !member.value.isNull, member.value != "" else { return false }
      return !seen.insert(definition.name).inserted
    }?.name
  }
}

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
    components.reference("TestSettings", to: Self.self) { components in
      let definitions = SettingDefinition.all.filter { !$0.role.isDescription }
      return [
        "type": "object",
        "description": """
        Settings by Microsoft Graph's names, as listed here, or by the names that the SDK delivers and logs \
        (docs/policy-settings.md). The SDK's names take the SDK's values and ignore case. null and "" leave a setting \
        unset.
        """,
        "properties": .object(JSONObject(definitions.map { ($0.name.rawValue, $0.schema(in: &components)) })),
      ]
    }
  }
}

extension SettingDefinition {
  /// The schema of the value in Graph's form.
  fileprivate func schema(in components: inout SchemaComponents) -> JSONValue {
    var schema = type.schema(in: &components)
    schema["description"] = .string("\(role.decides ? "Affects" : "No effect:") \(role.text).")
    return .object(schema)
  }
}

extension SettingType {
  fileprivate func schema(in components: inout SchemaComponents) -> JSONObject {
    switch self {
    case .bool: ["type": "boolean"]
    case .integer(let range):
      ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    case .duration: ["type": "string", "format": "duration"]
    case .string, .strings(.some, _), .words(_, joined: true): ["type": "string"]
    case .word(let type): ["type": "string", "enum": .array(type.words.map(JSONValue.string))]
    case .words(let type, joined: false):
      ["type": "array", "items": ["type": "string", "enum": .array(type.words.map(JSONValue.string))]]
    case .version: ["type": "string", "pattern": "^[0-9]+([.-][0-9]+)*$"]
    case .strings(nil, _): ["type": "array", "items": ["type": "string"]]
    case .pairs: ["type": "array", "items": KeyValuePair.schema(in: &components)]
    case .opaque: [:]
    }
  }
}

extension KeyValuePair {
  fileprivate static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("KeyValuePair", to: Self.self) { _ in
      [
        "type": "object", "properties": ["name": ["type": "string"], "value": ["type": "string"]],
        "required": ["name", "value"], "additionalProperties": false,
      ]
    }
  }
}
