import JSON
import Model

/// A version as a host tells it: whole numbers with dots. "" takes back what was told.
package struct VersionText: FieldValue, Hashable {
  /// Nil for "".
  package let text: String?

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> VersionText {
    let text = try String.decode(node)
    guard text.isEmpty || VersionNumber(text) != nil else {
      throw JSONDecodingError(.invalid("must be whole numbers with dots, such as 17.4.1, or \"\""))
    }
    return VersionText(text: text.isEmpty ? nil : text)
  }

  package func encode(to writer: inout JSONWriter) { writer.string(text ?? "") }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "pattern": "^([0-9]+([.-][0-9]+)*)?$"]
  }
}
