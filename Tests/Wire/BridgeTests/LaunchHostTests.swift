import JSON
import TestSupport
import Testing

@Suite("Requests to the host after initialize", .timeLimit(.minutes(5)), .ownThreads)
struct LaunchHostTests {
  private static let managed = #"{"user": "listed@fabrikam.example", "appConfig": {}}"#
  private static let delegates: JSONValue = [
    "policyDelegate.addIdentity", "policyDelegate.restartApplication", "ui.showAlert",
  ]

  @Test("After initialize has replied, the host is asked to add the enrolled account and then to restart")
  func addIdentity() throws {
    let server = try TestHost(tenantFolder: TenantFolder(mdm: Self.managed), flags: ["AutoEnrollOnLaunch=true"])
    let host = EventHost(server.bridge)
    let launch = host.send("initialize", ["delegates": Self.delegates])
    let question = try host.nextQuestion()
    #expect(host.hasReply(to: launch))
    #expect(question["method"] == "policyDelegate.addIdentity")
    #expect(question["params"]?["identity"] == "listed@fabrikam.example")
    host.answer(question, ["result": "success"])
    let restart = try host.nextQuestion()
    #expect(restart["method"] == "policyDelegate.restartApplication")
    host.answer(restart, ["result": true])
  }

  @Test("With AutoEnrollOnLaunch and MAMPolicyRequired, the host is asked for a sign-in after initialize")
  func signIn() throws {
    let server = try TestHost(flags: ["AutoEnrollOnLaunch=true", "MAMPolicyRequired=true"])
    let host = EventHost(server.bridge)
    let delegates: JSONValue = ["ui.promptForCredentials", "policyDelegate.addIdentity", "ui.showAlert"]
    let report = "policyManager.launchReport"
    let launch = try host.call("initialize", ["delegates": delegates, "events": [.string(report)]])
    #expect(launch["launch"]?["verdict"] == "block")
    #expect(try host.nextPush()["params"]?["verdict"] == "block")
    let prompt = try host.nextQuestion()
    #expect(prompt["method"] == "ui.promptForCredentials")
    #expect(prompt["params"]?["identity"] == .null)
    host.answer(prompt, ["result": ["userPrincipalName": .string(TestHost.alice), "accessToken": "t"]])
    let identity = try host.nextQuestion()
    #expect(identity["method"] == "policyDelegate.addIdentity")
    host.answer(identity, ["result": "success"])
    let push = try host.nextPush()
    #expect(push["type"] == .string(report))
    #expect(push["params"]?["verdict"] == "block")
    #expect(push["params"]?["reasons"]?.arrayValue?.map { $0["setting"] } == ["AutoEnrollOnLaunch", "pinRequired"])
    #expect(try server.call("policy.isPINRequired") == true)
  }

  @Test("If the user cancels the sign-in at launch, the host shows an alert and no account is registered")
  func nobodySignsIn() throws {
    let server = try TestHost(flags: ["AutoEnrollOnLaunch=true", "MAMPolicyRequired=true"])
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": ["ui.promptForCredentials", "ui.showAlert"]])
    host.answer(try host.nextQuestion(), ["error": ["code": 7002, "message": "canceled"]])
    let alert = try host.nextQuestion()
    #expect(alert["method"] == "ui.showAlert")
    host.answer(alert, ["result": ["action": "OK"]])
    #expect(try server.call("enrollmentManager.registeredAccounts") == [])
  }

  @Test("The host shows an alert if its policy is missing", arguments: ["MAMPolicyWarnAbsent", "MAMPolicyRequired"])
  func alert(_ setting: String) throws {
    let host = EventHost(try TestHost(flags: [setting + "=true"]).bridge)
    let launch = host.send("initialize", ["delegates": Self.delegates])
    let question = try host.nextQuestion()
    #expect(host.hasReply(to: launch))
    #expect(question["method"] == "ui.showAlert")
    #expect(question["params"]?["actions"] == ["OK"])
    host.answer(question, ["result": ["action": "OK"]])
  }
}
