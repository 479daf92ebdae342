/// Bytes; base64 with padding on the wire.
package struct Base64Bytes: FieldValue, Hashable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Base64Bytes {
    let decoded = node.withStringBytes { Base64.decode(UnsafeRawBufferPointer($0)) }
    guard let decoded else { throw .wrongType(expected: "a base64 string", node) }
    guard let bytes = decoded else { throw JSONDecodingError(.invalid("must be base64 with padding")) }
    return Base64Bytes(bytes)
  }

  package func encode(to writer: inout JSONWriter) {
    writer.base64String(bytes)
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "contentEncoding": "base64"]
  }
}

extension Base64Bytes {
  /// The base64 text.
  package var text: String {
    var text: [UInt8] = []
    text.reserveCapacity(Base64.encodedCount(bytes.count))
    bytes.withUnsafeBytes { Base64.encode($0, into: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for text that is not base64 with padding.
  package init?(text: String) {
    var text = text
    guard let bytes = text.withUTF8({ Base64.decode(UnsafeRawBufferPointer($0)) }) else { return nil }
    self.init(bytes)
  }
}
