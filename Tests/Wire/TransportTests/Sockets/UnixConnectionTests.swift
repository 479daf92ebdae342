import Glibc
import NIOCore
import TestSupport
import Testing

@testable import Transport

@Suite("Who may use a unix socket", .timeLimit(.minutes(5)), .ownThreads)
struct UnixConnectionTests {
  @Test("A unix socket needs no token, and a silent client stays connected")
  func noToken() throws {
    let server = try RunningListener(RunningListener.unix, times: ConnectionTimes(admission: .milliseconds(1)))
    let silent = try server.connect()
    let client = try server.connect()
    client.write(line: request(1, "echo", "[1]"))
    #expect(client.readLine() == result(1, "[1]"))
    #expect(!silent.isReady(POLLIN, milliseconds: 50))
    silent.write(line: request(2, "echo"))
    #expect(silent.readLine() == result(2, "[]"))
  }

  @Test("A unix socket does not serve a process of another user")
  func otherUser() throws {
    let server = try RunningListener(RunningListener.unix, owner: geteuid() + 1)
    let client = try server.connect()
    client.write(line: request(1, "echo"))
    #expect(client.readLine() == nil)
    #expect(server.all.isEmpty)
  }

  @Test("A unix socket takes 64 connections, and one more gets -32004")
  func limit() throws {
    let server = try RunningListener(RunningListener.unix)
    let known = try (0..<64).map { _ in try server.open() }
    let more = try server.connect()
    #expect(failure(more.readLine()) == "null: -32004")
    #expect(more.readLine() == nil)
    #expect(try server.leaves(known[63]))
    let next = try server.open()
    next.write(line: request(1, "echo"))
    #expect(next.readLine() == result(1, "[]"))
  }

  @Test("When a listener ends, its unix socket is removed at once, and running calls are finished")
  func end() throws {
    let server = try RunningListener(RunningListener.unix)
    guard case .unix(let path) = server.listener.address else { return }
    let client = try server.connect()
    client.write(line: request(1, "held"))
    client.write(line: request(2, "echo"))
    server.waitForFirstCall()
    server.listener.endOfInput()
    #expect(access(path, F_OK) != 0)
    #expect(access(UnixSocketFile.lockPath(path), F_OK) != 0)
    server.letGo()
    #expect(client.readLine() == result(1, "true"))
  }
}
