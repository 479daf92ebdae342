import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads) struct InitializeTests {
  @Test("initialize returns the server's name, versions, limits and schema hash")
  func info() throws {
    let info = try TestHost().call("initialize", ["client": ["name": "tests", "version": "1"]])
    #expect(info["name"] == "mambridge")
    #expect(info["version"] == "1.2.3")
    #expect(info["sdkVersion"] == "21.7.1")
    #expect(info["limits"]?["message"] == .integer(64 << 20))
    #expect(info["limits"]?["inFlight"] == 1024)
    #expect(info["schemaHash"]?.stringValue == OpenRPC.hash)
  }

  @Test("initialize logs the client's name and version, and warns about another protocol version")
  func client() throws {
    let host = try TestHost()
    let params: JSONValue = ["client": ["name": "notes", "version": "2.1"], "protocolVersion": "7"]
    #expect(try host.call("initialize", params)["protocolVersion"] == "1")
    let lines = try host.call("diagnosticsLog.query", ["category": "server"]).arrayValue ?? []
    #expect(lines.map { $0["level"] } == ["warning", "info"])
    #expect(lines.first?["message"] == "the host speaks protocol version 7, but the server speaks version 1")
    #expect(lines.last?["message"] == "host connected: notes 2.1")
  }

  @Test("After a cancelled initialize, the host gets no requests and no events until it calls it again")
  func cancelled() throws {
    let server = try TestHost()
    let host = EventHost(server.bridge)
    let params: JSONValue = [
      "events": [.string(EventTypes.enrollment), .string(EventTypes.unenrollment)],
      "delegates": [.string(RestartApplication.name)],
    ]
    let id = host.send("initialize", params)
    host.notify("$/cancelRequest", ["id": .integer(Int64(id))])
    // It may have been too late.
    guard try host.reply(to: id)["error"]?["code"] == -32800 else { return }
    try host.enroll()
    #expect(server.bridge.hosts.peer(answering: RestartApplication.name, askedBy: nil) == nil)
    _ = try host.call("initialize", params)
    #expect(server.bridge.hosts.peer(answering: RestartApplication.name, askedBy: nil) != nil)
    try host.unenroll()
    #expect(try host.nextPush()["type"] == .string(EventTypes.unenrollment))
  }

  @Test("initialize works without parameters")
  func bare() throws {
    #expect(try TestHost().call("initialize")["protocolVersion"] == "1")
  }

  @Test("A second initialize fails with -32600, and the connection stays open")
  func twice() throws {
    let host = try TestHost()
    _ = try host.call("initialize")
    #expect(try host.error("initialize")["code"] == -32600)
    #expect(try host.call("versionInfo.sdkVersion") == "21.7.1")
  }

  @Test("initialize refuses an unknown request in delegates and names its path")
  func unknownDelegate() throws {
    let error = try TestHost().error("initialize", ["delegates": ["policyDelegate.restartApplication", "nobody.asks"]])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/delegates/1")
  }

  @Test("initialize refuses an unknown event in events and names its path")
  func unknownEvent() throws {
    let error = try TestHost().error("initialize", ["events": ["policyManager.policyDidChange", "nothing.happened"]])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/events/1")
  }
}
