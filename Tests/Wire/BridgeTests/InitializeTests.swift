import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads) struct InitializeTests {
  @Test("it says who the server is, what it allows, and by which document")
  func info() throws {
    let info = try TestHost().call("initialize", ["client": ["name": "tests", "version": "1"]])
    #expect(info["name"] == "mambridge")
    #expect(info["version"] == "1.2.3")
    #expect(info["sdkVersion"] == "21.7.1")
    #expect(info["limits"]?["message"] == .integer(64 << 20))
    #expect(info["limits"]?["inFlight"] == 1024)
    #expect(info["schemaHash"]?.stringValue == OpenRPC.hash)
  }

  @Test("who the host is, and that it speaks another protocol, stands in the log")
  func client() throws {
    let host = try TestHost()
    let params: JSONValue = ["client": ["name": "notes", "version": "2.1"], "protocolVersion": "7"]
    #expect(try host.call("initialize", params)["protocolVersion"] == "1")
    let lines = try host.call("diagnosticsLog.query", ["category": "server"]).arrayValue ?? []
    #expect(lines.map { $0["level"] } == ["warning", "info"])
    #expect(lines.first?["message"] == "the host speaks protocol version 7, but the server speaks version 1")
    #expect(lines.last?["message"] == "host connected: notes 2.1")
  }

  @Test("one that is cancelled leaves a script, which is asked nothing and told nothing")
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

  @Test("it needs nothing")
  func bare() throws {
    #expect(try TestHost().call("initialize")["protocolVersion"] == "1")
  }

  @Test("a second one is refused, and the connection goes on")
  func twice() throws {
    let host = try TestHost()
    _ = try host.call("initialize")
    #expect(try host.error("initialize")["code"] == -32600)
    #expect(try host.call("versionInfo.sdkVersion") == "21.7.1")
  }

  @Test("a request that the server does not make cannot be declared")
  func unknownDelegate() throws {
    let error = try TestHost().error("initialize", ["delegates": ["policyDelegate.restartApplication", "nobody.asks"]])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/delegates/1")
  }

  @Test("an event that there is not cannot be asked for")
  func unknownEvent() throws {
    let error = try TestHost().error("initialize", ["events": ["policyManager.policyDidChange", "nothing.happened"]])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/events/1")
  }
}
