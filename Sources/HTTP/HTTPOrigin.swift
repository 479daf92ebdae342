import Glibc

/// The scheme, the host and the port of an absolute `http` or `https` URL: two URLs with the same origin lead to the
/// same server.
package struct HTTPOrigin: Hashable, Sendable {
  package enum Scheme: String, Sendable {
    case http, https

    package var defaultPort: Int { self == .https ? 443 : 80 }
  }

  package let scheme: Scheme
  /// In lower case, without brackets.
  package let host: String
  package let port: Int

  package init(scheme: Scheme, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// `nil` for any other text, and for a URL with a user name, which must not reach logs and headers.
  package init?(_ url: String) {
    guard let colon = url.firstRange(of: "://"), let scheme = Scheme(rawValue: url[..<colon.lowerBound].lowercased()),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    let authority = url[colon.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.contains("@"), let (host, port) = Self.split(authority) else { return nil }
    guard !host.isEmpty, port.map({ (0...65_535).contains($0) }) ?? true else { return nil }
    self.init(scheme: scheme, host: host.lowercased(), port: port ?? scheme.defaultPort)
  }

  private static func split(_ authority: Substring) -> (host: Substring, port: Int?)? {
    guard authority.hasPrefix("[") else {
      let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
      switch parts.count {
      case 1: return (parts[0], nil)
      case 2: return Int(parts[1]).map { (parts[0], $0) }
      default: return nil
      }
    }
    guard let end = authority.firstIndex(of: "]") else { return nil }
    let host = authority[authority.index(after: authority.startIndex)..<end]
    let rest = authority[authority.index(after: end)...]
    if rest.isEmpty { return (host, nil) }
    return rest.hasPrefix(":") ? Int(rest.dropFirst()).map { (host, $0) } : nil
  }

  /// Whether the host is this machine: `localhost`, an address of 127.0.0.0/8, or ::1. Asks no name service.
  package var isLoopback: Bool {
    if host == "localhost" { return true }
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
    return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }

  /// Whether the host is a numeric address.
  package var isAddress: Bool {
    var buffer = in6_addr()
    return inet_pton(AF_INET, host, &buffer) == 1 || inet_pton(AF_INET6, host, &buffer) == 1
  }
}

extension HTTPOrigin: CustomStringConvertible {
  package var description: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(host)" + (port == scheme.defaultPort ? "" : ":\(port)")
  }
}
