package protocol JSONEncodable {
  func encode(to writer: inout JSONWriter)
}

/// A type of record fields, parameters and results.
package protocol FieldValue: JSONEncodable, Sendable {
  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self
  /// JSON Schema (draft 7) of the wire form. Named types are put into `components` and referenced.
  static func schema(in components: inout SchemaComponents) -> JSONValue
  /// Whether the value may be seen only by its receiver.
  static var isSecret: Bool { get }
  /// The value of an absent member; `nil` if the member is required.
  static var absent: Self? { get }
  /// The value as a tree. By default it is written and parsed, which is for schemas, examples and tests, not for replies.
  var jsonValue: JSONValue { get }
}

extension FieldValue {
  package static var absent: Self? { nil }
  package static var isSecret: Bool { false }

  /// The value as JSON text.
  package var jsonText: String {
    var writer = JSONWriter()
    encode(to: &writer)
    return writer.text
  }

  /// Like `jsonText`, in UTF-8.
  package var jsonBytes: [UInt8] {
    var writer = JSONWriter()
    encode(to: &writer)
    return writer.bytes
  }

  package var jsonValue: JSONValue {
    (try? JSONValue(parsing: jsonText)) ?? .null
  }
}

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

/// The named schemas of a document, each once.
package struct SchemaComponents {
  package private(set) var schemas: [String: JSONValue] = [:]
  private var types: [String: Any.Type] = [:]
  /// Whether the server reads what is described. A value that it writes may have fewer forms.
  package private(set) var describesInput = false

  package init() {}

  /// A reference to the schema of that name, which only one type may have. Calls `make` only the first time, so types
  /// may refer to themselves.
  package mutating func reference(
    _ name: String, to type: Any.Type, _ make: (inout SchemaComponents) -> JSONValue
  ) -> JSONValue {
    assert(types[name].map { $0 == type } ?? true, "two types have the schema \(name)")
    if schemas[name] == nil {
      types[name] = type
      schemas[name] = .null
      schemas[name] = make(&self)
    }
    return .reference(to: "schemas", name)
  }

  /// Describes what the server reads.
  package mutating func input<Result>(_ describe: (inout SchemaComponents) -> Result) -> Result {
    let outer = describesInput
    describesInput = true
    defer { describesInput = outer }
    return describe(&self)
  }

  /// In name order.
  package var object: JSONObject {
    JSONObject(schemas.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

extension JSONValue {
  /// A reference to a component of the document.
  package static func reference(to kind: String, _ name: String) -> JSONValue {
    ["$ref": .string("#/components/\(kind)/\(name)")]
  }
}
