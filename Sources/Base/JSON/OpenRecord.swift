/// A record whose later versions may have more members: those that this version does not know are ignored.
package protocol OpenRecord: Record {}

extension OpenRecord {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    guard node.memberCount != nil else { throw .wrongType(expected: "an object", node) }
    var found = 0
    return try fields.decode(membersOf: node, counting: &found)
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference(schemaName, to: Self.self) { components in
      let fields = fields.describe(in: &components)
      return [
        "type": "object",
        "properties": .object(JSONObject(fields.map { ($0.name, $0.documentedSchema) })),
        "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
      ]
    }
  }
}
