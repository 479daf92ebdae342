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
