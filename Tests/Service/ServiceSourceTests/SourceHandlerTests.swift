import HTTP
import JSON
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import ServiceSource

@Suite(.timeLimit(.minutes(5)))
struct SourceHandlerTests {
  private static let delivered = #"{"outcome":"delivered","policies":[],"revision":4,"push":true}"#

  @Test func passesOnHowTheServiceDescribesItself() async {
    let service = PlayedService { _ in
      .json(
        #"""
        {"name":"Contoso","version":1,"push":true,
         "authentication":{"authority":"https://i.example","resource":null,"scopes":["s"],"clientId":"c"}}
        """#)
    }
    let answer = await SourceTalk(service).ask("source.open", #"{"protocolVersion":1,"locale":"en"}"#)
    let expected: JSONValue = [
      "name": "Contoso", "protocolVersion": 1, "push": true, "signIn": false, "failures": true,
      "authentication": ["authority": "https://i.example", "scopes": ["s"], "clientId": "c"],
    ]
    #expect(answer?["result"] == expected)
    #expect(service.requests.map(\.url) == ["https://mam.contoso.example/mam/v1/"])
  }

  @Test func opensWithWhatItKnowsIfTheServiceIsAway() async {
    let service = PlayedService { _ in .json(#"{"name":"Contoso","version":1}"#) }
    let talk = SourceTalk(service)
    service.play { _ throws(HTTPFailure) in throw HTTPFailure(.cannotConnect, "Cannot connect.") }
    #expect(await talk.ask("source.open")?["error"]?["code"] == -32051)
    service.play { _ in .json(#"{"name":"Contoso","version":1}"#) }
    #expect(await talk.ask("source.open")?["result"]?["name"] == "Contoso")
    service.play { _ throws(HTTPFailure) in throw HTTPFailure(.cannotConnect, "Cannot connect.") }
    #expect(await talk.ask("source.open")?["result"]?["name"] == "Contoso")
  }

  @Test func sendsTheTokenInTheHeaderAlone() async {
    let service = PlayedService { _ in .json(Self.delivered) }
    let answer = await SourceTalk(service).checkIn(token: "tok.en")
    #expect(answer?["result"] == (try? JSONValue(parsing: Array(Self.delivered.utf8))))
    let request = service.requests.first
    #expect(request?.headers["Authorization"] == "Bearer tok.en")
    let expected: JSONValue = [
      "version": 1, "reason": "checkIn", "registration": ["id": .string(SourceTalk.id), "secret": "c2VjcmV0"],
      "account": ["accountId": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "identity": "alice@contoso.example"],
      "app": ["id": "com.example", "version": nil, "sdkVersion": "21.7.1"],
      "device": ["platform": "ios", "jailbroken": false, "tag": .string(SourceTalk.id)], "etag": "e",
      "applied": [["id": "T_1", "version": "1"]], "health": [],
    ]
    #expect(request?.json == expected)
  }

  @Test(arguments: [#"a\r\nX: y"#, "a b", "ü", ""])
  func sendsNoTokenThatIsNone(token: String) async {
    let service = PlayedService { _ in .json(Self.delivered) }
    #expect(await SourceTalk(service).checkIn(token: token)?["error"]?["code"] == -32050)
    #expect(service.requests.isEmpty)
  }

  @Test("A sign-in page with status 200 is reported as an error for a check-in and a report", arguments: [true, false])
  func webPage(hasType: Bool) async {
    let page = HTTPResponse(
      200, headers: HTTPHeaders(hasType ? ["Content-Type": "text/html; charset=utf-8"] : [:]),
      body: Array((hasType ? "Sign in" : " \n<!doctype HTML><html>").utf8))
    let service = PlayedService { _ in page }
    let talk = SourceTalk(service)
    let checkIn = await talk.checkIn(token: "t")
    let report = await talk.ask(
      "source.report", #"{"registration":\#(SourceTalk.registration),"operation":"o","outcome":"done"}"#)
    for answer in [checkIn, report] {
      #expect(answer?["error"]?["code"] == -32051)
      #expect(answer?["error"]?["message"]?.stringValue?.contains("answered with a web page (status 200)") == true)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    var retryAfter: String?
    let checkIn: Int64?
    let report: Int64?

    var testDescription: String { "\(status)" }
  }

  @Test(arguments: [
    Case(status: 200, checkIn: nil, report: nil), Case(status: 401, checkIn: -32050, report: -32050),
    Case(status: 403, checkIn: -32050, report: -32051), Case(status: 404, checkIn: -32051, report: -32054),
    Case(status: 410, checkIn: -32052, report: -32054),
    Case(status: 429, retryAfter: "7", checkIn: -32051, report: -32051),
    Case(status: 500, checkIn: -32051, report: -32051),
    Case(status: 503, retryAfter: "1.5", checkIn: -32051, report: -32051),
    Case(status: 302, checkIn: -32051, report: -32051), Case(status: 400, checkIn: -32051, report: -32051),
  ])
  func mapsEachStatus(expected: Case) async {
    let service = PlayedService { _ in
      var response = HTTPResponse.json(Self.delivered, status: expected.status)
      response.headers["Retry-After"] = expected.retryAfter
      return response
    }
    let talk = SourceTalk(service)
    let checkIn = await talk.checkIn(token: "t")
    let report = await talk.ask(
      "source.report",
      #"{"registration":\#(SourceTalk.registration),"operation":"o","outcome":"done","time":"2026-01-01T00:00:00Z"}"#)
    let leave = await talk.ask("source.leave", #"{"registration":\#(SourceTalk.registration)}"#)
    #expect(checkIn?["error"]?["code"]?.integerValue == expected.checkIn)
    #expect(report?["error"]?["code"]?.integerValue == expected.report)
    #expect(leave?["error"]?["code"]?.integerValue == expected.report)
    for answer in [checkIn, report, leave] {
      #expect(answer?["error"]?["data"]?["retryAfter"]?.numberValue == expected.retryAfter.flatMap(Double.init))
    }
    #expect(service.requests.dropFirst().allSatisfy { $0.headers["Authorization"] == "Registration c2VjcmV0" })
    #expect(service.requests.map(\.method) == ["POST", "POST", "DELETE"])
  }

  @Test(
    "a refusal of a check-in says about a hold what the service has said, and no more",
    arguments: [401, 403, 503], [#"{"why":"x","since":"2026-01-01T00:00:00Z","ordered":false}"#, "null", nil])
  func refusalWithHold(status: Int, hold: String?) async throws {
    let body = #"{"error":{}"# + (hold.map { #","hold":"# + $0 } ?? "") + "}"
    let talk = SourceTalk(PlayedService { _ in .json(body, status: status) })
    let data = await talk.checkIn(token: "t")?["error"]?["data"]
    #expect(try data?["hold"] == hold.map { try JSONValue(parsing: $0) })
  }

  @Test(arguments: ["", "<html>", "[]", "{}", #"{"outcome":1}"#])
  func anAnswerWithoutAnOutcomeIsNotPassedOn(text: String) async {
    let service = PlayedService { _ in .json(text) }
    #expect(await SourceTalk(service).checkIn()?["error"]?["code"] == -32051)
  }

  @Test func cancelsTheRequestAndHoldsUpNoOther() async {
    let wasCancelled = Lock(false)
    let service = PlayedService { request in
      guard request.url.hasSuffix("check-in") else { return .json("{}") }
      do { try await Task.sleep(for: .seconds(60)) } catch { wasCancelled.withLock { $0 = true } }
      return .json(Self.delivered)
    }
    let talk = SourceTalk(service)
    let slow = talk.sendCheckIn()
    #expect(await talk.ask("source.leave", #"{"registration":\#(SourceTalk.registration)}"#)?["result"] == .null)
    talk.write(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(slow)}}"#)
    #expect(await talk.answer(to: slow)?["error"]?["code"] == -32800)
    #expect(await eventually { wasCancelled.withLock { $0 } })
  }

  @Test(arguments: [
    ("source.checkIn", "{}"), ("source.report", #"{"registration":{"id":1}}"#), ("source.watch", "{}"),
    ("source.leave", "[]"),
  ])
  func refusesOtherParams(method: String, params: String) async {
    let service = PlayedService { _ in .json("{}") }
    #expect(await SourceTalk(service).ask(method, params)?["error"]?["code"] == -32602)
    #expect(service.requests.isEmpty)
  }

  @Test(arguments: ["source.acquireToken", "source.unknown"])
  func refusesWhatItCannot(method: String) async {
    #expect(await SourceTalk(PlayedService { _ in .json("{}") }).ask(method)?["error"]?["code"] == -32601)
  }

  // MARK: - Sign-in

  struct SignIn: SourceSignIn {
    func canSignIn(at authentication: ServiceAuthentication) -> Bool { true }

    func token(
      for account: SourceAccount, at authentication: ServiceAuthentication, silent: Bool, claims: String?,
      prompt: @escaping @Sendable (SignInPrompt) async -> Bool
    ) async throws(SourceError) -> SourceToken {
      if silent { throw SourceError(.signInNeeded, "A person is needed.") }
      let expires = Timestamp(milliseconds: 0)
      _ = await prompt(SignInPrompt(verificationUri: "u", userCode: "c", message: "m", expires: expires))
      let text = [account.identity ?? "", authentication.authority, claims ?? ""].joined(separator: " ")
      return SourceToken(accessToken: text, expires: Timestamp(milliseconds: 1000))
    }
  }

  @Test func signsInWithAPrompt() async {
    let service = PlayedService { _ in
      .json(#"{"name":"n","version":1,"authentication":{"authority":"https://i.example","scopes":["s"]}}"#)
    }
    let talk = SourceTalk(service, signIn: SignIn())
    let silent = #"{"account":\#(SourceTalk.account),"silent":true}"#
    #expect(await talk.ask("source.acquireToken", silent)?["error"]?["code"] == -32050)
    let loud = talk.send("source.acquireToken", #"{"account":\#(SourceTalk.account),"silent":false,"claims":"x"}"#)
    #expect(await eventually { talk.messages.contains { $0["method"] == "source.prompt" } })
    let prompt = talk.messages.first { $0["method"] == "source.prompt" }
    #expect(prompt?["params"]?["userCode"] == "c")
    talk.write(#"{"jsonrpc":"2.0","id":\#(prompt?["id"]?.jsonText ?? "null"),"result":null}"#)
    let expected: JSONValue = [
      "accessToken": "alice@contoso.example https://i.example x", "expires": "1970-01-01T00:00:01.000Z",
    ]
    #expect(await talk.answer(to: loud)?["result"] == expected)
  }
}
