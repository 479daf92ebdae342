import Glibc
import TestSupport

/// A client that sends bytes as they are, to a port or a unix socket.
final class RawConnection {
  struct Failure: Error {
    let errno: Int32
  }

  private let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try connect(&address)
  }

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try connect(&address)
  }

  deinit { close(descriptor) }

  private func connect<Address>(_ address: inout Address) throws {
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else { throw Failure(errno: errno) }
  }

  func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What comes until one of these texts has, the end, or 20 s without a byte.
  func read(until end: String) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while !String(decoding: bytes, as: UTF8.self).contains(end), poll(&entry, 1, 20_000) > 0 {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    expectDeclaredErrors(bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
