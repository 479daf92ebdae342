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

/// An address with a scheme (RFC 3986), such as one app hands to another.
public struct AbsoluteURL: Hashable, Sendable {
  /// Beyond this no address is one that an app opens.
  public static let maximumLength = 1 << 16

  public let text: String
  /// In lower case.
  public let scheme: String

  public static let blank = AbsoluteURL(whole: "about:blank", scheme: "about")

  /// Nil without a scheme, and for more than 64 KiB.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8[..<colon].isScheme
    else { return nil }
    self.init(whole: text, scheme: String(text[..<colon]).lowercasedASCII)
  }

  /// The same address for the app that takes another scheme, which must be one.
  package func replacingScheme(by scheme: String) -> AbsoluteURL {
    let rest = text[text.utf8.index(text.startIndex, offsetBy: self.scheme.utf8.count)...]
    return AbsoluteURL(whole: scheme + rest, scheme: scheme)
  }

  private init(whole text: String, scheme: String) {
    self.text = text
    self.scheme = scheme
  }
}

extension Substring.UTF8View {
  fileprivate var isScheme: Bool {
    guard let first, first.isLetter else { return false }
    return allSatisfy { $0.isLetter || $0 &- UInt8(ascii: "0") < 10 || "+-.".utf8.contains($0) }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
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
    ["type": "string", "format": "uri", "description": "With a scheme; at most 64 KiB."]
  }
}

extension String {
  /// Letters A to Z in lower case, all else as it is.
  package var lowercasedASCII: String {
    guard utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }) else { return self }
    return String(decoding: utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether this is a GUID in 8-4-4-4-12 form, in any case.
  package var isGUID: Bool {
    guard utf8.count == 36 else { return false }
    var index = 0
    for byte in utf8 {
      let isDash = index == 8 || index == 13 || index == 18 || index == 23
      guard isDash ? byte == UInt8(ascii: "-") : byte.isHexDigit else { return false }
      index += 1
    }
    return true
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    self &- UInt8(ascii: "0") < 10 || (self | 0x20) &- UInt8(ascii: "a") < 6
  }
}

extension StringProtocol {
  /// Without spaces, tabs and line ends on both sides.
  package var trimmedASCII: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let bytes = Array(utf8)
    guard let start = bytes.firstIndex(where: { !isSpace($0) }),
      let end = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[start...end], as: UTF8.self)
  }
}
