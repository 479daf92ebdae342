import Model

/// Puts a user's own values for tokens such as `{{userprincipalname}}`, in any ASCII case.
package struct ConfigTokens: Sendable {
  private let values: [String: String]

  /// `userId` is the Entra object id. Without `mail` the user principal name stands for it.
  package init(userId: String, userPrincipalName: String, displayName: String, mail: String?, tenantId: String) {
    let mail = mail ?? userPrincipalName
    values = [
      "userprincipalname": userPrincipalName, "mail": mail, "primarysmtpaddress": mail,
      "partialupn": userPrincipalName.split(separator: "@").first.map(String.init) ?? "",
      "userid": userId, "accountid": tenantId, "username": displayName,
    ]
  }

  /// Unknown tokens stay as they are; what is put in is not read again.
  package func replacing(in text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      if let (value, end) = token(at: rest) {
        result += value
        rest = rest[end...]
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  private func token(at text: Substring) -> (value: String, end: Substring.Index)? {
    guard text.hasPrefix("{{") else { return nil }
    let name = text.dropFirst(2).prefix { $0 != "{" && $0 != "}" }
    guard text[name.endIndex...].hasPrefix("}}"), let value = values[String(name).lowercasedASCII] else { return nil }
    return (value, text.index(name.endIndex, offsetBy: 2))
  }
}
