import JSON

/// An account as a host names it: a GUID is an Entra object id, "" is no user, and any other text is a user principal
/// name. ASCII case does not matter; nothing is trimmed.
public struct AccountReference: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case noUser, objectId, userPrincipalName }

  /// The name as the host wrote it.
  public let text: String
  /// The name in ASCII lower case, by which accounts are compared.
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
    components.reference("AccountReference", to: Self.self) { _ in
      [
        "type": "string",
        "description": """
        A GUID in 8-4-4-4-12 form is an Entra object id, "" is no user, and any other text is a user principal name. \
        ASCII case does not matter.
        """,
      ]
    }
  }
}

extension AccountReference: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}
