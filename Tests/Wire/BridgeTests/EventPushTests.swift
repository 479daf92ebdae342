import JSON
import JSONRPC
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct EventPushTests {
  let mine: TestHost
  let host: EventHost

  init() throws {
    mine = try TestHost.restarting()
    host = EventHost(mine.bridge)
  }

  private func subscribe(_ types: JSONValue = EventTypes.all) throws {
    #expect(try host.call("events.subscribe", ["types": types]) == .null)
  }

  private func listed(after: Int64 = 0) throws -> [JSONValue] {
    try mine.call("events.list", ["after": .integer(after), "limit": 1000])["events"]?.arrayValue ?? []
  }

  /// Makes events as another process does.
  private func otherProcess() throws -> TestHost { try TestHost.restarting(folder: mine.folder) }

  @Test("Pushed events equal the events of events.list, in the same order")
  func order() throws {
    try subscribe()
    for _ in 0..<20 {
      try host.enroll()
      try host.unenroll()
    }
    let pushes = try host.pushes(140)
    #expect(pushes == (try listed()))
    #expect(JSONValue.array(pushes).eventNumbers == Array(1...140))
  }

  @Test("A subscription in the first request gets the events that the second request causes")
  func first() throws {
    host.send("events.subscribe", ["types": [.string(EventTypes.enrollment)]])
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    #expect(try host.nextPush()["params"]?["statusCode"] == 100)
  }

  @Test("A host with concurrent requests gets all events of the requests after its subscription")
  func sideBySide() throws {
    _ = try host.call("initialize", [:])
    host.send("events.subscribe", ["types": EventTypes.all])
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    #expect(JSONValue.array(try host.pushes(3)).eventNumbers == [1, 2, 3])
  }

  @Test("Repeated subscriptions of a host that does not read leave only one event pump waiting")
  func pumps() async throws {
    let peer = DeafPeer()
    let subscriptions = EventSubscriptions(mine.bridge.core.events)
    for _ in 0..<10 {
      _ = subscriptions.add([EventTypes.enrollment], telling: peer)
      try host.enroll()
      #expect(await eventually { peer.waiters.withLock { !$0.isEmpty } })
      subscriptions.remove()
      try host.unenroll()
    }
    #expect(peer.waiters.withLock { $0.count } == 1)
    for waiter in peer.waiters.withLock({ $0 }) { waiter() }
  }

  @Test("events.subscribe pushes only events of the given types, and no earlier events")
  func filter() throws {
    try host.enroll()
    try subscribe([.string(EventTypes.policy), .string(EventTypes.checkIn)])
    _ = try host.call("tenant.checkIn")
    try host.unenroll()
    #expect(JSONValue.array(try host.pushes(2)).eventTypes == [EventTypes.checkIn, EventTypes.policy])
    try subscribe([.string(EventTypes.policy), .string(EventTypes.unenrollment), .string(EventTypes.policy)])
    try host.enroll()
    try host.unenroll()
    #expect(
      JSONValue.array(try host.pushes(3)).eventTypes == [EventTypes.policy, EventTypes.unenrollment, EventTypes.policy])
    #expect(host.arrivedPushes() == [])
  }

  @Test("A subscription gets each event of this process and of another process exactly once")
  func twoProcesses() throws {
    try subscribe()
    let other = try otherProcess()
    for _ in 0..<5 {
      try other.enroll()
      try host.unenroll()
    }
    let pushes = try host.pushes(35)
    #expect(JSONValue.array(pushes).eventNumbers == Array(1...35))
    #expect(pushes == (try listed()))
  }

  @Test("Once events.subscribe has returned, the host misses no event of another process")
  func otherProcessAtOnce() throws {
    let other = try otherProcess()
    try other.enroll()
    try subscribe()
    _ = try other.call("tenant.checkIn")
    #expect(try host.nextPush()["params"]?["seq"] == 4)
  }

  @Test("Unsubscribed types are no longer pushed, and a new subscription starts with new events")
  func unsubscribe() throws {
    try subscribe()
    try host.enroll()
    #expect(try host.pushes(3).count == 3)
    #expect(try host.call("events.unsubscribe", ["types": [.string(EventTypes.policy)]]) == .null)
    try host.unenroll()
    let rest = [EventTypes.unenrollment, EventTypes.managementRemoved, EventTypes.appConfig]
    #expect(JSONValue.array(try host.pushes(3)).eventTypes == rest)
    #expect(try host.call("events.unsubscribe") == .null)
    #expect(try host.call("events.unsubscribe") == .null)
    try host.enroll()
    try subscribe([.string(EventTypes.unenrollment), .string(EventTypes.enrollment)])
    try host.unenroll()
    #expect(try host.nextPush()["params"]?["seq"] == 11)
    #expect(host.arrivedPushes() == [])
  }

  @Test("A cancelled events.subscribe call pushes nothing", arguments: 1...5)
  func cancelled(_ round: Int) throws {
    let id = host.send("events.subscribe", ["types": [.string(EventTypes.enrollment), .string(LoggerLog.name)]])
    host.notify("$/cancelRequest", ["id": .integer(Int64(id))])
    // It may have been too late.
    guard try host.reply(to: id)["error"]?["code"] == -32800 else { return }
    try mine.enroll()
    try subscribe([.string(EventTypes.unenrollment)])
    try host.unenroll()
    #expect(try host.nextPush()["type"] == .string(EventTypes.unenrollment))
  }

  @Test("A host that reads slowly gets every event in order, and other processes do not wait for it")
  func slow() throws {
    let host = EventHost(mine.bridge, outputBytes: 4096)
    _ = try host.call("events.subscribe", ["types": EventTypes.all])
    let other = try otherProcess()
    for _ in 0..<40 {
      try other.enroll()
      _ = try other.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    }
    #expect(JSONValue.array(try host.pushes(280)).eventNumbers == Array(1...280))
    #expect(host.arrivedPushes() == [])
  }

  @Test("A slow host gets events.gap for events that expired before it read them, and then the rest")
  func gap() throws {
    let host = EventHost(mine.bridge, outputBytes: 4096)
    _ = try host.call("events.subscribe", ["types": EventTypes.all])
    for _ in 0..<40 { _ = try mine.call("tenant.checkIn", ["account": "nobody@contoso.example"]) }
    for _ in 0..<40 {
      try mine.enroll()
      _ = try mine.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    }
    mine.clock.advance(byMilliseconds: 31 * 24 * 3600 * 1000)
    try mine.enroll()
    var numbers: [Int64] = []
    var gap: JSONValue?
    while numbers.last != 283 {
      let push = try host.nextPush()
      if push["type"] == "events.gap" { gap = push["params"] } else { numbers += JSONValue.array([push]).eventNumbers }
    }
    let (from, to) = (try #require(gap?["after"]?.integerValue) + 1, try #require(gap?["to"]?.integerValue))
    #expect(to == 280)
    #expect(from > 1)
    #expect(numbers.filter { $0 < from } == Array(1..<from))
    #expect(numbers.suffix(3) == [281, 282, 283])
  }

  @Test("Closing a connection ends its event pump, even if the host reads slowly", arguments: [false, true])
  func end(_ isSlow: Bool) async throws {
    var owner: TestHost? = try TestHost.restarting()
    weak let bridge = owner?.bridge
    weak let clock = owner?.clock
    var host = owner.map { EventHost($0.bridge, outputBytes: isSlow ? 256 : 8 << 20) }
    _ = try host?.call("events.subscribe", ["types": EventTypes.all])
    try owner?.enroll()
    if !isSlow { #expect(try host?.pushes(3).count == 3) }
    host?.closeConnection()
    (host, owner) = (nil, nil)
    #expect(await eventually { bridge == nil && clock == nil })
  }

  @Test("events.subscribe and events.list fail with 6001 if the state folder cannot be used")
  func noState() throws {
    let broken = try TestHost(state: "file")
    broken.folder.write("no folder", to: "file")
    #expect(try broken.error("events.subscribe", ["types": EventTypes.all])["code"] == 6001)
    #expect(try broken.error("events.list", ["waitMilliseconds": 600_000])["code"] == 6001)
  }
}

/// A host that takes nothing, and has no room before the test says so.
private final class DeafPeer: Peer {
  let waiters = Lock<[@Sendable () -> Void]>([])

  var isOpen: Bool { true }
  func notify(_ method: String, params: [UInt8]) -> Bool { false }
  func whenReady(_ body: @escaping @Sendable () -> Void) { waiters.withLock { $0.append(body) } }
  func ask(_ method: String, params: [UInt8], timeout: Duration) async -> PeerAnswer { .unanswered }
  func watch(process: Int32) -> Bool { false }
}
