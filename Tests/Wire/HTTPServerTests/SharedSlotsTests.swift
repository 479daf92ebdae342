import HTTPServer
import NIOCore
import Support
import Testing

/// A connection that only knows whether it was closed.
private final class Client: Sendable {
  private let closed = Lock(false)
  private let slots: SharedSlots

  var isClosed: Bool { closed.withLock { $0 } }
  var id: ObjectIdentifier { ObjectIdentifier(self) }

  init(_ slots: SharedSlots, _ address: String) {
    self.slots = slots
    slots.take(id, from: ClientAddress(address)) { [closed] in closed.withLock { $0 = true } }
  }

  func authenticate() { slots.authenticate(id) }
  func setBusy(_ isBusy: Bool) { slots.setBusy(id, isBusy) }
  func leave() { slots.free(id) }
}

/// The indices of the clients that were displaced.
private func displaced(_ clients: [Client]) -> [Int] { clients.indices.filter { clients[$0].isClosed } }

@Suite("Connection slots shared with unauthenticated clients")
struct SharedSlotsTests {
  @Test("Beyond the limit of an address, a new client displaces the longest idle client of that address")
  func ofOneAddress() {
    let slots = SharedSlots(connections: 100, ofAddress: 3)
    let other = Client(slots, "192.0.2.2")
    let clients = (0..<3).map { _ in Client(slots, "192.0.2.1") }
    clients[0].setBusy(true)
    clients[0].setBusy(false)
    let more = [Client(slots, "192.0.2.1"), Client(slots, "::ffff:192.0.2.1")]
    #expect(displaced(clients) == [1, 2])
    #expect(displaced(more) == [])
    #expect(!other.isClosed)
    #expect(slots.counts == (open: 4, unauthenticated: 4))
  }

  @Test(
    "IPv6 clients in the same /64 count as one address",
    arguments: [("2001:db8::1", "2001:db8::2", true), ("2001:db8::1", "2001:db8:0:1::1", false)])
  func network(first: String, second: String, isOne: Bool) {
    let slots = SharedSlots(connections: 100, ofAddress: 1)
    let clients = [Client(slots, first), Client(slots, second)]
    #expect(displaced(clients) == (isOne ? [0] : []))
  }

  @Test("A busy connection is displaced only if no idle one is left, and the oldest goes first")
  func busy() {
    let slots = SharedSlots(connections: 100, ofAddress: 3)
    let clients = (0..<3).map { _ in Client(slots, "192.0.2.1") }
    clients[0].setBusy(true)
    clients[1].setBusy(true)
    var more = [Client(slots, "192.0.2.1")]
    #expect(displaced(clients) == [2])
    more[0].setBusy(true)
    more.append(Client(slots, "192.0.2.1"))
    #expect(displaced(clients) == [0, 2])
  }

  @Test("Authenticated clients are never displaced, and do not count toward the limit of their address")
  func known() {
    let slots = SharedSlots(connections: 4, ofAddress: 2)
    let known = (0..<4).map { _ in
      let client = Client(slots, "192.0.2.1")
      client.authenticate()
      return client
    }
    let strangers = (0..<40).map { Client(slots, "192.0.2.\($0)") }
    #expect(displaced(known) == [])
    #expect(slots.counts == (open: 4 + SharedSlots.reserve, unauthenticated: SharedSlots.reserve))
    #expect(displaced(strangers) == Array(0..<40 - SharedSlots.reserve))
  }

  @Test("If no slot for authenticated clients is left, one more still counts as unauthenticated")
  func fullOfKnown() {
    let slots = SharedSlots(connections: 1, ofAddress: 9)
    let first = Client(slots, "192.0.2.1")
    let second = Client(slots, "192.0.2.2")
    first.authenticate()
    second.authenticate()
    #expect(slots.counts == (open: 2, unauthenticated: 1))
    first.leave()
    second.authenticate()
    #expect(slots.counts == (open: 1, unauthenticated: 0))
  }

  @Test("A trusted proxy is exempt from the limit of an address, but not from the limit of all connections")
  func proxy() throws {
    let address = try #require(ClientAddress("192.0.2.1"))
    let slots = SharedSlots(connections: 10, ofAddress: 2, exempt: [address])
    let clients = (0..<30).map { _ in Client(slots, "192.0.2.1") }
    #expect(displaced(clients) == [0, 1, 2, 3])
  }

  @Test("A client that leaves frees its slot once, even if it was displaced before")
  func leaves() {
    let slots = SharedSlots(connections: 100, ofAddress: 1)
    let clients = (0..<2).map { _ in Client(slots, "192.0.2.1") }
    for client in clients + clients { client.leave() }
    #expect(slots.counts == (open: 0, unauthenticated: 0))
  }

  @Test("Many requests on one connection do not change which connections are displaced")
  func manyRequests() {
    let slots = SharedSlots(connections: 100, ofAddress: 3)
    let clients = (0..<3).map { _ in Client(slots, "192.0.2.1") }
    for _ in 0..<1000 {
      clients[0].setBusy(true)
      clients[0].setBusy(false)
    }
    let more = (0..<3).map { _ in Client(slots, "192.0.2.1") }
    #expect(displaced(clients) == [0, 1, 2])
    #expect(displaced(more) == [])
  }

  @Test("A client address is an IP", arguments: ["localhost", "", "192.0.2", "192.0.2.1:80", "[::1]", "2001:db8::/32"])
  func noAddress(text: String) {
    #expect(ClientAddress(text) == nil)
  }
}
