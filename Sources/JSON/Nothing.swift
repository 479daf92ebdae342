/// The result of a method that returns nothing: null.
package struct Nothing: FieldValue, Equatable {
  package init() {}

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Nothing {
    guard node.isNull else { throw .wrongType(expected: "null", node) }
    return Nothing()
  }
  package func encode(to writer: inout JSONWriter) { writer.null() }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "null"] }
}
