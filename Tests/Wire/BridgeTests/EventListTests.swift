import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct EventListTests {
  @Test("events.list returns an account's events in order, each as the OpenRPC document describes it")
  func whole() throws {
    let host = try TestHost.restarting()
    try host.enroll()
    _ = try host.call("tenant.checkIn")
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    let list = try host.call("events.list")
    let events = try #require(list["events"])
    #expect(
      events.eventTypes == [
        EventTypes.enrollment, EventTypes.policy, EventTypes.appConfig, EventTypes.checkIn, EventTypes.unenrollment,
        EventTypes.policy, EventTypes.managementRemoved, EventTypes.appConfig,
      ])
    #expect(events.eventNumbers == Array(1...8))
    #expect(list["next"] == 8)
    #expect(list["gap"] == .null)
    for event in events.arrayValue ?? [] { try expectDescribed(event) }
  }

  private func expectDescribed(_ event: JSONValue) throws {
    let document = OpenRPC.document(serverVersion: "1.2.3")
    let described = document["x-events"]?.arrayValue?.first { $0["name"] == event["type"] }
    let params = try #require(described?["params"]?.arrayValue)
    let check = SchemaCheck(components: document["components"]?["schemas"]?.objectValue ?? [:])
    let members = try #require(event["params"]?.objectValue)
    #expect(members.names == params.compactMap { $0["name"]?.stringValue })
    for param in params {
      let value = members[param["name"]?.stringValue ?? ""] ?? .null
      #expect(check.faults(of: value, param["schema"] ?? .null) == [], "\(event.jsonText)")
    }
  }

  @Test("events.list returns pages of limit events, continued by next, and only the types in the filter")
  func pages() throws {
    let host = try TestHost.restarting()
    try host.enroll()
    let first = try host.call("events.list", ["limit": 2])
    #expect(first["events"]?.eventNumbers == [1, 2])
    #expect(first["next"] == 2)
    let second = try host.call(
      "events.list", ["after": 2, "stream": first["stream"] ?? .null, "limit": 2])
    #expect(second["events"]?.eventNumbers == [3])
    #expect(second["next"] == 3)
    #expect(second["stream"] == first["stream"])
    let filtered = try host.call("events.list", [0, .null, [.string(EventTypes.policy)]])
    #expect(filtered["events"]?.eventNumbers == [2])
    #expect(filtered["next"] == 3)
  }

  @Test(
    "events.list reports a gap for event numbers that this store never assigned",
    arguments: [["after": 4], ["after": 1, "stream": "other"]] as [JSONValue])
  func foreign(_ params: JSONValue) throws {
    let host = try TestHost.restarting()
    try host.enroll()
    var params = params.objectValue ?? [:]
    let list = try host.call("events.list", .object(params))
    #expect(list["events"] == [])
    #expect(list["next"] == 3)
    #expect(list["gap"] == ["after": 0, "to": 3, "from": 1])
    params["waitMilliseconds"] = 600_000
    #expect(try host.call("events.list", .object(params)) == list)
  }

  @Test("events.list reports expired events as a gap and returns the events after them")
  func retention() throws {
    let host = try TestHost.restarting()
    try host.enroll()
    host.clock.advance(byMilliseconds: 31 * 24 * 3600 * 1000)
    _ = try host.call("tenant.checkIn")
    let list = try host.call("events.list", ["after": 1, "waitMilliseconds": 600_000])
    #expect(list["gap"] == ["after": 1, "to": 3, "from": 2])
    #expect(list["events"]?.eventNumbers == [4])
  }

  @Test(
    "events.list, events.subscribe and events.unsubscribe name the path of an invalid parameter",
    arguments: [
      ("events.list", ["after": -1], "/after"), ("events.list", ["limit": 0], "/limit"),
      ("events.list", ["limit": 1001], "/limit"), ("events.list", ["types": ["policyManager"]], "/types/0"),
      ("events.list", ["waitMilliseconds": 600_001], "/waitMilliseconds"),
      ("events.list", ["stream": 7], "/stream"), ("events.list", ["after": 9_007_199_254_740_993], "/after"),
      ("events.subscribe", ["types": ["appConfig.didChange", "events.gap"]], "/types/1"),
      ("events.subscribe", [:], "/types"), ("events.unsubscribe", ["types": ["x"]], "/types/0"),
    ] as [(String, JSONValue, JSONValue)])
  func wrongParams(_ method: String, _ params: JSONValue, _ path: JSONValue) throws {
    #expect(try TestHost.restarting().error(method, params)["data"]?["path"] == path)
  }

  @Test("A waiting events.list is answered when a later request of the same host causes an event")
  func late() throws {
    let host = EventHost(try TestHost.restarting().bridge)
    let list = host.send("events.list", ["types": [.string(EventTypes.appConfig)], "waitMilliseconds": 600_000])
    #expect(try host.call("enrollmentManager.registeredAccounts") == [])
    #expect(!host.hasReply(to: list))
    try host.enroll()
    let result = try host.reply(to: list)["result"]
    #expect(result?["events"]?.eventTypes == [EventTypes.appConfig])
  }

  @Test("An events.list call that does not wait is answered in the order of the requests")
  func inOrder() throws {
    let host = EventHost(try TestHost.restarting().bridge)
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    let list = host.send("events.list")
    let enrolled = host.send("enrollmentManager.enrolledAccount")
    #expect(try host.reply(to: enrolled)["result"] != .null)
    #expect(host.hasReply(to: list))
    #expect(try host.reply(to: list)["result"]?["next"] == 3)
  }

  @Test("events.list returns an empty list when waitMilliseconds have passed")
  func timeOut() throws {
    let list = try TestHost.restarting().call("events.list", ["waitMilliseconds": 20])
    #expect(list["events"] == [])
    #expect(list["next"] == 0)
    #expect(list["gap"] == .null)
  }

  @Test("At the end of input, waiting events.list calls return what they have")
  func endOfInput() throws {
    let host = EventHost(try TestHost.restarting().bridge)
    let lists = (0..<5).map { _ in host.send("events.list", ["waitMilliseconds": 600_000]) }
    host.endInput()
    for list in lists { #expect(try host.reply(to: list)["result"]?["events"] == []) }
    #expect(host.isFinished)
  }

  @Test("On one connection, 1,024 events.list calls can wait, and one more fails with -32004")
  func limit() throws {
    let host = EventHost(try TestHost.restarting().bridge)
    let lists = (0..<1024).map { _ in host.send("events.list", ["waitMilliseconds": 600_000]) }
    let refused = try host.reply(to: host.send("events.list", ["waitMilliseconds": 600_000]))
    #expect(refused["error"]?["code"] == -32004)
    #expect(refused["error"]?["data"]?["limit"] == "inFlight")
    try host.enroll()
    for list in lists { #expect(try host.reply(to: list)["result"]?["next"] == 3) }
  }

  @Test("A cancelled events.list call fails with -32800")
  func cancel() throws {
    let host = EventHost(try TestHost.restarting().bridge)
    let list = host.send("events.list", ["waitMilliseconds": 600_000])
    host.notify("$/cancelRequest", ["id": .integer(Int64(list))])
    #expect(try host.reply(to: list)["error"]?["code"] == -32800)
    host.endInput()
    #expect(host.isFinished)
  }

  @Test("A waiting events.list call returns the events that another process causes")
  func otherProcess() throws {
    let mine = try TestHost.restarting()
    let host = EventHost(mine.bridge)
    let list = host.send("events.list", ["waitMilliseconds": 600_000])
    let other = try TestHost.restarting(folder: mine.folder)
    try other.enroll()
    let result = try #require(try host.reply(to: list)["result"])
    #expect(result == (try other.call("events.list")))
  }
}
