import JSON

/// The name of a request that a host can declare to answer.
package struct HostRequestName: Hashable, Sendable {
  package let name: String

  package init?(_ name: String) {
    guard Self.all.contains(name) else { return nil }
    self.name = name
  }

  package init<R: HostRequest>(_ request: R.Type) { name = R.name }

  private static let all = API.hostRequests.map { $0.name }
}

extension HostRequestName: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> HostRequestName {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let name = HostRequestName(text) else {
      throw JSONDecodingError(.invalid("must be one of " + all.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    return name
  }

  package func encode(to writer: inout JSONWriter) { writer.string(name) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "enum": .array(all.map(JSONValue.string))]
  }
}
