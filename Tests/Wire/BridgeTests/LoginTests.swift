import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite("Login and challenges over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct LoginTests {
  private static let login = "enrollmentManager.loginAndEnrollAccount"
  private static let answer = "conditionalLaunch.answer"
  private static let alice: JSONValue = ["account": .string(TestHost.alice), "window": "main"]

  private static func host(_ server: TestHost, _ delegates: [String]) throws -> EventHost {
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": .array(delegates.map(JSONValue.string))])
    return host
  }

  private static func challenge(of error: JSONValue) throws -> JSONValue {
    #expect(error["code"] == 8001)
    #expect(error["data"]?["name"] == "challenge")
    return try #require(error["data"]?["challenge"])
  }

  @Test("loginAndEnrollAccount asks the host to prompt for the account in the window, and then enrolls it")
  func callbacks() throws {
    let server = try TestHost.restarting()
    let host = try Self.host(server, [PromptForCredentials.name])
    let login = host.send(Self.login, Self.alice)
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(PromptForCredentials.name))
    #expect(question["params"]?["identity"] == .string(TestHost.alice))
    #expect(question["params"]?["window"] == "main")
    #expect(question["params"]?["message"]?.stringValue?.isEmpty == false)
    #expect(try server.call("tenant.status")["accounts"]?.arrayValue?.map { $0["life"] } == ["enrolling"])
    host.answer(question, ["result": ["userPrincipalName": .string(TestHost.alice), "accessToken": "open sesame"]])
    #expect(try host.reply(to: login)["result"]?["statusCode"] == 100)
    let account = try server.call("tenant.status")["accounts"]?.arrayValue?.first
    #expect(account?["signedInAt"] == .string(TestHost.start.description))
    #expect(try server.call("diagnosticsLog.query", ["text": "sesame"]) == [])
  }

  @Test("loginAndEnrollAccount first asks the host for a token silently, and then with its user")
  func tokens() throws {
    let server = try TestHost.restarting()
    defer { withExtendedLifetime(server) {} }
    let host = try Self.host(server, [AcquireToken.name])
    let login = host.send(Self.login, Self.alice)
    let silent = try host.nextQuestion()
    #expect(silent["method"] == .string(AcquireToken.name))
    #expect(silent["params"]?["silent"] == true)
    #expect(silent["params"]?["resource"] == AcquireToken.example.params.jsonValue["resource"])
    host.answer(silent, ["error": ["code": 7001, "message": "interaction required"]])
    let loud = try host.nextQuestion()
    #expect(loud["params"]?["silent"] == false)
    host.answer(loud, ["result": ["accessToken": "t", "expires": .null]])
    #expect(try host.reply(to: login)["result"]?["statusCode"] == 100)
  }

  @Test(
    "loginAndEnrollAccount ends with 219 if the user cancels, and with 203 if another user signs in",
    arguments: [
      (["error": ["code": 7002, "message": "canceled"]], 219),
      (["result": ["userPrincipalName": "bob@contoso.example", "accessToken": "t"]], 203),
      (["result": ["userPrincipalName": .string(TestHost.alice), "accessToken": ""]], 203),
    ] as [(JSONObject, Int64)])
  func refusals(_ members: JSONObject, _ code: Int64) throws {
    let server = try TestHost()
    let host = try Self.host(server, [PromptForCredentials.name])
    let login = host.send(Self.login, Self.alice)
    host.answer(try host.nextQuestion(), members)
    let status = try #require(try host.reply(to: login)["result"])
    #expect(status["statusCode"] == .integer(code))
    #expect(status["errorString"]?.stringValue != nil)
    #expect(try server.call("enrollmentManager.registeredAccounts") == [])
  }

  @Test("Without callbacks, loginAndEnrollAccount fails with a challenge until the challenge is answered")
  func challenge() throws {
    let server = try TestHost()
    let challenge = try Self.challenge(of: try server.error(Self.login, Self.alice))
    #expect(challenge["kind"] == "credentials")
    #expect(challenge["identity"] == .string(TestHost.alice))
    let id = try #require(challenge["id"])
    let wrong = try server.call(Self.answer, ["challenge": id, "accessToken": ""])
    #expect(wrong["accepted"] == false)
    #expect(wrong["challenge"]?["id"] == id)
    let right = try server.call(Self.answer, ["challenge": id, "accessToken": "t"])
    #expect(right == ["accepted": true, "challenge": .null])
    #expect(try server.call(Self.login, Self.alice)["statusCode"] == 100)
  }

  @Test("A challenge that one process got can be answered by another process")
  func processes() throws {
    let folder = TemporaryFolder()
    let (asker, other) = (try TestHost(folder: folder), try TestHost(folder: folder))
    let id = try #require(try Self.challenge(of: try asker.error(Self.login, [:]))["id"])
    let nameless = try other.error(Self.answer, ["challenge": id, "accessToken": "t"])
    #expect(nameless["code"] == 8003)
    #expect(nameless["data"]?["hint"]?.stringValue?.contains("userPrincipalName") == true)
    let params: JSONValue = ["challenge": id, "accessToken": "t", "userPrincipalName": .string(TestHost.alice)]
    #expect(try other.call(Self.answer, params)["accepted"] == true)
    let status = try asker.call(Self.login, [:])
    #expect(status["statusCode"] == 100)
    #expect(status["identity"] == .string(TestHost.alice))
    #expect(try other.error(Self.answer, params)["code"] == 8002)
  }

  @Test("If a challenge is canceled, the repeated loginAndEnrollAccount ends with status 219")
  func cancel() throws {
    let server = try TestHost()
    let id = try #require(try Self.challenge(of: try server.error(Self.login, Self.alice))["id"])
    let reply = try server.call(Self.answer, ["challenge": id, "canceled": true])
    #expect(reply == ["accepted": false, "challenge": .null])
    #expect(try server.call(Self.login, Self.alice)["statusCode"] == 219)
  }

  @Test("If the host disconnects during a sign-in prompt, the challenge stays open for another host")
  func death() async throws {
    let server = try TestHost.restarting()
    let host = try Self.host(server, [PromptForCredentials.name])
    host.send(Self.login, Self.alice)
    _ = try host.nextQuestion()
    host.closeConnection()
    let silent: JSONValue = ["account": .string(TestHost.alice), "silent": true]
    let isOpen = await eventually {
      (try? server.call("complianceManager.remediateCompliance", silent)) == "interactionRequired"
    }
    #expect(isOpen)
  }

  @Test(
    "conditionalLaunch.answer refuses an empty, contradictory or unsuitable answer, with a hint",
    arguments: [
      [:], ["pin": "1", "accessToken": "t"], ["accepted": true, "canceled": true], ["canceled": false],
      ["pin": "1234"], ["accepted": true],
    ] as [JSONObject])
  func wrongAnswers(_ members: JSONObject) throws {
    let server = try TestHost()
    var params = members
    params["challenge"] = try Self.challenge(of: try server.error(Self.login, Self.alice))["id"]
    let error = try server.error(Self.answer, .object(params))
    #expect(error["code"] == 8003)
    #expect(error["data"]?["hint"]?.stringValue != nil)
  }

  @Test("conditionalLaunch.answer fails with challengeNotOpen for an unknown challenge")
  func unknown() throws {
    let error = try TestHost().error(Self.answer, ["challenge": "5f2c", "accessToken": "t"])
    #expect(error["code"] == 8002)
    #expect(error["data"]?["name"] == "challengeNotOpen")
    #expect(error["data"]?["retryable"] == false)
    #expect(error["data"]?["hint"]?.stringValue != nil)
  }
}
