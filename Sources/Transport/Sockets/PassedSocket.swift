import Glibc

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
