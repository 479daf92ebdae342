import JSONRPC
import Support
import Testing

@testable import Transport

@Suite("Connection slots of a server")
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

  private final class Connection: Sendable {
    let isClosed = Lock(false)
    var id: ObjectIdentifier { ObjectIdentifier(self) }

    func take(_ slots: ConnectionSlots) throws(RPCError) {
      try slots.takeStranger(id) { [isClosed] in isClosed.withLock { $0 = true } }
    }
  }

  @Test("Authenticated and other connections have separate slots, and authenticating frees the old slot")
  func kinds() throws {
    let slots = ConnectionSlots(limits: Self.limits, now: { 0 })
    let (first, second) = (Connection(), Connection())
    try slots.takeKnown()
    try first.take(slots)
    #expect(refusal { () throws(RPCError) in try second.take(slots) } == "-32004")
    try slots.exchange(first.id)
    try second.take(slots)
    #expect(refusal { () throws(RPCError) in try slots.exchange(second.id) } == "-32004")
    slots.freeKnown()
    try slots.exchange(second.id)
  }

  @Test("A new connection displaces an unauthenticated one that is older than 250 ms")
  func displaced() throws {
    let time = Lock(0.0)
    let slots = ConnectionSlots(limits: Self.limits, now: { time.withLock { $0 } })
    let (old, new, last) = (Connection(), Connection(), Connection())
    try old.take(slots)
    time.withLock { $0 = 0.25 }
    #expect(refusal { () throws(RPCError) in try new.take(slots) } == "-32004")
    time.withLock { $0 = 0.26 }
    try new.take(slots)
    #expect(old.isClosed.withLock { $0 })
    #expect(!new.isClosed.withLock { $0 })
    #expect(refusal { () throws(RPCError) in try slots.exchange(old.id) } == "-32004")
    slots.freeStranger(old.id)
    #expect(refusal { () throws(RPCError) in try last.take(slots) } == "-32004")
    slots.freeStranger(new.id)
    try last.take(slots)
  }

  @Test("Which one of several old unauthenticated connections is displaced is random")
  func anyOfThem() throws {
    var limits = Self.limits
    limits.unauthenticatedConnections = 4
    var displaced: Set<Int> = []
    for _ in 0..<200 where displaced.count < 4 {
      let time = Lock(0.0)
      let slots = ConnectionSlots(limits: limits, now: { time.withLock { $0 } })
      let (old, new) = ((0..<4).map { _ in Connection() }, Connection())
      for (index, connection) in old.enumerated() {
        time.withLock { $0 = Double(index) }
        try connection.take(slots)
      }
      time.withLock { $0 = 9 }
      try new.take(slots)
      displaced.formUnion(old.indices.filter { old[$0].isClosed.withLock { $0 } })
    }
    #expect(displaced.count == 4)
  }

  @Test("All listeners of a server share its connection slots")
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
    #expect(first.1 == result(0, "null"))
    #expect(second.1 == result(0, "null"))
    #expect(failure(try open(listeners[0]).1) == "0: -32004")
    #expect(failure(try open(listeners[1]).1) == "0: -32004")
  }
}
