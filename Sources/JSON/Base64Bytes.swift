import FoundationEssentials

/// Bytes; base64 with padding on the wire.
package struct Base64Bytes: FieldValue, Hashable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Base64Bytes {
    let decoded = node.withStringBytes { Base64Bytes(base64: Data($0)) }
    guard let decoded else { throw .wrongType(expected: "a base64 string", node) }
    guard let bytes = decoded else { throw JSONDecodingError(.invalid("must be base64 with padding")) }
    return bytes
  }

  package func encode(to writer: inout JSONWriter) {
    writer.plainString(Data(bytes).base64EncodedData())
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "contentEncoding": "base64"]
  }
}

extension Base64Bytes {
  /// The base64 text.
  package var text: String { Data(bytes).base64EncodedString() }

  /// Nil for text that is not base64 with padding.
  package init?(text: String) {
    self.init(base64: Data(text.utf8))
  }

  /// Data takes "====" for a byte, and bits behind the last byte: the last group must be as it would be written.
  private init?(base64 text: Data) {
    guard let data = Data(base64Encoded: text) else { return nil }
    let rest = data.isEmpty ? 0 : (data.count - 1) % 3 + 1
    guard data.suffix(rest).base64EncodedData() == text.suffix(4) else { return nil }
    self.init(Array(data))
  }
}
