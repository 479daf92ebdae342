import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite("Enrollment tokens over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct TokenTests {
  private static let register = "enrollmentManager.registerAndEnrollAccount"
  private static let alice: JSONValue = ["account": .string(TestHost.alice)]

  private static func host(_ server: TestHost, _ delegates: [String] = [GetAccessToken.name]) throws -> EventHost {
    server.makeRestartDue()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": .array(delegates.map(JSONValue.string))])
    return host
  }

  private static func statuses(_ server: TestHost) throws -> [JSONValue] {
    try server.call("tenant.status")["accounts"]?.arrayValue?.map { $0["lastStatus"] ?? .null } ?? []
  }

  @Test("A host with getAccessToken gets account, resource and scopes, and its token enrolls the account")
  func asked() throws {
    let server = try TestHost(flags: ["ADALClientId=app"])
    let host = try Self.host(server)
    let id = host.send(Self.register, Self.alice)
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(GetAccessToken.name))
    let params = question["params"]
    #expect(params?["identity"] == .string(TestHost.alice))
    #expect(params?["accountId"]?.stringValue != nil)
    #expect(params?["resource"] == "https://msmamservice.api.application")
    #expect(params?["scopes"] == ["https://msmamservice.api.application/.default"])
    #expect(params?["clientId"] == "app")
    #expect(params?["authorities"]?.arrayValue?.isEmpty == false)
    host.answer(question, ["result": ["accessToken": "hunter2", "identity": .string(TestHost.alice)]])
    #expect(try host.reply(to: id)["result"]?["statusCode"] == 100)
  }

  struct Refusal: Sendable {
    let answer: JSONObject
    let text: String
  }

  /// One letter more than a word may have.
  private static let letters = String(repeating: "ab", count: 20) + "c"
  static let long = String(repeating: "a1", count: 40)

  static let refusals: [Refusal] = [
    Refusal(answer: ["result": ["error": "the license\nhas expired"]], text: "the host says: the license has expired"),
    Refusal(answer: ["result": ["error": ""]], text: "no reason"),
    Refusal(answer: ["result": [:]], text: "without a token"),
    Refusal(answer: ["error": ["code": 7002, "message": "no"]], text: "the user canceled"),
    Refusal(answer: ["error": ["code": 7001, "message": "ask first"]], text: "error 7001: ask first"),
    Refusal(answer: ["error": ["code": -32601, "message": "gone"]], text: "error -32601: gone"),
    Refusal(
      answer: ["error": ["code": 1, "message": .string("refused eyJhunter2.\(long).x and \(long)hunter2")]],
      text: "error 1: refused *** and ***"),
    Refusal(
      answer: ["result": ["error": .string("“\(long)hunter2” was refused (0a1b2c3d4e5f6a7b8c9d.e0), case 12.")]],
      text: "the host says: “***” was refused (***), case 12"),
    Refusal(
      answer: ["result": ["error": "not for 12345678-90ab-4cde-8f01-234567890abc"]],
      text: "not for 12345678-90ab-4cde-8f01-234567890abc"),
    Refusal(
      answer: ["result": ["error": .string("not \(letters), but \(letters.dropLast())")]],
      text: "the host says: not ***, but \(letters.dropLast())"),
    Refusal(answer: ["result": "hunter2"], text: "is invalid"),
    Refusal(answer: ["result": ["accessToken": "t", "hunter2": 1]], text: "is invalid"),
    Refusal(answer: ["result": ["accessToken": "hunter2"]], text: "whose token"),
    Refusal(
      answer: ["result": ["accessToken": "hunter2", "identity": "bob@contoso.example"]], text: "another account"),
    Refusal(
      answer: ["result": ["accessToken": "hunter2", "error": "no", "identity": .string(TestHost.alice)]], text: "no"),
  ]

  @Test("An answer ends only one of two open token requests about the same account")
  func twoQuestions() {
    let questions = TokenQuestions()
    let account = Account(accountId: nil, identity: TestHost.alice)
    for _ in 0..<2 { questions.begin(account) }
    questions.end(account)
    #expect(questions.open == [account])
    questions.end(account)
    #expect(questions.open == [])
  }

  @Test("At launch, the device's user is not enrolled if the host refuses the access token")
  func launch() async throws {
    let tenant = TenantFolder(mdm: #"{"user": "listed@fabrikam.example"}"#)
    let server = try TestHost(tenantFolder: tenant, flags: ["AutoEnrollOnLaunch=true"])
    let host = try Self.host(server)
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(GetAccessToken.name))
    #expect(try server.call("enrollmentManager.enrolledAccounts") == [])
    host.answer(question, ["result": ["error": "no"]])
    #expect(await eventually { (try? Self.statuses(server).map { $0["statusCode"] }) == [203] })
    #expect(try server.call("enrollmentManager.enrolledAccounts") == [])
  }

  @Test("A refused access token ends with status 203 and the host's reason, without secrets", arguments: refusals)
  func refused(_ refusal: Refusal) throws {
    let server = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    let host = try Self.host(server)
    let id = host.send(Self.register, Self.alice)
    host.answer(try host.nextQuestion(), refusal.answer)
    let status = try host.reply(to: id)["result"]
    #expect(status?["statusCode"] == 203)
    #expect(status?["didSucceed"] == false)
    let message = status?["error"]?["message"]?.stringValue ?? ""
    #expect(message.contains(refusal.text), "\(message)")
    #expect(!message.contains("hunter2"))
    #expect(!message.contains(Self.long))
    #expect(try server.call("diagnosticsLog.query", ["text": "hunter2"]) == [])
    #expect(try Self.statuses(server).map { $0["statusCode"] } == [203])
  }

  @Test("If a host does not answer getAccessToken in time, enrolling fails with a text that says so")
  func silence() throws {
    let server = try TestHost(questionTimeout: .milliseconds(10))
    let host = try Self.host(server)
    let id = host.send(Self.register, Self.alice)
    _ = try host.nextQuestion()
    let message = try host.reply(to: id)["result"]?["errorString"]?.stringValue
    #expect(message?.contains("did not answer") == true, "\(message ?? "")")
  }

  @Test("Unenrolling an account does not wait for the host's access token")
  func farewell() throws {
    let server = try TestHost()
    try server.enroll()
    let host = try Self.host(server)
    let reply = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", Self.alice)
    #expect(reply["statusCode"] == 104)
    #expect(try host.nextQuestion()["method"] == .string(GetAccessToken.name))
  }

  @Test("A source that needs no token does not ask a host that has only auth.acquireToken")
  func needless() throws {
    let server = try TestHost()
    let host = try Self.host(server, [AcquireToken.name])
    #expect(try host.call(Self.register, Self.alice)["statusCode"] == 100)
  }

  @Test("A source that needs tokens asks auth.acquireToken silently, with the scopes of tenant.json")
  func silently() throws {
    let folder = TenantFolder()
    // The text of the member "mdm", which another member follows.
    let more = """
      null, "authentication": {"authority": "https://login.fabrikam.example/", "scopes": ["read"],
        "resource": "https://mam.fabrikam.example"}
      """
    folder.write(TenantFolder.tenant(mdm: more), to: "tenant.json")
    let server = try TestHost(tenantFolder: folder)
    let host = try Self.host(server, [AcquireToken.name])
    let id = host.send(Self.register, ["account": "listed@fabrikam.example"])
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(AcquireToken.name))
    #expect(question["params"]?["silent"] == true)
    #expect(question["params"]?["scopes"] == ["read"])
    #expect(question["params"]?["authorities"]?.arrayValue?.first == "https://login.fabrikam.example/")
    host.answer(question, ["error": ["code": 7001, "message": "interaction required"]])
    #expect(try host.reply(to: id)["result"]?["statusCode"] == 203)
  }
}
