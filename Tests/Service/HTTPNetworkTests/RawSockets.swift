import Glibc
import Support

/// A TCP connection on loopback, for bytes that no client and no server would send. Blocks its thread.
final class RawConnection: Sendable {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  init(port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = withLoopbackAddress(port: port) { address, size in connect(descriptor, address, size) }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Everything until the text is there or the other side closes. Waits at most 20 s for each part.
  func receive(until text: String? = nil) -> String {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while text.map({ !String(decoding: received, as: UTF8.self).contains($0) }) ?? true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 20_000) > 0 else { return "nothing came" }
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { break }
      received += chunk[..<count]
    }
    return String(decoding: received, as: UTF8.self)
  }

  /// Whether the other side gives up the connection within 20 s. Sends on meanwhile: a side that has read everything
  /// before it closed shows that only when more comes.
  func isReset() -> Bool {
    for _ in 0..<400 {
      var entry = pollfd(fd: descriptor, events: 0, revents: 0)
      if poll(&entry, 1, 50) > 0 { return true }
      _ = Glibc.send(descriptor, "\n", 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
    return false
  }

  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }
}

/// A server that sends what no server should. Serves one connection after another on a thread of its own.
final class RawServer: Sendable {
  private let descriptor: Int32
  let port: Int

  var url: String { "http://127.0.0.1:\(port)" }

  /// Keeps the connections open after `serve`, unless it is told to close them.
  init(closes: Bool = true, _ serve: @escaping @Sendable (RawConnection) -> Void) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptor = listener
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withLoopbackAddress(port: 0) { bind(listener, $0, $1) }
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &size) }
    }
    listen(listener, 8)
    port = Int(in_port_t(bigEndian: address.sin_port))
    let executor = BlockingExecutor(threadCount: 1)
    Task(executorPreference: executor) { Self.run(listener, closes: closes, serve) }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func run(_ listener: Int32, closes: Bool, _ serve: @Sendable (RawConnection) -> Void) {
    var kept: [RawConnection] = []
    while true {
      let accepted = accept(listener, nil, nil)
      guard accepted >= 0 else { break }
      let connection = RawConnection(accepted)
      serve(connection)
      if closes { connection.endOutput() }
      kept.append(connection)
    }
    close(listener)
  }
}

private func withLoopbackAddress(
  port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
  return withUnsafePointer(to: address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
}
