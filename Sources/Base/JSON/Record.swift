// JSON has two halves. The lower one is jansson, which no other target imports: `JSONDocument` owns a parsed text,
// `JSONNode` is a value in it, `JSONValue` is a value of its own, and `JSONWriter` writes bytes without building a
// tree. Long strings, which are mostly base64, are lifted out before the parse, because jansson reads them slowly.
//
// The upper half is what everything on the wire is made of. A message is a struct that conforms to `Record`, with one
// list of `Field`s. Decoder, encoder, the path in an error, and the JSON Schema come from this list, so that none of
// them can disagree with another:
//
//     struct Point: Record {
//       var x: Int
//       var y: Int?
//       static let fields = Fields(Self.init, Field("x", \.x, "To the right."), Field("y", \.y, "Upwards."))
//     }
//
// Numbers keep what was written: an integer beyond 64 bits is an error and never a double.

/// A struct whose list of fields drives decoding, encoding, error paths and schema.
package protocol Record: FieldValue {
  static var fields: Fields<Self> { get }
  /// The name of its schema among the components; by default that of the type.
  static var schemaName: String { get }
}

extension Record {
  package static var schemaName: String { String(describing: Self.self) }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    try fields.decode(members: node, ignoring: nil)
  }

  /// Decodes parameters: by name, by position, or absent. Unknown names are errors, except `reserved`.
  package static func decode(
    params node: JSONNode?, ignoring reserved: String? = nil
  ) throws(JSONDecodingError) -> Self {
    guard let node else { return try fields.decodeNothing() }
    guard node.elementCount == nil else { return try fields.decode(elements: node) }
    return try fields.decode(members: node, ignoring: reserved)
  }

  package func encode(to writer: inout JSONWriter) {
    Self.fields.encode(self, to: &writer)
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference(schemaName, to: Self.self, objectSchema)
  }

  private static func objectSchema(in components: inout SchemaComponents) -> JSONValue {
    let fields = fields.describe(in: &components)
    return [
      "type": "object",
      "properties": .object(JSONObject(fields.map { ($0.name, $0.documentedSchema) })),
      "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
      "additionalProperties": false,
    ]
  }
}

extension FieldDescription {
  /// The schema with the field's own description. A reference needs `allOf` to have siblings.
  package var documentedSchema: JSONValue {
    var object = schema["$ref"] == nil ? schema.objectValue ?? [:] : ["allOf": .array([schema])]
    object["description"] = .string(summary)
    if let defaultValue { object["default"] = defaultValue }
    if isDeprecated { object["deprecated"] = true }
    return .object(object)
  }
}

/// A record without members.
package struct NoParameters: Record {
  package init() {}
  package static let fields = Fields<NoParameters>(NoParameters.init)
}
