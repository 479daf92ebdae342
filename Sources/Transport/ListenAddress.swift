/// Where a server listens or a client connects, as the command line writes it.
package enum ListenAddress: Equatable, Sendable {
  /// Loopback only; port 0 takes a free one. The host of IPv6 without its brackets.
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
    let bytes = Array(text.utf8)
    guard bytes.starts(with: Self.scheme), let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
      colon > Self.scheme.count, let port = Self.port(bytes[(colon + 1)...])
    else { throw .notAnAddress(text) }
    let host = String(decoding: bytes[Self.scheme.count..<colon], as: UTF8.self)
    guard let loopback = Self.loopbackHosts[host] else { throw .notLoopback(host) }
    self = .tcp(host: loopback, port: port)
  }

  package var hostAndPort: (String, Int) {
    switch self {
    case .tcp(let host, let port): (host, port)
    }
  }

  private static let scheme = Array("tcp://".utf8)

  /// As it is written, and as the system takes it.
  private static let loopbackHosts = ["127.0.0.1": "127.0.0.1", "[::1]": "::1", "localhost": "localhost"]

  /// 1 to 5 digits.
  private static func port(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...5).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self)).map(Int.init)
  }
}

extension ListenAddress: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
    }
  }
}
