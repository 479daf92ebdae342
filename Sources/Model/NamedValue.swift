import JSON

/// An enumeration that is its name on the wire and has no integer of the SDK.
package protocol NamedValue: RawRepresentable<String>, CaseIterable, FieldValue where AllCases == [Self] {}

extension NamedValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let value = Self(rawValue: text) else {
      let names = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw JSONDecodingError(.invalid("must be one of \(names)"))
    }
    return value
  }

  package func encode(to writer: inout JSONWriter) { writer.string(rawValue) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
  }
}
