import JSON
import MAM
import TestSupport
import Testing

private let restart = "policyDelegate.restartApplication"
private let alert = "ui.showAlert"

@Suite("The first policy of an account", .timeLimit(.minutes(5)), .ownThreads)
struct FirstPolicyTests {
  /// A host that answers these requests.
  private static func host(_ server: TestHost, _ delegates: String...) throws -> EventHost {
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": .array(delegates.map(JSONValue.string))])
    return host
  }

  private static func restartEvents(_ server: TestHost) throws -> [JSONValue] {
    let page = try server.call("events.list", ["types": ["policyManager.restartRequired"]])
    return page["events"]?.arrayValue ?? []
  }

  @Test("A host that accepts restartApplication gets no restartRequired event")
  func restarts() throws {
    let server = try TestHost()
    let host = try Self.host(server, restart, alert)
    let enrollment = host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    let question = try host.nextQuestion()
    #expect(question == ["jsonrpc": "2.0", "id": "s1", "method": .string(restart), "params": [:]])
    #expect(!host.hasReply(to: enrollment))
    host.answer(question, ["result": true])
    #expect(try host.reply(to: enrollment)["result"]?["statusCode"] == 100)
    #expect(try Self.restartEvents(server) == [])
    #expect(try server.call("diagnosticConsole.getDiagnosticInformation")["isRestartPending"] == true)
  }

  @Test("A host that declines restartApplication gets a restartRequired event before the reply, and an alert")
  func doesNot() throws {
    let server = try TestHost()
    let host = try Self.host(server, restart, alert)
    let enrollment = host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    host.answer(try host.nextQuestion(), ["result": false])
    _ = try host.reply(to: enrollment)
    let events = try Self.restartEvents(server)
    #expect(events.count == 1)
    #expect(events.first?["params"]?["identity"] == .string(TestHost.alice))
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(alert))
    #expect(question["params"]?["message"] == events.first?["params"]?["message"])
    #expect(question["params"]?["actions"] == ["OK"])
    host.answer(question, ["result": ["action": "OK"]])
  }

  @Test("If no host can be asked to restart, a single restartRequired event is stored per server run")
  func nobody() throws {
    let server = try TestHost(flags: ["MultiManagedIdentities=true"])
    #expect(try server.call("diagnosticConsole.getDiagnosticInformation")["isRestartPending"] == false)
    #expect(try server.enroll() == 100)
    #expect(try Self.restartEvents(server).count == 1)
    _ = try server.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    #expect(try server.enroll() == 100)
    #expect(try Self.restartEvents(server).count == 1)
    #expect(try server.call("diagnosticConsole.getDiagnosticInformation")["isRestartPending"] == true)
  }

  @Test("A restart is required when an account gets its first policy, not when it enrolls without one")
  func later() throws {
    let folder = TenantFolder()
    let server = try TestHost(tenantFolder: folder)
    #expect(try server.enroll("configured@fabrikam.example") == 103)
    #expect(try Self.restartEvents(server) == [])
    folder.write(
      TenantFolder.tenant(mdm: "null").replacing(#""groups": ["configured"]}]"#, with: #""groups": ["closed"]}]"#),
      to: "tenant.json")
    #expect(try server.call("tenant.checkIn").arrayValue?.first?["statusCode"] == 100)
    #expect(try Self.restartEvents(server).count == 1)
    _ = try server.call("tenant.checkIn")
    #expect(try Self.restartEvents(server).count == 1)
  }

  @Test(
    "The first policy requires no restart if the app waits for it at launch or the MDM names the user",
    arguments: [
      (["AutoEnrollOnLaunch=true", "MAMPolicyRequired=true"], "{}", 0), (["AutoEnrollOnLaunch=true"], "{}", 1),
      (["MAMPolicyRequired=true"], "{}", 1), ([], #"{"IntuneMAMUPN": "listed@fabrikam.example"}"#, 0),
      ([], #"{"IntuneMAMOID": "f10a"}"#, 0), ([], #"{"other": "x"}"#, 1),
    ])
  func exceptions(_ flags: [String], _ mdm: String, _ count: Int) throws {
    let user = "listed@fabrikam.example"
    let folder = TenantFolder(mdm: #"{"user": "\#(user)", "appConfig": \#(mdm)}"#)
    let server = try TestHost(tenantFolder: folder, flags: flags)
    #expect(try server.enroll(.string(user)) == 100)
    #expect(try Self.restartEvents(server).count == count)
  }

  @Test("If a host disconnects while it is asked to restart, a restartRequired event is stored")
  func gone() throws {
    let server = try TestHost()
    let host = try Self.host(server, restart)
    host.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    _ = try host.nextQuestion()
    host.endInput()
    #expect(host.isFinished)
    #expect(try Self.restartEvents(server).count == 1)
  }
}
