import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("Compliance over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct ComplianceTests {
  private static let remediate = "complianceManager.remediateCompliance"
  private static let inProgress = "complianceManager.remediationInProgress"
  private static let event = "complianceDelegate.hasComplianceStatus"
  private static let bob = "bob@contoso.example"

  private static func params(_ account: String, silent: Bool = false) -> JSONValue {
    ["account": .string(account), "silent": .bool(silent)]
  }

  private static func reports(_ server: TestHost) throws -> [JSONValue] {
    let list = try server.call("events.list", ["after": 0, "types": [.string(event)]])
    return list["events"]?.arrayValue?.compactMap { $0["params"]?["status"] } ?? []
  }

  /// A host that prompts, and an open question to alice.
  private static func hostWithQuestion(_ server: TestHost) throws -> EventHost {
    #expect(
      try server.error("enrollmentManager.loginAndEnrollAccount", ["account": .string(TestHost.alice)])["code"] == 8001)
    let host = EventHost(server.bridge)
    let delegates: JSONValue = [.string(PromptForCredentials.name), .string(PromptForPIN.name)]
    _ = try host.call("initialize", ["delegates": delegates, "events": [.string(event)]])
    return host
  }

  /// Signs alice in, and then sets the PIN that her policy wants.
  private static func answer(_ question: JSONValue, at host: EventHost) throws {
    host.answer(question, ["result": ["userPrincipalName": .string(TestHost.alice), "accessToken": "t"]])
    host.answer(try host.nextQuestion(), ["result": ["pin": "2580"]])
  }

  @Test("remediateCompliance enrolls an account, and finds it compliant once its PIN is set")
  func compliant() throws {
    let server = try TestHost()
    #expect(try server.call(Self.remediate, Self.params(TestHost.alice, silent: true)) == "interactionRequired")
    #expect(try server.call("enrollmentManager.enrolledAccount")["identity"] == .string(TestHost.alice))
    _ = try server.call("pin.set", ["pin": "2580", "account": .string(TestHost.alice)])
    #expect(try server.call(Self.remediate, Self.params(TestHost.alice, silent: true)) == "compliant")
    #expect(try Self.reports(server) == ["interactionRequired", "compliant"])
    #expect(try server.call(Self.inProgress, ["account": .string(TestHost.alice)]) == false)
  }

  @Test("Calls of remediateCompliance for the same account share one question, one event and one result")
  func joined() async throws {
    let server = try TestHost.restarting()
    let host = try Self.hostWithQuestion(server)
    let first = host.send(Self.remediate, Self.params(TestHost.alice))
    let question = try host.nextQuestion()
    #expect(try host.call(Self.inProgress, ["account": .string(TestHost.alice)]) == true)
    let id = try #require(try server.call("enrollmentManager.enrolledAccount")["accountId"]?.stringValue)
    let joined = [id, TestHost.alice.uppercased()].map { host.send(Self.remediate, Self.params($0, silent: true)) }
    let core = server.bridge.core
    let alice = AccountReference(TestHost.alice)
    await expectEventually(3) { core.parts.memory.remediations.callers(of: alice, core.state.directory) }
    try Self.answer(question, at: host)
    for call in [first] + joined { #expect(try host.reply(to: call)["result"] == "compliant") }
    #expect(try Self.reports(server) == ["compliant"])
  }

  @Test("remediateCompliance for a second account waits until the call for the first account ends")
  func queued() async throws {
    let server = try TestHost.restarting()
    let host = try Self.hostWithQuestion(server)
    let first = host.send(Self.remediate, Self.params(TestHost.alice))
    let question = try host.nextQuestion()
    let second = host.send(Self.remediate, Self.params(Self.bob))
    let core = server.bridge.core
    #expect(await eventually { core.compliance.isInProgress(AccountReference(Self.bob)) })
    #expect(try host.call("enrollmentManager.registeredAccounts").arrayValue?.count == 1)
    #expect(!host.hasReply(to: second))
    try Self.answer(question, at: host)
    #expect(try host.reply(to: first)["result"] == "compliant")
    #expect(try host.reply(to: second)["result"] == "serviceFailure")
    #expect(try Self.reports(server) == ["compliant", "serviceFailure"])
  }

  @Test("remediateCompliance ignores $/cancelRequest")
  func cancelled() throws {
    let server = try TestHost.restarting()
    let host = try Self.hostWithQuestion(server)
    let call = host.send(Self.remediate, Self.params(TestHost.alice))
    let question = try host.nextQuestion()
    host.notify("$/cancelRequest", ["id": .integer(Int64(call))])
    try Self.answer(question, at: host)
    #expect(try host.reply(to: call)["result"] == "compliant")
  }

  @Test("If the host disconnects at its prompt, no compliance event is sent and the challenge stays open")
  func death() async throws {
    let server = try TestHost.restarting()
    let host = try Self.hostWithQuestion(server)
    host.send(Self.remediate, Self.params(TestHost.alice))
    _ = try host.nextQuestion()
    host.closeConnection()
    let core = server.bridge.core
    #expect(await eventually { !core.compliance.isInProgress(AccountReference(TestHost.alice)) })
    #expect(try Self.reports(server) == [])
    #expect(try server.error(Self.remediate, Self.params(TestHost.alice))["code"] == 8001)
  }

  @Test("remediateCompliance requires the parameters account and silent")
  func invalid() throws {
    for params: JSONValue in [["silent": true], ["account": .null, "silent": true], ["account": "a"]] {
      #expect(try TestHost().error(Self.remediate, params)["code"] == -32602)
    }
  }
}
