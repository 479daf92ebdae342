import Glibc

/// The sockets that a service manager passes to the process that it starts: sd_listen_fds(3).
///
/// They are the descriptors from 3 on. LISTEN_PID says for which process, LISTEN_FDS how many, and LISTEN_FDNAMES, where
/// it stands, what the socket unit calls them.
enum PassedSockets {
  /// Takes them over: no program that this process starts gets one, nor the variables. To be called before other threads
  /// begin, as the environment is changed.
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
    /// Of datagrams, say.
    case notAStream(Int32)
    case notListening(Int32)
    /// Neither of the file system nor of the Internet protocols.
    case unknownFamily(Int32)
    /// A unix socket that stands in no folder.
    case noPath(Int32)
    /// Its unit calls it http, and it is no port.
    case httpWithoutPort(Int32)

    var description: String {
      switch self {
      case .none: "no sockets were passed: LISTEN_PID and LISTEN_FDS are not set. Start it from a systemd socket unit."
      case .ofAnotherProcess(let process):
        """
        the sockets were passed to process \(process), not to this one. A wrapper must end with exec, so that mambridge \
        keeps its process id.
        """
      case .badCount(let text): "LISTEN_FDS is \"\(text)\", not a number from 1 to \(maximumCount)"
      case .notOpen(let number): "descriptor \(number) was passed, and is not open"
      case .notASocket(let number): "descriptor \(number) was passed, and is no socket"
      case .notAStream(let number):
        "descriptor \(number) is no stream socket. Use ListenStream= in the socket unit."
      case .notListening(let number):
        "descriptor \(number) is a socket that does not listen. Write Accept=no into the socket unit."
      case .unknownFamily(let number): "descriptor \(number) is neither a unix socket nor one of TCP"
      case .noPath(let number):
        "descriptor \(number) is a unix socket without a path. Write ListenStream=%t/NAME into the socket unit."
      case .httpWithoutPort(let number):
        "descriptor \(number) is named http and is a unix socket: HTTP needs a port, as ListenStream=127.0.0.1:PORT."
      }
    }
  }
}

/// One descriptor that a service manager passes, with the name that its unit gives it.
struct PassedSocket: Equatable {
  let descriptor: Int32
  /// FileDescriptorName of the unit: with `http` a port speaks HTTP. Anything else says nothing.
  var name = ""

  typealias Failure = PassedSockets.Failure

  func keepFromChildren() throws(Failure) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .notOpen(descriptor) }
  }

  /// Where it listens; the same addresses are allowed as on the command line.
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
