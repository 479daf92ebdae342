import Glibc
import JSONRPC
import TestSupport
import Testing

@testable import Transport

private let kinds = [RunningListener.tcp, RunningListener.unix]

@Suite("Connections over sockets", .timeLimit(.minutes(5)), .ownThreads)
struct SocketListenerTests {
  @Test("A listener on localhost accepts 127.0.0.1 and ::1 on the same port", arguments: ["tcp", "http"])
  func localhost(_ scheme: String) throws {
    let server = try RunningListener("\(scheme)://localhost:0")
    #expect(server.listener.address.description == "\(scheme)://127.0.0.1:\(server.port)")
    let hasSix = access("/proc/net/if_inet6", F_OK) == 0
    for host in ["127.0.0.1", "localhost"] + (hasSix ? ["::1"] : []) {
      let client = Stream(try BlockingConnection.connect(host, server.port, server.listener.address))
      client.write(line: scheme == "tcp" ? authenticate() : "GET / HTTP/1.1\r\n\r\n")
      #expect(client.isReady(POLLIN, milliseconds: 10_000), "\(host)")
    }
  }

  @Test(
    "A listener reports the free port that it got, and 127.0.0.1 for localhost",
    arguments: [
      ("tcp://127.0.0.1:0", "tcp://127.0.0.1:"), ("tcp://localhost:0", "tcp://127.0.0.1:"),
      ("http://127.0.0.1:0", "http://127.0.0.1:"), ("http://localhost:0", "http://127.0.0.1:"),
    ])
  func freePort(_ address: String, _ told: String) throws {
    let server = try RunningListener(address)
    #expect(server.port > 0)
    #expect(server.listener.address.description == told + "\(server.port)")
  }

  @Test("Listening on a port that is already in use fails")
  func takenPort() throws {
    let server = try RunningListener()
    #expect(throws: (any Error).self) { try RunningListener(server.listener.address.description) }
  }

  @Test("Connections are served concurrently, and each gets its replies in order", arguments: kinds)
  func several(_ kind: String) throws {
    let server = try RunningListener(kind)
    let clients = try (0..<8).map { _ in try server.open() }
    clients[0].write(line: request(1, "held"))
    for id in 0..<100 {
      for client in clients { client.write(line: request(id, "echo")) }
    }
    for client in clients.dropFirst() {
      for id in 0..<100 { #expect(client.readLine() == result(id, "[]")) }
    }
    server.letGo()
    #expect(clients[0].readLine() == result(1, "true"))
    #expect(clients[0].readLine() == result(0, "[]"))
  }

  @Test("A client that half-closes its connection gets all replies before the connection closes", arguments: kinds)
  func halfClose(_ kind: String) throws {
    let server = try RunningListener(kind)
    let client = try server.open()
    client.write((1...500).flatMap { (request($0, "echo") + "\n").utf8 })
    client.write(line: request(501, "held"))
    client.write(Array(request(502, "echo").utf8))
    shutdown(client.descriptor, Int32(SHUT_WR))
    for id in 1...500 { #expect(client.readLine() == result(id, "[]")) }
    server.letGo()
    #expect(client.readAll() == result(501, "true") + "\n" + result(502, "[]") + "\n")
  }

  @Test("A slow reader gets large replies whole, and the server prepares only some of them ahead", arguments: kinds)
  func backPressure(_ kind: String) throws {
    var limits = SessionLimits()
    limits.outputBytes = 1 << 20
    let server = try RunningListener(kind, limits: limits)
    let client = try server.open()
    client.write((1...60).flatMap { (request($0, "big", "[1000000]") + "\n").utf8 })
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(client.readLine() == result(1, "\"\(String(repeating: "x", count: 1_000_000))\""))
    #expect(server.all[0].callCount < 31)
    var count = 1
    while let line = client.readLine() {
      count += 1
      #expect(line.utf8.count == result(count, "\"\"").utf8.count + 1_000_000)
    }
    #expect(count == 60)
  }

  @Test("If a client disconnects, its calls are still carried out and the server keeps running", arguments: kinds)
  func goneClient(_ kind: String) throws {
    let server = try RunningListener(kind)
    let client = try server.open()
    server.all[0].waitForCall()
    let requests = [request(1, "held"), request(2, "echo"), request(3, "big", "[1000000]")]
    client.write(line: requests.joined(separator: "\n"))
    server.all[0].waitForCall()
    client.end()
    server.letGo()
    server.all[0].waitForCall()
    server.all[0].waitForCall()
    let other = try server.open()
    other.write(line: request(1, "echo"))
    #expect(other.readLine() == result(1, "[]"))
  }

  @Test("BlockingConnection gets replies of 3 MB, and fails once the server has ended")
  func blockingClient() throws {
    let server = try RunningListener()
    let client = try BlockingConnection(to: server.listener.address)
    _ = try client.answer(to: Array((authenticate() + "\n").utf8), within: .seconds(60))
    for id in 1...3 {
      let line = try client.answer(to: Array((request(id, "big", "[3000000]") + "\n").utf8), within: .seconds(60))
      #expect(line.count == result(id, "\"\"").utf8.count + 3_000_000)
    }
    server.listener.endOfInput()
    while (try? client.answer(to: Array((request(1, "echo") + "\n").utf8), within: .seconds(60))) != nil {}
    #expect(throws: BlockingConnection.Failure.self) {
      try client.answer(to: Array((request(1, "echo") + "\n").utf8), within: .seconds(60))
    }
  }

  @Test("BlockingConnection connects to a unix socket without a token, and refuses HTTP")
  func blockingClientElsewhere() throws {
    let server = try RunningListener(RunningListener.unix)
    let client = try BlockingConnection(to: server.listener.address)
    let line = try client.answer(to: Array((request(1, "echo", "[7]") + "\n").utf8), within: .seconds(60))
    #expect(String(decoding: line, as: UTF8.self) == result(1, "[7]"))
    let http = try RunningListener(RunningListener.http)
    #expect(throws: BlockingConnection.Failure.self) { try BlockingConnection(to: http.listener.address) }
  }
}
