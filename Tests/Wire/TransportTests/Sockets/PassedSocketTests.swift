import Glibc
import JSONRPC
import TestSupport
import Testing

@testable import Transport

/// A socket of a test, closed when its owner is gone.
private final class OwnSocket {
  let descriptor: Int32

  init(_ family: Int32, _ type: __socket_type = SOCK_STREAM) {
    descriptor = socket(family, Int32(type.rawValue), 0)
  }

  deinit { close(descriptor) }

  /// Bound to a free port of this IPv4 address.
  func bound(to host: UInt32) -> OwnSocket {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return self
  }

  func bound(to path: String) -> OwnSocket {
    _ = withUnixAddress(path) { Glibc.bind(descriptor, $0, $1) }
    return self
  }

  func listening() -> OwnSocket {
    listen(descriptor, 8)
    return self
  }

  func place(named name: String = "") throws -> ListenPlace {
    try PassedSocket(descriptor: descriptor, name: name).place()
  }
}

private let loopback: UInt32 = 0x7F00_0001

@Suite("Sockets that a service manager passes") struct PassedSocketTests {
  private let folder = TemporaryFolder()

  @Test(
    "A passed port is for HTTP only if it is named http", arguments: [("", "tcp"), ("http", "http"), ("x", "tcp")])
  func ports(_ name: String, _ scheme: String) throws {
    let passed = OwnSocket(AF_INET).bound(to: loopback).listening()
    let place = try passed.place(named: name)
    #expect(place.address.description.hasPrefix("\(scheme)://127.0.0.1:"))
    #expect(!place.address.description.hasSuffix(":0"))
    #expect(place.descriptor == passed.descriptor)
  }

  @Test("A passed unix socket keeps its path and cannot be used for HTTP")
  func unix() throws {
    let passed = OwnSocket(AF_UNIX).bound(to: folder.file("socket")).listening()
    #expect(try passed.place().address == .unix(path: folder.file("socket")))
    #expect(throws: PassedSocket.Failure.httpWithoutPort(passed.descriptor)) { try passed.place(named: "http") }
  }

  @Test("A passed port on another address than 127.0.0.1 is refused", arguments: [0, 0x7F00_0002])
  func elsewhere(_ host: UInt32) {
    let passed = OwnSocket(AF_INET).bound(to: host).listening()
    #expect(throws: ListenAddress.Failure.self) { try passed.place() }
  }

  @Test("A passed socket that cannot be used is refused with the line of the unit that fixes it")
  func refused() {
    let silent = OwnSocket(AF_INET).bound(to: loopback)
    #expect(throws: PassedSocket.Failure.notListening(silent.descriptor)) { try silent.place() }
    let datagrams = OwnSocket(AF_INET, SOCK_DGRAM).bound(to: loopback)
    #expect(throws: PassedSocket.Failure.notAStream(datagrams.descriptor)) { try datagrams.place() }
    let unnamed = OwnSocket(AF_UNIX).listening()
    #expect(throws: (any Error).self) { try unnamed.place() }
    #expect(PassedSocket.Failure.notListening(3).description.contains("Accept=no"))
    #expect(PassedSocket.Failure.notAStream(3).description.contains("ListenStream="))
    #expect(PassedSocket.Failure.noPath(3).description.contains("ListenStream=%t"))
  }

  @Test("A passed descriptor that is closed or not a socket is refused")
  func noSocket() {
    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(throws: PassedSocket.Failure.notASocket(file)) { try PassedSocket(descriptor: file).place() }
    #expect(throws: PassedSocket.Failure.notOpen(-1)) { try PassedSocket(descriptor: -1).place() }
    #expect(throws: PassedSocket.Failure.notOpen(-1)) { try PassedSocket(descriptor: -1).keepFromChildren() }
  }

  @Test("A passed socket is not inherited by child processes")
  func closedOnExec() throws {
    let passed = OwnSocket(AF_INET)
    #expect(fcntl(passed.descriptor, F_GETFD) & FD_CLOEXEC == 0)
    try PassedSocket(descriptor: passed.descriptor).keepFromChildren()
    #expect(fcntl(passed.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test("A passed unix socket serves only processes of the same user, and its file stays at the end")
  func listener() throws {
    let path = folder.file("socket")
    for owner in [geteuid(), geteuid() + 1] {
      // NIO closes what it is given.
      let passed = OwnSocket(AF_UNIX).bound(to: path).listening()
      let listener = try SocketListener(
        ListenPlace(try ListenAddress("unix://" + path), on: dup(passed.descriptor)),
        service: SocketService(limits: SessionLimits(), isToken: { _ in false }) { FakeHandler(admission: $0) },
        times: ConnectionTimes(), owner: owner)
      let client = Stream(try BlockingConnection.connect(listener.address))
      client.write(line: request(1, "echo", "[1]"))
      #expect(client.readLine() == (owner == geteuid() ? result(1, "[1]") : nil))
      listener.endOfInput()
      listener.shutDown()
      #expect(unlink(path) == 0)
    }
  }
}
