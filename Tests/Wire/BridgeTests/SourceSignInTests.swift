import JSON
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import MAM
@testable import Model
@testable import Tenancy

@Suite("Sign-ins at the policy source over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct SourceSignInTests {
  private static let register = "enrollmentManager.registerAndEnrollAccount"
  private static let alice: JSONValue = ["account": .string(TestHost.alice)]
  private static let page = "https://login.contoso.example/device"

  private let source = PromptingSource()

  private func server(questionTimeout: Duration = .seconds(60)) throws -> TestHost {
    try TestHost(.none, questionTimeout: questionTimeout, configure: { $0.source = source })
  }

  private func host(_ server: TestHost, _ delegates: [String] = [PromptForCredentials.name]) throws -> EventHost {
    server.makeRestartDue()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": .array(delegates.map(JSONValue.string))])
    return host
  }

  @Test("ui.promptForCredentials has the sign-in page and its code, and waits until they expire")
  func prompt() throws {
    let server = try server(questionTimeout: .milliseconds(1))
    let host = try host(server)
    let id = host.send(Self.register, Self.alice)
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(PromptForCredentials.name))
    let params = question["params"]
    #expect(params?["identity"] == .string(TestHost.alice))
    #expect(params?["verificationUri"] == .string(Self.page))
    #expect(params?["userCode"] == "VEUY-27HC")
    #expect(params?["expires"]?.stringValue != nil)
    #expect(params?["message"]?.stringValue == "Sign in.\n\(Self.page)\nVEUY-27HC")
    source.signIn()
    #expect(try host.reply(to: id)["result"]?["statusCode"] == 225)
    #expect(try server.call("diagnosticsLog.query", ["text": "did not answer"]) == [])
  }

  @Test("At a source's sign-in, an empty token means that the page is shown, and error 7002 cancels")
  func answers() throws {
    let server = try server()
    let host = try host(server)
    let first = host.send(Self.register, Self.alice)
    host.answer(try host.nextQuestion(), ["error": ["code": 7002, "message": "no"]])
    #expect(try host.reply(to: first)["result"]?["statusCode"] == 219)
    let second = host.send("tenant.checkIn")
    host.answer(try host.nextQuestion(), ["result": ["userPrincipalName": .string(TestHost.alice), "accessToken": ""]])
    source.signIn()
    #expect(try host.reply(to: second)["result"]?.arrayValue?.first?["statusCode"] == 225)
  }

  @Test("Without callbacks, a sign-in becomes a challenge that has the page, and the repeated call succeeds")
  func challenge() async throws {
    let server = try server()
    server.makeRestartDue()
    let error = try server.error(Self.register, Self.alice)
    #expect(error["code"] == 8001)
    #expect(error["message"]?.stringValue?.contains("VEUY-27HC") == true)
    let challenge = error["data"]?["challenge"]
    #expect(challenge?["kind"] == "credentials")
    #expect(challenge?["verificationUri"] == .string(Self.page))
    #expect(challenge?["userCode"] == "VEUY-27HC")
    let answer: JSONValue = ["challenge": challenge?["id"] ?? .null, "accessToken": "t"]
    #expect(try server.error("conditionalLaunch.answer", answer)["data"]?["name"] == "wrongAnswer")
    source.signIn()
    #expect(await eventually { (try? server.bridge.core.challenges.all().isEmpty) == true })
    #expect(try server.call(Self.register, Self.alice)["statusCode"] == 225)
    server.bridge.end()
  }

  @Test("policy.explain says that the user must sign in at the source")
  func explanation() throws {
    let server = try TestHost(
      .none,
      configure: { configuration in
        configuration.source = source
        configuration.signInDisplay = .nowhere
      })
    #expect(try server.call(Self.register, Self.alice)["statusCode"] == 203)
    let query: JSONValue = ["query": "policy.isPINRequired", "params": Self.alice]
    let steps = try server.call("policy.explain", query)["because"]?.arrayValue ?? []
    let texts = steps.compactMap { $0["text"]?.stringValue }
    #expect(texts.contains { $0.hasSuffix("ended with status 203 (authRequired): Sign in.") }, "\(texts)")
  }

  @Test("Cancelling a call during the sign-in ends the sign-in and registers no account")
  func cancel() async throws {
    let server = try server()
    let host = try host(server)
    let id = host.send(Self.register, Self.alice)
    _ = try host.nextQuestion()
    host.notify("$/cancelRequest", ["id": .integer(Int64(id))])
    #expect(try host.reply(to: id)["error"]?["code"] == -32800)
    #expect(await eventually { source.hasBeenCancelled })
    #expect(try server.call("enrollmentManager.registeredAccounts") == [])
  }

  @Test("If a host disconnects during the sign-in, a challenge replaces the prompt for other hosts")
  func gone() async throws {
    let server = try server()
    let host = try host(server)
    host.send(Self.register, Self.alice)
    _ = try host.nextQuestion()
    host.closeConnection()
    #expect(await eventually { (try? server.bridge.core.challenges.all().count) == 1 })
    #expect(!source.hasBeenCancelled)
    server.bridge.end()
  }
}

/// A source with nothing for anybody, whose users must sign in first.
private final class PromptingSource: CheckInSource {
  private struct State {
    var hasSignedIn = false
    var hasBeenCancelled = false
    var waiting: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Lock(State())

  var hasBeenCancelled: Bool { state.withLock { $0.hasBeenCancelled } }

  func signIn() {
    let waiting = state.withLock { state in
      state.hasSignedIn = true
      return state.waiting
    }
    for waiter in waiting { waiter.finish() }
  }

  func canSignIn() async -> Bool { true }

  func acquireToken(
    for request: SourceTokenRequest, until deadline: ContinuousClock.Instant
  ) async -> Result<AccessToken, SourceFault> {
    guard let show = request.show else { return .failure(SourceFault(.signInNeeded, "Sign in.")) }
    let (stream, feed) = AsyncStream.makeStream(of: Void.self)
    if state.withLock({ state in
      state.waiting.append(feed)
      return state.hasSignedIn
    }) {
      feed.finish()
    }
    show(
      SourcePrompt(
        verificationUri: "https://login.contoso.example/device", userCode: "VEUY-27HC", message: "Sign in.",
        expires: SystemClock().now.advanced(by: 600_000)))
    for await _ in stream {}
    guard !Task.isCancelled, let token = HostSecret("t") else {
      state.withLock { $0.hasBeenCancelled = true }
      return .failure(SourceFault(.late, "cancelled"))
    }
    return .success(AccessToken(token: token, expires: TestHost.start.advanced(by: 3_600_000)))
  }

  func answers(to requests: [SourceRequest], until deadline: ContinuousClock.Instant?) async -> SourceAnswers {
    SourceAnswers(
      requests.map { request in
        guard request.token != nil else { return .fault(SourceFault(.signInNeeded, "Sign in.")) }
        var tenant = TenantSnapshot()
        tenant.tenantId = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
        tenant.users = [
          TenantUser(
            id: "87d349ed-44d7-43e1-9a83-5f2406dee5bd", userPrincipalName: TestHost.alice, displayName: "Alice",
            isLicensed: true, isEnabled: true, groups: [])
        ]
        return .news(SourceNews(tenant))
      })
  }

  var capabilities: SourceCapabilities { .ofProgram }
  var knownAuthentication: TenantAuthentication? { nil }
  func authentication() async -> TenantAuthentication? { nil }
  func deliver(_ report: SourceReport) async -> Bool { true }
  func watch(_ registrations: [SourceRegistration]) {}
  func connect(_ listener: any SourceListener) {}
  func end() {}
}
