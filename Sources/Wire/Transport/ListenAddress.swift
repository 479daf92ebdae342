import Glibc
import Support

/// The address at which a server listens or a client connects, as written on the command line.
package enum ListenAddress: Equatable, Sendable {
  /// A loopback address; port 0 picks a free port. An IPv6 host has no brackets.
  case tcp(host: String, port: Int)
  case http(host: String, port: Int)
  /// An absolute path that fits into a socket address.
  case unix(path: String)

  package init(_ text: String) throws(Failure) {
    let bytes = Array(text.utf8)
    if bytes.starts(with: Self.unix) {
      self = .unix(path: try Self.path(bytes[Self.unix.count...], text))
    } else if bytes.starts(with: Self.tcp) {
      let (host, port) = try Self.hostAndPort(bytes[Self.tcp.count...], text)
      self = .tcp(host: host, port: port)
    } else if bytes.starts(with: Self.http) {
      let (host, port) = try Self.hostAndPort(bytes[Self.http.count...], text)
      self = .http(host: host, port: port)
    } else {
      throw .notAnAddress(text)
    }
  }

  /// The address with the actual port instead of 0, and with a number instead of `localhost`, so that clients do not
  /// depend on how a resolver reads the name.
  func bound(to port: Int?) -> ListenAddress {
    switch self {
    case .tcp(let host, let asked): .tcp(host: Self.numbers(of: host)[0], port: port ?? asked)
    case .http(let host, let asked): .http(host: Self.numbers(of: host)[0], port: port ?? asked)
    case .unix: self
    }
  }

  /// The IP addresses of a host; the first one must be available. No resolver is used: whoever can write to its files
  /// could redirect the token.
  static func numbers(of host: String) -> [String] { host == "localhost" ? ["127.0.0.1", "::1"] : [host] }

  /// Whether clients must present the token. For a unix socket, the file system controls the access.
  package var needsToken: Bool {
    if case .unix = self { false } else { true }
  }

  /// The length of `sun_path` without the terminating zero byte.
  static let maximumPathBytes = 107
}

extension ListenAddress: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tcp(let host, let port): "tcp://\(Self.written(host)):\(port)"
    case .http(let host, let port): "http://\(Self.written(host)):\(port)"
    case .unix(let path): "unix://\(path)"
    }
  }

  private static func written(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

// MARK: - Failures

extension ListenAddress {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case notAnAddress(String)
    case notLoopback(String)
    case pathTooLong(String)

    package var description: String {
      switch self {
      case .notAnAddress(let text):
        """
        "\(text)" is not an address. Write tcp://127.0.0.1:PORT or http://127.0.0.1:PORT (port 0 picks a free one), or \
        unix:///PATH.
        """
      case .notLoopback(let host):
        "\(host) is not a loopback address. Listen on 127.0.0.1 or [::1]; for another machine, use ssh -L."
      case .pathTooLong(let path):
        """
        the path \(path) has \(path.utf8.count) bytes, but the path of a unix socket has at most \
        \(maximumPathBytes). Choose a shorter folder.
        """
      }
    }
  }
}

// MARK: - Parsing

extension ListenAddress {
  private static let tcp = Array("tcp://".utf8)
  private static let http = Array("http://".utf8)
  private static let unix = Array("unix://".utf8)

  /// The hosts as written, and as the system expects them.
  private static let loopbackHosts = ["127.0.0.1": "127.0.0.1", "[::1]": "::1", "localhost": "localhost"]

  private static func hostAndPort(
    _ bytes: ArraySlice<UInt8>, _ text: String
  ) throws(Failure) -> (String, Int) {
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex,
      let port = port(bytes[(colon + 1)...])
    else { throw .notAnAddress(text) }
    let host = String(decoding: bytes[..<colon], as: UTF8.self)
    guard let loopback = loopbackHosts[host] else { throw .notLoopback(host) }
    return (loopback, port)
  }

  /// 1 to 5 digits.
  private static func port(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...5).contains(digits.count), digits.allSatisfy({ $0.isDigit }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self)).map(Int.init)
  }

  /// Taken literally: the path has no escapes.
  private static func path(_ bytes: ArraySlice<UInt8>, _ text: String) throws(Failure) -> String {
    let slash = UInt8(ascii: "/")
    guard bytes.first == slash, bytes.last != slash, !bytes.contains(0) else { throw .notAnAddress(text) }
    let path = String(decoding: bytes, as: UTF8.self)
    guard bytes.count <= maximumPathBytes else { throw .pathTooLong(path) }
    return path
  }
}

/// A place to listen at: an address to bind, or a socket that the parent process has bound.
package struct ListenPlace: Sendable {
  package let address: ListenAddress
  /// The descriptor of a socket that is listening already; `nil` if there is none yet.
  let descriptor: Int32?

  package init(_ address: ListenAddress) {
    self.address = address
    descriptor = nil
  }

  init(_ address: ListenAddress, on descriptor: Int32) {
    self.address = address
    self.descriptor = descriptor
  }

  /// The places for a value of `--listen`: one address, or with `systemd` every socket that the service manager passes.
  package static func places(named text: String) throws -> [ListenPlace] {
    guard text == "systemd" else { return [ListenPlace(try ListenAddress(text))] }
    return try PassedSockets.take().map { try $0.place() }
  }
}

/// Calls `body` with the socket address of a path, which must not be longer than `ListenAddress` allows.
func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { place in
    place.copyBytes(from: path.utf8.prefix(ListenAddress.maximumPathBytes))
  }
  return withUnsafePointer(to: &address) { address in
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}

/// A stream socket in the file system; -1 if none can be created.
func makeUnixSocket() -> Int32 {
  socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
}
