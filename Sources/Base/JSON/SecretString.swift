import Support

/// A field for a PIN, a token or another secret: text in memory that is cleared when released, never a `String`.
package struct SecretString: FieldValue, Equatable {
  private let bytes: ClearedBytes

  /// `nil` if the system has no memory for it.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard let bytes = ClearedBytes(bytes) else { return nil }
    self.bytes = bytes
  }

  package static let isSecret = true

  /// The address must not escape `body`.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes(body)
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> SecretString {
    let text = node.withStringBytes { SecretString(UnsafeRawBufferPointer($0)) }
    guard let text else { throw .wrongType(expected: "a string", node) }
    guard let text else { throw JSONDecodingError(.outOfMemory) }
    return text
  }

  /// For the examples in the schema: secrets are received and never sent.
  package func encode(to writer: inout JSONWriter) {
    withBytes { writer.string(String(decoding: $0, as: UTF8.self)) }
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "format": "password"]
  }
}

/// For examples and tests; the sources contain no secret. Empty if the system has no memory for it.
extension SecretString: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    var value = value
    bytes = value.withUTF8 { ClearedBytes(UnsafeRawBufferPointer($0)) } ?? .empty
  }
}

extension SecretString: CustomStringConvertible, CustomReflectable {
  package var description: String { "SecretString" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
