/// Where a server listens or a client connects, as the command line writes it.
package enum ListenAddress: Equatable, Sendable {
  /// Loopback only; port 0 takes a free one.
  case tcp(host: String, port: Int)

  package enum Failure: Error, Equatable, CustomStringConvertible {
    case notAnAddress(String)
    case notLoopback(String)

    package var description: String {
      switch self {
      case .notAnAddress(let text):
        "\"\(text)\" is no address. Write tcp://127.0.0.1:PORT, with port 0 for a free one."
      case .notLoopback(let host):
        "\(host) is not a loopback address. Listen on 127.0.0.1 or [::1]; for another machine, use ssh -L."
      }
    }
  }

  package init(_ text: String) throws(Failure) {
    guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { throw .notAnAddress(text) }
    let digits = text[text.index(after: colon)...]
    var host = String(text[text.index(text.startIndex, offsetBy: 6)..<max(colon, text.index(text.startIndex, offsetBy: 6))])
    guard let port = UInt16(digits), digits.allSatisfy(\.isNumber) else { throw .notAnAddress(text) }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard Self.loopbackHosts.contains(host) else { throw .notLoopback(host) }
    self = .tcp(host: host, port: Int(port))
  }

  package var hostAndPort: (String, Int) {
    switch self {
    case .tcp(let host, let port): (host, port)
    }
  }

  private static let loopbackHosts: Set<String> = ["127.0.0.1", "::1", "localhost"]
}

extension ListenAddress: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
    }
  }
}
