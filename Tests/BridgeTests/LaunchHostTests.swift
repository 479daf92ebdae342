import JSON
import TestSupport
import Testing

@Suite("What a host is asked after its launch", .timeLimit(.minutes(1)), .ownThreads)
struct LaunchHostTests {
  private static let managed = #"{"user": "listed@fabrikam.example", "appConfig": {}}"#
  private static let delegates: JSONValue = [
    "policyDelegate.addIdentity", "policyDelegate.restartApplication", "ui.showAlert",
  ]

  @Test("to add the account that was enrolled, then to restart, both behind the answer to initialize")
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

  @Test("to tell the user where policy is missing", arguments: ["MAMPolicyWarnAbsent", "MAMPolicyRequired"])
  func alert(_ setting: String) throws {
    let host = EventHost(try TestHost(flags: [setting + "=true"]).bridge)
    let launch = host.send("initialize", ["delegates": Self.delegates])
    let question = try host.nextQuestion()
    #expect(host.hasReply(to: launch))
    #expect(question["method"] == "ui.showAlert" && question["params"]?["actions"] == ["OK"])
    host.answer(question, ["result": ["action": "OK"]])
  }
}
