import JSONRPC
import Testing

@testable import Transport

@Suite("How many connections a server takes")
struct ConnectionSlotsTests {
  private static let limits = {
    var limits = SessionLimits()
    limits.connections = 2
    limits.unauthenticatedConnections = 1
    return limits
  }()

  private func refusal(_ work: () throws(RPCError) -> Void) -> String? {
    do throws(RPCError) {
      try work()
      return nil
    } catch {
      return "\(error.code)"
    }
  }

  @Test("each kind has its own slots, and a stranger who becomes known gives his back")
  func kinds() throws {
    let slots = ConnectionSlots(limits: Self.limits)
    try slots.take(.known)
    try slots.take(.stranger)
    #expect(refusal { () throws(RPCError) in try slots.take(.stranger) } == "-32004")
    try slots.exchange()
    try slots.take(.stranger)
    #expect(refusal(slots.exchange) == "-32004")
    slots.free(.known)
    try slots.exchange()
  }

  @Test("the listeners of one server share them")
  func shared() throws {
    var limits = Self.limits
    limits.unauthenticatedConnections = 16
    let service = SocketService(limits: limits, isToken: RunningListener.isToken) {
      FakeHandler(admission: $0)
    }
    let listeners = try (0..<2).map { _ in
      try SocketListener(ListenPlace(try ListenAddress(RunningListener.tcp)), service: service)
    }
    defer { for listener in listeners { listener.shutDown() } }
    func open(_ listener: SocketListener) throws -> (Stream, String?) {
      let client = Stream(try BlockingConnection.connect(listener.address))
      client.write(line: authenticate())
      return (client, client.readLine())
    }
    let first = try open(listeners[0])
    let second = try open(listeners[1])
    #expect(first.1 == result(0, "null") && second.1 == result(0, "null"))
    #expect(failure(try open(listeners[0]).1) == "0: -32004")
    #expect(failure(try open(listeners[1]).1) == "0: -32004")
  }
}
