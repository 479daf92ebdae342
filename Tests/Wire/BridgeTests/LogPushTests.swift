import JSON
import MAM
import TestSupport
import Testing

@Suite("Pushed lines of the diagnostics log", .timeLimit(.minutes(5)), .ownThreads)
struct LogPushTests {
  private static func write(_ server: TestHost, _ message: String, _ level: String = "info") throws {
    _ = try server.call("diagnosticsLog.write", ["level": .string(level), "message": .string(message)])
  }

  @Test("A host that asks initialize for logger.log gets each log line as it is written")
  func pushed() throws {
    let server = try TestHost()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["events": ["logger.log"]])
    try Self.write(server, "one", "warning")
    try Self.write(server, "two")
    try host.expectLine("warning", "one")
    try host.expectLine("info", "two")
    #expect(try server.call("events.list")["events"] == [])
  }

  @Test("events.subscribe pushes log lines until events.unsubscribe, even if called twice", arguments: [true, false])
  func subscribed(_ byName: Bool) throws {
    let server = try TestHost()
    let host = EventHost(server.bridge)
    for _ in 0..<2 { _ = try host.call("events.subscribe", ["types": ["logger.log", "appConfig.didChange"]]) }
    try Self.write(server, "one")
    #expect(try host.nextPush()["params"]?["message"] == "one")
    _ = try host.call("events.unsubscribe", byName ? ["types": ["logger.log"]] : [:])
    try Self.write(server, "two")
    _ = try host.call("versionInfo.sdkVersion")
    #expect(host.arrivedPushes() == [])
  }

  @Test("diagnosticsLog.subscribe pushes lines of a level and above, and a second call replaces the level")
  func subscribedByLevel() throws {
    let server = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    let host = EventHost(server.bridge)
    #expect(try host.call("diagnosticsLog.subscribe", ["level": "warning"]) == .null)
    try Self.write(server, "one", "info")
    try Self.write(server, "two", "error")
    try host.expectLine("error", "two")
    _ = try host.call("diagnosticsLog.subscribe")
    try Self.write(server, "three", "verbose")
    try host.expectLine("verbose", "three")
    _ = try host.call("events.unsubscribe", ["types": ["logger.log"]])
    try Self.write(server, "four", "error")
    _ = try host.call("versionInfo.sdkVersion")
    #expect(host.arrivedPushes() == [])
    #expect(try server.error("diagnosticsLog.subscribe", ["level": "loud"])["data"]?["path"] == "/level")
  }

  @Test("Log lines that a host does not read are not pushed, and logging goes on")
  func dropped() throws {
    let server = try TestHost()
    let host = EventHost(server.bridge, outputBytes: 2000)
    _ = try host.call("initialize", ["events": ["logger.log"]])
    for number in 0..<500 { try Self.write(server, "line \(number)") }
    let pushed = host.arrivedPushes()
    #expect(pushed.first?["params"]?["message"] == "line 0")
    #expect(pushed.count < 50)
    try Self.write(server, "after")
    #expect(try host.call("diagnosticsLog.query", ["limit": 1]).arrayValue?.first?["message"] == "after")
  }

  @Test("events.list refuses logger.log, because log lines are no events")
  func noEvents() throws {
    #expect(try TestHost().error("events.list", ["types": ["logger.log"]])["data"]?["path"] == "/types/0")
  }
}

extension EventHost {
  /// The next push is a line that diagnosticsLog.write wrote.
  fileprivate func expectLine(_ level: JSONValue, _ message: JSONValue) throws {
    let push = try nextPush()
    #expect(push["type"] == "logger.log")
    #expect(push["params"]?["cause"]?["method"] == "diagnosticsLog.write")
    #expect(push["params"]?["level"] == level)
    #expect(push["params"]?["message"] == message)
    #expect(push["params"]?.objectValue?.names == ["level", "message", "cause"])
  }
}
