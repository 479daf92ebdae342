package protocol JSONEncodable {
  func encode(to writer: inout JSONWriter)
}

/// What a field of a record, a parameter or a result can hold.
package protocol FieldValue: JSONEncodable, Sendable {
  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self
  /// JSON Schema (draft 7) of the wire form; named types are put into `components` and referred to.
  static func schema(in components: inout SchemaComponents) -> JSONValue
  /// Whether it holds what nobody but its receiver may see.
  static var isSecret: Bool { get }
  /// What an absent member stands for; nil when the member must be there.
  static var absent: Self? { get }
}

extension FieldValue {
  package static var absent: Self? { nil }
  package static var isSecret: Bool { false }

  /// The JSON text of this value.
  package var jsonText: String {
    var writer = JSONWriter()
    encode(to: &writer)
    return writer.text
  }

  /// This value as a tree; for schemas, examples and tests, not for replies.
  package var jsonValue: JSONValue {
    (try? JSONValue(parsing: jsonText)) ?? .null
  }
}
