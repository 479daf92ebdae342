import Glibc
import JSONRPC
import TestSupport
import Testing

@testable import Transport

@Suite("Long messages on a server with several connections", .timeLimit(.minutes(5)), .ownThreads)
struct LongMessageTests {
  private static let padding = String(repeating: "x", count: 1 << 19)

  /// A request whose call takes until the test lets go.
  private static func long(_ id: Int) -> String { request(id, "blocks", "[\"\(padding)\"]") }

  private func open(_ server: RunningListener) throws -> (client: Stream, handler: FakeHandler) {
    let client = try server.open()
    return (client, try #require(server.all.last))
  }

  private static let kinds = [RunningListener.tcp, RunningListener.unix]

  @Test("A long message delays no other connection, and the messages after it stay in order", arguments: kinds)
  func otherConnections(_ kind: String) throws {
    let server = try RunningListener(kind)
    let (busy, handler) = try open(server)
    handler.waitForCall()
    busy.write(line: Self.long(1) + "\n" + request(2, "echo", "[2]"))
    handler.waitForCall()
    let other = try server.open()
    for id in 1...20 {
      other.write(line: request(id, "echo"))
      guard other.isReady(POLLIN, milliseconds: 10_000) else { break }
      #expect(other.readLine() == result(id, "[]"))
    }
    #expect(!busy.isReady(POLLIN, milliseconds: 0))
    handler.unblock()
    #expect(busy.readLine() == result(1, "true"))
    #expect(busy.readLine() == result(2, "[2]"))
  }

  @Test("A long element of a batch delays no other connection", arguments: kinds)
  func batch(_ kind: String) throws {
    let server = try RunningListener(kind)
    let (busy, handler) = try open(server)
    handler.waitForCall()
    busy.write(line: "[\(request(1, "echo")),\(Self.long(2)),\(request(3, "held"))]")
    handler.waitForCall()
    handler.waitForCall()
    let other = try server.open()
    other.write(line: request(9, "echo"))
    #expect(other.isReady(POLLIN, milliseconds: 10_000))
    #expect(other.readLine() == result(9, "[]"))
    handler.unblock()
    handler.waitForCall()
    server.letGo()
    #expect(busy.readLine() == "[\(result(1, "[]")),\(result(2, "true")),\(result(3, "true"))]")
  }

  @Test("Slow short messages on one connection do not block other connections")
  func turns() throws {
    let server = try RunningListener(RunningListener.unix)
    let (busy, handler) = try open(server)
    handler.waitForCall()
    // The first makes the turn long; what is left of it is done beside the loop.
    busy.write(line: request(1, "slow") + "\n" + request(2, "blocks"))
    handler.waitForCall()
    handler.waitForCall()
    let other = try server.connect()
    other.write(line: request(1, "echo"))
    #expect(other.isReady(POLLIN, milliseconds: 10_000))
    handler.unblock()
    #expect(failure(busy.readLine()) == "1: no error")
    #expect(busy.readLine() == result(2, "true"))
  }

  @Test("A disconnect or the end of input during a long message takes effect after it", arguments: kinds)
  func endings(_ kind: String) throws {
    let server = try RunningListener(kind)
    let (gone, first) = try open(server)
    let (ended, second) = try open(server)
    for handler in [first, second] { handler.waitForCall() }
    for client in [gone, ended] { client.write(line: Self.long(1)) }
    for handler in [first, second] { handler.waitForCall() }
    gone.end()
    server.listener.endOfInput()
    #expect(server.listener.hasConnections)
    for handler in [first, second] { handler.unblock() }
    #expect(ended.readLine() == result(1, "true"))
    #expect(ended.readLine() == nil)
    ended.end()
    while server.listener.hasConnections { usleep(1000) }
  }

  @Test("A long body over HTTP delays no other request")
  func overHTTP() throws {
    let server = try RunningListener(RunningListener.http)
    let busy = try HTTPClient(server)
    busy.send(busy.post(Self.long(1)))
    server.waitForFirstCall()
    let other = try HTTPClient(server)
    other.send(other.post(request(2, "echo")))
    #expect(other.stream.isReady(POLLIN, milliseconds: 10_000))
    server.all[0].unblock()
    #expect(busy.readReply()?.body == result(1, "true"))
  }
}
