import JSON
import Support

/// An account as a host names it: a GUID is an Entra object id, "" is no user, and any other text is a user principal
/// name. ASCII case does not matter; nothing is trimmed.
package struct AccountReference: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case noUser, objectId, userPrincipalName }

  /// The name as the host wrote it.
  package let text: String
  /// The name in ASCII lower case, by which accounts are compared.
  package let key: String
  package let kind: Kind

  package init(_ text: String) {
    self.text = text
    key = text.lowercasedASCII
    kind = text.isEmpty ? .noUser : text.isGUID ? .objectId : .userPrincipalName
  }

  package static let noUser = AccountReference("")

  /// The object id in an identifier that MSAL gives to an account, which is `OBJECT.TENANT`; `nil` for anything else.
  var objectIdOfHomeAccount: String? {
    guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let (object, tenant) = (text[..<dot], text[dot...].dropFirst())
    return object.utf8.isGUID && tenant.utf8.isGUID ? String(object) : nil
  }

  package static func == (left: Self, right: Self) -> Bool { left.key == right.key }

  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension AccountReference: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> AccountReference {
    let reference = AccountReference(try String.decode(node))
    if let objectId = reference.objectIdOfHomeAccount {
      throw JSONDecodingError(
        .invalid("is an account identifier of MSAL; pass the object id, its part before the dot: \(objectId)"))
    }
    return reference
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
  package init(stringLiteral value: String) { self.init(value) }
}
