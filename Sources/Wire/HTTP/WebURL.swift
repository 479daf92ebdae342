/// An absolute `http` or `https` URL, split into its origin and the rest.
package struct WebURL: Hashable, Sendable {
  /// `http` or `https`.
  package let scheme: String
  /// In lower case; an IPv6 address has its brackets.
  package let host: String
  package let port: Int
  /// The path with the query, without a fragment. Starts with a slash, unless both are empty.
  package let target: String

  /// `nil` for text that is no such URL: another scheme, no host, a user name, a port out of range, or characters that a
  /// URL escapes.
  package init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let colon = text.firstIndex(of: ":") else { return nil }
    scheme = text[..<colon].lowercased()
    let rest = text[text.index(after: colon)...]
    guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { return nil }
    let body = rest.dropFirst(2).prefix { $0 != "#" }
    let authority = body.prefix { $0 != "/" && $0 != "?" && $0 != "\\" }
    guard !authority.contains("@"), let (host, port) = Self.split(authority) else { return nil }
    self.host = host.lowercased()
    self.port = port ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(self.port) else { return nil }
    let target = body.dropFirst(authority.count)
    guard !target.hasPrefix("\\") else { return nil }
    self.target = target.hasPrefix("?") ? "/" + target : String(target)
  }

  private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
    let isBracketed = authority.hasPrefix("[")
    let end =
      isBracketed
      ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":") ?? authority.endIndex
    guard let end else { return nil }
    let (host, rest) = (authority[..<end], authority[end...])
    guard !host.isEmpty, host != "[]", isBracketed || !host.contains("[") else { return nil }
    guard !rest.isEmpty else { return (String(host), nil) }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy(\.isDigit)
    else { return nil }
    return (String(host), Int(digits))
  }

  /// Scheme, host and port, such as `https://graph.microsoft.com`.
  package var origin: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    return "\(scheme)://\(host)" + (isUsual ? "" : ":\(port)")
  }

  package func hasOrigin(of other: WebURL) -> Bool {
    (scheme, host, port) == (other.scheme, other.host, other.port)
  }

  /// Whether the host is this machine, so that plain HTTP does not leave it.
  package var isLoopback: Bool { host == "localhost" || host == "[::1]" || host.isLoopbackIPv4 }

  /// Whether nobody on the way can read or change what is sent: https, or this machine.
  package var isSafe: Bool { scheme == "https" || isLoopback }
}

extension String {
  /// The text as a part of a path or a value of a query: everything but letters, digits and `-._~` is escaped.
  package var percentEncoded: String {
    var text = ""
    for byte in utf8 {
      let character = Unicode.Scalar(byte)
      let isPlain =
        byte < 0x80 && (character.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(character))
      text += isPlain ? String(character) : Self.escape(byte)
    }
    return text
  }

  private static func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
  }

  fileprivate var isLoopbackIPv4: Bool {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
