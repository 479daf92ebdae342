/// The scheme, host and port of an absolute URL (RFC 6454): who answers a request to it.
package struct HTTPOrigin: Hashable, Sendable {
  /// `http` or `https`.
  package let scheme: String
  /// In lowercase; an IPv6 address without brackets.
  package let host: String
  package let port: Int

  /// `nil` for text that is not an absolute URL of http or https, and for a URL with a user, a space or a control
  /// character, which some readers of URLs take for another one.
  package init?(of url: String) {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
      let colon = url.range(ofFirst: "://")
    else { return nil }
    let scheme = url[..<colon.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let authority = url[colon.upperBound...].prefix { !"/?#".contains($0) }
    guard !authority.contains("@"), let (host, port) = Self.split(authority) else { return nil }
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port ?? (scheme == "https" ? 443 : 80)
  }

  /// Whether the host is this machine, by its name `localhost` or an address.
  package var isLoopback: Bool {
    host == "localhost" || host == "::1" || Self.isAddress(host) && host.hasPrefix("127.")
  }

  /// Whether nobody on the way can read or change what is sent: https, or this machine.
  package var isSafe: Bool { scheme == "https" || isLoopback }

  private static func split(_ authority: Substring) -> (host: Substring, port: Int?)? {
    let isBracketed = authority.hasPrefix("[")
    let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":") ?? authority.endIndex
    guard let end else { return nil }
    let host = isBracketed ? authority[..<end].dropFirst() : authority[..<end]
    let rest = isBracketed ? authority[end...].dropFirst() : authority[end...]
    guard !host.isEmpty, !host.contains("[") else { return nil }
    guard let colon = rest.first else { return (host, nil) }
    guard colon == ":", rest.dropFirst().allSatisfy(\.isWholeNumber), let port = Int(rest.dropFirst()),
      (1...65535).contains(port)
    else { return nil }
    return (host, port)
  }

  private static func isAddress(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension String {
  fileprivate func range(ofFirst other: String) -> Range<Index>? {
    indices.lazy.first { self[$0...].hasPrefix(other) }.map { $0..<index($0, offsetBy: other.count) }
  }
}
