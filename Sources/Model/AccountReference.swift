import JSON

/// An account as a host names it: a GUID is an Entra object id, any other text a user principal name, "" no user.
/// ASCII case does not matter; nothing is trimmed.
public struct AccountReference: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case noUser, objectId, userPrincipalName }

  /// As the host wrote it.
  public let text: String
  /// The same in lower case (ASCII), by which accounts are compared.
  public let key: String
  public let kind: Kind

  public init(_ text: String) {
    self.text = text
    key = text.lowercasedASCII
    kind = text.isEmpty ? .noUser : text.isGUID ? .objectId : .userPrincipalName
  }

  public static let noUser = AccountReference("")

  public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension AccountReference: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AccountReference {
    AccountReference(try String.decode(node))
  }
  package func encode(to writer: inout JSONWriter) { writer.string(text) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    components.reference("AccountReference") { _ in
      [
        "type": "string",
        "description": """
        A GUID in 8-4-4-4-12 form is an Entra object id, any other text a user principal name, "" no user. \
        ASCII case does not matter.
        """,
      ]
    }
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
