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
    /// The server accepts no connection, takes no request or gives no answer within the time.
    case late(ListenAddress, Stage, within: Duration)

    /// What was waited for.
    package enum Stage: Sendable { case connection, request, answer }

    package var description: String {
      switch self {
      case .cannotConnect(let address, let number):
        "cannot connect to \(address): \(SystemError(number: number).text)"
      case .notForLines(let address):
        "cannot use \(address): \(Self.supported) can be used here. For HTTP, use curl"
      case .notAnAddress(let text): "\"\(text)\" is not an address. \(Self.supported) can be used here"
      case .closed: "the server closed the connection"
      case .late(let address, let stage, let limit): Self.late(address, stage, limit)
      }
    }

    private static func late(_ address: ListenAddress, _ stage: Stage, _ limit: Duration) -> String {
      let what =
        switch stage {
        case .connection: "accepted no connection"
        case .request: "took no request"
        case .answer: "gave no answer"
        }
      return "the server at \(address) \(what) within \(limit.secondsText) s: it is stopped or busy. Look at its "
        + "process, or allow more time with --timeout SECONDS"
    }

    private static let supported = "tcp://127.0.0.1:PORT and unix:///PATH"
  }

  /// Readable when more has arrived, or when the server has closed the connection.
  package let descriptor: Int32
  private let address: ListenAddress
  private var received: [UInt8] = []
  /// The number of bytes at the start of `received` that contain no line feed.
  private var searched = 0
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  /// How long a connection may take unless the caller says otherwise.
  package static let connectLimit = Duration.seconds(10)

  package init(to address: ListenAddress, within limit: Duration = connectLimit) throws(Failure) {
    descriptor = try Self.connect(address, within: limit)
    self.address = address
  }

  deinit {
    close(descriptor)
  }

  /// Sends one line and returns one line. All of it together may take as long as the limit.
  package func answer(to line: [UInt8], within limit: Duration) throws(Failure) -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    try send(line, within: limit)
    while true {
      if let line = takeLine() { return line }
      guard isReady(POLLIN, until: deadline) else { throw .late(address, .answer, within: limit) }
      try receive()
    }
  }

  /// Returns the next line that has arrived; `nil` if none is complete yet. Never waits.
  package func receivedLine() throws(Failure) -> [UInt8]? {
    while true {
      if let line = takeLine() { return line }
      guard try receive() else { return nil }
    }
  }

  /// Sends one line. A server that reads none of it within the limit is late.
  package func send(_ line: [UInt8], within limit: Duration) throws(Failure) {
    let deadline = ContinuousClock.now + limit
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    var rest = line[...]
    while !rest.isEmpty {
      guard isReady(POLLOUT, until: deadline) else { throw .late(address, .request, within: limit) }
      let count = rest.withUnsafeBytes { bytes in
        uninterrupted { Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) }
      }
      if count < 0 && errno == EAGAIN { continue }
      guard count > 0 else { throw .closed }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits until the descriptor is ready; false at the deadline.
  private func isReady(_ events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let (seconds, attoseconds) = max(.zero, rest).components
      // Rounded up, so that the last wait does not end just before its time.
      let milliseconds = min(seconds, 3600) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
      if poll(&polled, 1, Int32(clamping: milliseconds)) > 0 { return true }
      if rest <= .zero { return false }
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

  /// False if nothing has arrived. Never waits.
  @discardableResult
  private func receive() throws(Failure) -> Bool {
    let count = uninterrupted { recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT)) }
    if count < 0 && errno == EAGAIN { return false }
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

  static func connect(_ address: ListenAddress, within limit: Duration = connectLimit) throws(Failure) -> Int32 {
    switch address {
    case .tcp(let host, let port): try connect(host, port, address, within: limit)
    case .unix(let path): try connect(path, address, limit)
    case .http: throw .notForLines(address.description)
    }
  }

  private static func connect(
    _ path: String, _ address: ListenAddress, _ limit: Duration
  ) throws(Failure) -> Int32 {
    let descriptor = makeUnixSocket()
    guard descriptor >= 0 else { throw .cannotConnect(address, errno: errno) }
    limitSending(descriptor, limit)
    guard withUnixAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let number = errno
      close(descriptor)
      throw failure(number, address, limit)
    }
    limitSending(descriptor, .zero)
    return descriptor
  }

  /// A server that accepts nothing is EAGAIN on a Unix socket, and EINPROGRESS on TCP.
  private static func failure(_ number: Int32, _ address: ListenAddress, _ limit: Duration) -> Failure {
    let isLate = number == EAGAIN || number == EINPROGRESS || number == EALREADY || number == ETIMEDOUT
    return isLate ? .late(address, .connection, within: limit) : .cannotConnect(address, errno: number)
  }

  /// Also limits connecting. Zero means no limit.
  private static func limitSending(_ descriptor: Int32, _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  static func connect(
    _ host: String, _ port: Int, _ address: ListenAddress, within limit: Duration = connectLimit
  ) throws(Failure) -> Int32 {
    var number = EADDRNOTAVAIL
    for host in ListenAddress.numbers(of: host) {
      if let descriptor = connect(host, port, limit) { return descriptor }
      number = errno
    }
    throw failure(number, address, limit)
  }

  /// `host` is an IP address.
  private static func connect(_ host: String, _ port: Int, _ limit: Duration) -> Int32? {
    guard let target = try? SocketAddress(ipAddress: host, port: port) else {
      errno = EADDRNOTAVAIL
      return nil
    }
    let descriptor = socket(target.protocol.rawValue, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    limitSending(descriptor, limit)
    if target.withSockAddr({ Glibc.connect(descriptor, $0, socklen_t($1)) }) == 0 {
      limitSending(descriptor, .zero)
      return descriptor
    }
    let number = errno
    close(descriptor)
    errno = number
    return nil
  }
}
