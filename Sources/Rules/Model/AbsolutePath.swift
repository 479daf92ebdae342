import JSON
import Support

/// The absolute path of a file or folder. Relative paths are not accepted, because the server's working folder is not
/// the host's.
package struct AbsolutePath: Hashable, Sendable {
  /// The path without slashes at its end, except for the root itself.
  package let text: String

  package static let root = AbsolutePath(whole: "/")

  /// `nil` if `text` does not begin with a slash, or contains a zero byte.
  package init?(_ text: String) {
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
        .invalid("must be an absolute path without zero bytes, because the server has its own working folder"))
    }
    return path
  }

  package func encode(to writer: inout JSONWriter) { writer.string(text) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "format": "absolute-path", "description": "Begins with a slash."]
  }
}

/// A URL with a scheme (RFC 3986), such as one app hands to another.
package struct AbsoluteURL: Hashable, Sendable {
  /// The greatest length in bytes. No app opens a longer URL.
  package static let maximumLength = 1 << 16

  package let text: String
  /// The scheme in lower case.
  package let scheme: String

  package static let blank = AbsoluteURL(whole: "about:blank", scheme: "about")

  /// `nil` if `text` has no scheme, or is longer than 64 KiB.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8[..<colon].isScheme
    else { return nil }
    self.init(whole: text, scheme: String(text[..<colon]).lowercasedASCII)
  }

  /// The same URL with another scheme, for the app that handles that scheme. `scheme` must be valid.
  package func replacingScheme(by scheme: String) -> AbsoluteURL {
    let rest = text[text.utf8.index(text.startIndex, offsetBy: self.scheme.utf8.count)...]
    return AbsoluteURL(whole: scheme + rest, scheme: scheme)
  }

  /// The same URL as an Android intent for one app. `package` must be the id of a package.
  package func intent(for package: String) -> AbsoluteURL {
    let rest = text[text.utf8.index(text.startIndex, offsetBy: scheme.utf8.count)...]
    return AbsoluteURL(whole: "intent\(rest)#Intent;scheme=\(scheme);package=\(package);end", scheme: "intent")
  }

  private init(whole text: String, scheme: String) {
    self.text = text
    self.scheme = scheme
  }
}

extension Substring.UTF8View {
  fileprivate var isScheme: Bool {
    guard let first, first.isLetter else { return false }
    return allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
  }
}

extension AbsoluteURL: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AbsoluteURL {
    guard let url = AbsoluteURL(try String.decode(node)) else {
      throw JSONDecodingError(.invalid("must begin with a scheme, such as https:, and have at most 64 KiB"))
    }
    return url
  }

  package func encode(to writer: inout JSONWriter) { writer.string(text) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "format": "uri", "description": "A URL with a scheme; at most 64 KiB."]
  }
}

extension String {
  /// The text with the letters A to Z in lower case, and everything else as it is.
  package var lowercasedASCII: String {
    guard utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }) else { return self }
    return String(decoding: utf8.map(\.lowercasedLetter), as: UTF8.self)
  }

  /// Whether this is a GUID in 8-4-4-4-12 form, in any case.
  package var isGUID: Bool { utf8.isGUID }
}

extension StringProtocol {
  /// The text without spaces, tabs and line ends at both ends.
  package var trimmedASCII: String {
    let bytes = Array(utf8)
    guard let start = bytes.firstIndex(where: { !$0.isWhitespace }),
      let end = bytes.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(decoding: bytes[start...end], as: UTF8.self)
  }
}
