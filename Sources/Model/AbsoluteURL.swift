import JSON

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
