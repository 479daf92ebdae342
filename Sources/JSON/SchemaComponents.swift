/// The named schemas of a document, each once.
package struct SchemaComponents {
  package private(set) var schemas: [String: JSONValue] = [:]

  package init() {}

  /// A reference to the schema of that name; `make` runs the first time only, so that types may refer to themselves.
  package mutating func reference(
    _ name: String, _ make: (inout SchemaComponents) -> JSONValue
  ) -> JSONValue {
    if schemas[name] == nil {
      schemas[name] = .null
      schemas[name] = make(&self)
    }
    return ["$ref": .string("#/components/schemas/\(name)")]
  }

  /// In the order of their names.
  package var object: JSONObject {
    JSONObject(schemas.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}
