import Glibc
import NIOCore
import Support

/// A client connection that sends a line and waits for the answer.
package final class BlockingConnection {
  package enum Failure: Error, CustomStringConvertible {
    case cannotConnect(ListenAddress, errno: Int32)
    /// The address does not accept lines of JSON.
    case notForLines(String)
    case notAnAddress(String)
    case closed

    package var description: String {
      switch self {
      case .cannotConnect(let address, let number):
        "cannot connect to \(address): \(SystemError(number: number).text)"
      case .notForLines(let address):
        "cannot use \(address): \(Self.supported) can be used here. For HTTP, use curl"
      case .notAnAddress(let text): "\"\(text)\" is not an address. \(Self.supported) can be used here"
      case .closed: "the server closed the connection"
      }
    }

    private static let supported = "tcp://127.0.0.1:PORT and unix:///PATH"
  }

  /// Readable when more has arrived, or when the server has closed the connection.
  package let descriptor: Int32
  private var received: [UInt8] = []
  /// The number of bytes at the start of `received` that contain no line feed.
  private var searched = 0
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  package init(to address: ListenAddress) throws(Failure) {
    descriptor = try Self.connect(address)
  }

  deinit {
    close(descriptor)
  }

  /// Sends one line and returns one line.
  package func answer(to line: [UInt8]) throws(Failure) -> [UInt8] {
    try send(line)
    while true {
      if let line = takeLine() { return line }
      try receive()
    }
  }

  /// Returns the next line that has arrived; `nil` if none is complete yet. Never waits.
  package func receivedLine() throws(Failure) -> [UInt8]? {
    while true {
      if let line = takeLine() { return line }
      guard try receive(Int32(MSG_DONTWAIT)) else { return nil }
    }
  }

  /// Sends one line.
  package func send(_ line: [UInt8]) throws(Failure) {
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .closed }
      rest = rest.dropFirst(count)
    }
  }

  private func takeLine() -> [UInt8]? {
    guard let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = received.count
      return nil
    }
    searched = 0
    defer { received.removeSubrange(...end) }
    return Array(received[..<end])
  }

  /// False if nothing has arrived and `flags` forbid to wait.
  @discardableResult
  private func receive(_ flags: Int32 = 0) throws(Failure) -> Bool {
    let count = recv(descriptor, &chunk, chunk.count, flags)
    if count < 0 && errno == EINTR { return true }
    if count < 0 && errno == EAGAIN && flags != 0 { return false }
    guard count > 0 else { throw .closed }
    received += chunk[..<count]
    return true
  }

  /// The address in a text, if a client can connect to it.
  package static func address(_ text: String) throws -> ListenAddress {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard !["http", "https"].contains(scheme) else { throw Failure.notForLines(text) }
    do throws(ListenAddress.Failure) {
      return try ListenAddress(text)
    } catch {
      if case .notAnAddress = error { throw Failure.notAnAddress(text) }
      throw error
    }
  }

  static func connect(_ address: ListenAddress) throws(Failure) -> Int32 {
    switch address {
    case .tcp(let host, let port): try connect(host, port, address)
    case .unix(let path): try connect(path, address)
    case .http: throw .notForLines(address.description)
    }
  }

  private static func connect(_ path: String, _ address: ListenAddress) throws(Failure) -> Int32 {
    let descriptor = makeUnixSocket()
    guard descriptor >= 0 else { throw .cannotConnect(address, errno: errno) }
    limitSending(descriptor, seconds: 10)
    guard withUnixAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let number = errno
      close(descriptor)
      throw .cannotConnect(address, errno: number)
    }
    limitSending(descriptor, seconds: 0)
    return descriptor
  }

  /// Also limits connecting: a stopped server is EAGAIN then, and a network that does not answer EINPROGRESS. 0 means
  /// no limit.
  private static func limitSending(_ descriptor: Int32, seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  static func connect(_ host: String, _ port: Int, _ address: ListenAddress) throws(Failure) -> Int32 {
    var number = EADDRNOTAVAIL
    for host in ListenAddress.numbers(of: host) {
      if let descriptor = connect(host, port) { return descriptor }
      number = errno
    }
    throw .cannotConnect(address, errno: number)
  }

  /// `host` is an IP address.
  private static func connect(_ host: String, _ port: Int) -> Int32? {
    guard let target = try? SocketAddress(ipAddress: host, port: port) else {
      errno = EADDRNOTAVAIL
      return nil
    }
    let descriptor = socket(target.protocol.rawValue, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    limitSending(descriptor, seconds: 10)
    if target.withSockAddr({ Glibc.connect(descriptor, $0, socklen_t($1)) }) == 0 {
      limitSending(descriptor, seconds: 0)
      return descriptor
    }
    let number = errno
    close(descriptor)
    errno = number
    return nil
  }
}
