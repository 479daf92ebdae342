import Cryptography
import JSON

/// A secret of the protocol is base64.
extension SecretBytes: FieldValue {
  package static let isSecret = true

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> SecretBytes {
    let bytes = try Base64Bytes.decode(node).bytes
    guard let secret = try? bytes.withUnsafeBytes({ try SecretBytes(copying: $0) }) else {
      throw JSONDecodingError(.outOfMemory)
    }
    return secret
  }

  package func encode(to writer: inout JSONWriter) { withUnsafeBytes { writer.base64String(Array($0)) } }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string"] }

  /// As on the wire, for a header.
  package var base64Text: String { Base64Bytes(withUnsafeBytes { Array($0) }).text }
}

/// The access token of a user, in memory that is cleared when released.
package struct TokenText: FieldValue, Equatable {
  package static let isSecret = true

  package let bytes: SecretBytes

  package init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// `nil` if the system is out of memory.
  package init?(_ text: String) {
    var text = text
    guard let bytes = try? text.withUTF8({ try SecretBytes(copying: UnsafeRawBufferPointer($0)) }) else { return nil }
    self.bytes = bytes
  }

  package var text: String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

  /// Whether the token can be sent in a header.
  package var fitsHeader: Bool {
    bytes.withUnsafeBytes { text in !text.isEmpty && text.allSatisfy { (0x21...0x7E).contains($0) } }
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> TokenText {
    let copy = node.withStringBytes { try? SecretBytes(copying: UnsafeRawBufferPointer($0)) }
    guard let copy else { throw .wrongType(expected: "a string", node) }
    guard let copy else { throw JSONDecodingError(.outOfMemory) }
    return TokenText(copy)
  }

  /// Of a token that needs escapes, which no service takes, a copy is made that is not cleared.
  package func encode(to writer: inout JSONWriter) {
    bytes.withUnsafeBytes { text in
      let isPlain = text.allSatisfy { byte in
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      }
      if isPlain { writer.plainString(text) } else { writer.string(String(decoding: text, as: UTF8.self)) }
    }
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string"] }
}
