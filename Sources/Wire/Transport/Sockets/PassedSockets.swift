import Glibc

/// The sockets that a service manager passes to a process: sd_listen_fds(3).
///
/// Their descriptors start at 3. LISTEN_PID names the process for which they are meant, LISTEN_FDS their number, and
/// LISTEN_FDNAMES, which is optional, their names in the socket unit.
enum PassedSockets {
  /// Takes the sockets over: programs that this process starts get neither the sockets nor the variables. Must be
  /// called before other threads start, because it changes the environment.
  static func take() throws(Failure) -> [PassedSocket] {
    defer { for name in ["LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
    guard let process = variable("LISTEN_PID"), let text = variable("LISTEN_FDS") else { throw .none }
    guard process == "\(getpid())" else { throw .ofAnotherProcess(process) }
    guard let count = Int32(text), (1...maximumCount).contains(count) else { throw .badCount(text) }
    let names = variable("LISTEN_FDNAMES").map { $0.split(separator: ":", omittingEmptySubsequences: false) } ?? []
    let sockets = (0..<count).map { index in
      PassedSocket(descriptor: first + index, name: index < names.count ? String(names[Int(index)]) : "")
    }
    for socket in sockets { try socket.keepFromChildren() }
    return sockets
  }

  private static let first: Int32 = 3
  private static let maximumCount: Int32 = 64

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

// MARK: - Failures

extension PassedSockets {
  enum Failure: Error, Equatable, CustomStringConvertible {
    case none
    case ofAnotherProcess(String)
    case badCount(String)
    case notOpen(Int32)
    case notASocket(Int32)
    /// For example a datagram socket.
    case notAStream(Int32)
    case notListening(Int32)
    /// Neither a unix socket nor an Internet socket.
    case unknownFamily(Int32)
    /// A unix socket without a path.
    case noPath(Int32)
    /// The unit names it http, but it is not a port.
    case httpWithoutPort(Int32)

    var description: String {
      switch self {
      case .none:
        "no sockets were passed: LISTEN_PID and LISTEN_FDS are not set. Start mambridge from a systemd socket unit."
      case .ofAnotherProcess(let process):
        """
        the sockets were passed to process \(process), not to this one. A wrapper must end with exec, so that mambridge \
        keeps its process id.
        """
      case .badCount(let text): "LISTEN_FDS is \"\(text)\", not a number from 1 to \(maximumCount)"
      case .notOpen(let number): "descriptor \(number) was passed but is not open"
      case .notASocket(let number): "descriptor \(number) was passed but is not a socket"
      case .notAStream(let number):
        "descriptor \(number) is not a stream socket. Use ListenStream= in the socket unit."
      case .notListening(let number):
        "descriptor \(number) is a socket that is not listening. Set Accept=no in the socket unit."
      case .unknownFamily(let number): "descriptor \(number) is neither a unix socket nor a TCP socket"
      case .noPath(let number):
        "descriptor \(number) is a unix socket without a path. Set ListenStream=%t/NAME in the socket unit."
      case .httpWithoutPort(let number):
        "descriptor \(number) is named http but is a unix socket. HTTP needs a port: ListenStream=127.0.0.1:PORT."
      }
    }
  }
}

/// A descriptor from the service manager, with the name that its unit gives it.
struct PassedSocket: Equatable {
  let descriptor: Int32
  /// FileDescriptorName in the unit: `http` makes a port speak HTTP; other names have no meaning.
  var name = ""

  typealias Failure = PassedSockets.Failure

  func keepFromChildren() throws(Failure) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .notOpen(descriptor) }
  }

  /// The address of the socket. The same addresses are allowed as on the command line.
  func place() throws -> ListenPlace {
    try checkThatItListens()
    return ListenPlace(try address(), on: descriptor)
  }

  private func checkThatItListens() throws(Failure) {
    guard let type = option(SO_TYPE) else { throw errno == EBADF ? .notOpen(descriptor) : .notASocket(descriptor) }
    guard type == Int32(SOCK_STREAM.rawValue) else { throw .notAStream(descriptor) }
    guard option(SO_ACCEPTCONN) == 1 else { throw .notListening(descriptor) }
  }

  private func option(_ name: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }

  private func address() throws -> ListenAddress {
    let bound = try SocketName(of: descriptor)
    guard case .port(let host, let port) = bound else {
      guard case .path(let path) = bound else { throw Failure.noPath(descriptor) }
      guard name != "http" else { throw Failure.httpWithoutPort(descriptor) }
      return try ListenAddress("unix://\(path)")
    }
    return try ListenAddress("\(name == "http" ? "http" : "tcp")://\(host):\(port)")
  }
}
