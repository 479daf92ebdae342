import Glibc
import NIOCore
import Support
import TestSupport
import Testing

@testable import Transport

@Suite("Authentication over TCP", .timeLimit(.minutes(5)), .ownThreads)
struct AdmissionOverTCPTests {
  @Test("A call over TCP before authenticate fails with -32001")
  func authenticateFirst() throws {
    let server = try RunningListener()
    let client = try server.connect()
    client.write(line: request(1, "echo"))
    #expect(failure(client.readLine()) == "1: -32001")
    client.write(line: authenticate())
    #expect(client.readLine() == result(0, "null"))
    client.write(line: request(2, "echo"))
    #expect(client.readLine() == result(2, "[]"))
  }

  @Test("Three wrong tokens over TCP are each answered, and then the connection closes")
  func wrongTokens() throws {
    let server = try RunningListener()
    let client = try server.connect()
    client.write((0..<2000).flatMap { _ in (authenticate("wrong") + "\n").utf8 })
    for _ in 0..<3 { #expect(failure(client.readLine()) == "0: -32001") }
    #expect(client.readLine() == nil)
  }

  @Test("A TCP connection that does not authenticate in time is closed, and an authenticated one stays")
  func timer() throws {
    let server = try RunningListener(times: ConnectionTimes(admission: .milliseconds(300)))
    let known = try server.open()
    let stranger = try server.connect()
    #expect(stranger.readLine() == nil)
    known.write(line: request(1, "echo"))
    #expect(known.readLine() == result(1, "[]"))
  }

  @Test("The server takes 64 authenticated and 16 new TCP connections, and one more of either gets -32004")
  func limits() throws {
    let server = try RunningListener(now: { 0 })
    let known = try (0..<64).map { _ in try server.open() }
    let strangers = try (0..<16).map { _ in try server.connect() }
    strangers[0].write(line: authenticate())
    #expect(failure(strangers[0].readLine()) == "0: -32004")
    strangers[15].write(line: authenticate("wrong"))
    #expect(failure(strangers[15].readLine()) == "0: -32001")
    for _ in 0..<50 {
      let more = try server.connect()
      let refusal = more.readLine()
      #expect(failure(refusal) == "null: -32004")
      #expect(refusal?.contains(#""limit":"unauthenticated","value":16"#) == true)
      #expect(more.readLine() == nil)
    }
    known[0].write(line: authenticate())
    #expect(known[0].readLine() == result(0, "null"))
    #expect(try server.leaves(known[63]))
    strangers[0].write(line: authenticate())
    #expect(strangers[0].readLine() == result(0, "null"))
    #expect(try server.connect().isReady(POLLIN, milliseconds: 50) == false)
  }

  @Test("Unauthenticated connections that hold all slots keep no client from authenticating")
  func flood() throws {
    let time = Lock(0.0)
    let server = try RunningListener(now: { time.withLock { $0 } })
    var idle = try (0..<16).map { _ in try server.connect() }
    #expect(failure(try server.connect().readLine()) == "null: -32004")
    for round in 1...118 {
      time.withLock { $0 += 0.3 }
      let client = try server.open()
      client.write(line: request(round, "echo"))
      #expect(client.readLine() == result(round, "[]"))
      #expect(try server.leaves(client))
      time.withLock { $0 += 0.3 }
      // Who was displaced comes back at once, and holds what is free.
      idle.append(try server.connect())
    }
    #expect(idle.count { $0.isReady(POLLIN, milliseconds: 0) } >= 118)
  }
}

extension RunningListener {
  /// Closes a client and sees that the server has noticed.
  func leaves(_ client: Stream) throws -> Bool {
    listener.departures.clear()
    client.end()
    var entry = pollfd(fd: listener.departures.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 10_000) > 0
  }
}
