import Glibc

/// Where a server listens or a client connects, as the command line writes it.
package enum ListenAddress: Equatable, Sendable {
  /// Loopback only; port 0 takes a free one. The host of IPv6 without its brackets.
  case tcp(host: String, port: Int)
  case http(host: String, port: Int)
  /// An absolute path that a socket's address has room for.
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

  /// The same with the port that was bound in the place of 0, and with a number for `localhost`: what clients are told
  /// must not depend on how a resolver reads the name.
  func bound(to port: Int?) -> ListenAddress {
    switch self {
    case .tcp(let host, let asked): .tcp(host: Self.numbers(of: host)[0], port: port ?? asked)
    case .http(let host, let asked): .http(host: Self.numbers(of: host)[0], port: port ?? asked)
    case .unix: self
    }
  }

  /// The addresses of a host; the first must be free. No resolver is asked: whoever can write to its files could send the
  /// token elsewhere.
  static func numbers(of host: String) -> [String] { host == "localhost" ? ["127.0.0.1", "::1"] : [host] }

  /// Whether who connects must show the token: the file system says who may use a unix socket.
  package var needsToken: Bool {
    if case .unix = self { false } else { true }
  }

  /// What `sun_path` holds, without the zero byte at its end.
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
        "\(text)" is no address. Write tcp://127.0.0.1:PORT or http://127.0.0.1:PORT, with port 0 for a free one, \
        or unix:///PATH.
        """
      case .notLoopback(let host):
        "\(host) is not a loopback address. Listen on 127.0.0.1 or [::1]; for another machine, use ssh -L."
      case .pathTooLong(let path):
        """
        the path of a unix socket has at most \(maximumPathBytes) bytes, and \(path) has \(path.utf8.count). \
        Choose a shorter folder.
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

  /// As it is written, and as the system takes it.
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
    guard (1...5).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self)).map(Int.init)
  }

  /// Taken as it stands: nothing in it is an escape.
  private static func path(_ bytes: ArraySlice<UInt8>, _ text: String) throws(Failure) -> String {
    let slash = UInt8(ascii: "/")
    guard bytes.first == slash, bytes.last != slash, !bytes.contains(0) else { throw .notAnAddress(text) }
    let path = String(decoding: bytes, as: UTF8.self)
    guard bytes.count <= maximumPathBytes else { throw .pathTooLong(path) }
    return path
  }
}

/// Where a server listens: at an address that it binds itself, or on a socket that whoever started it has bound.
package struct ListenPlace: Sendable {
  package let address: ListenAddress
  /// Of a socket that listens already; nil where there is none yet.
  let descriptor: Int32?

  package init(_ address: ListenAddress) {
    self.address = address
    descriptor = nil
  }

  init(_ address: ListenAddress, on descriptor: Int32) {
    self.address = address
    self.descriptor = descriptor
  }

  /// What `--listen` names: one address, or with `systemd` every socket that the service manager passes.
  package static func places(named text: String) throws -> [ListenPlace] {
    guard text == "systemd" else { return [ListenPlace(try ListenAddress(text))] }
    return try PassedSockets.take().map { try $0.place() }
  }
}

/// Calls `body` with the socket address of a path, which is not longer than `ListenAddress` allows.
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

/// A stream socket of the file system; -1 when there is none to have.
func makeUnixSocket() -> Int32 {
  socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
}
