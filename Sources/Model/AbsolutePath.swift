import JSON

/// Where a file or folder is, from the root on: the working folder of the server is not the host's.
public struct AbsolutePath: Hashable, Sendable {
  /// Without slashes at its end, but for the root itself.
  public let text: String

  public static let root = AbsolutePath(whole: "/")

  /// Nil for what does not begin with a slash, or holds a zero byte.
  public init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/"), !text.utf8.contains(0) else { return nil }
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { text.utf8.index(after: $0) }
    self.init(whole: end.map { String(text[..<$0]) } ?? "/")
  }

  private init(whole text: String) {
    self.text = text
  }
}

extension AbsolutePath: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AbsolutePath {
    guard let path = AbsolutePath(try String.decode(node)) else {
      throw JSONDecodingError(
        .invalid("must be an absolute path without zero bytes: the server has a working folder of its own"))
    }
    return path
  }

  package func encode(to writer: inout JSONWriter) { writer.string(text) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "format": "absolute-path", "description": "Begins with a slash."]
  }
}
