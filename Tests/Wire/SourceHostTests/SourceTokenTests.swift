import JSON
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import SourceHost

/// Programs that sign in users themselves.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct SourceTokenTests {
  /// A fault was expected, and `instead` came.
  private struct NoFault: Error {
    let instead: String
  }

  private static let open =
    #"read l; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"signIn":true}}';"#
  private static let alice = Account(accountId: nil, identity: "alice@contoso.example")

  /// Reads a request, and prompts; the answer to the prompt goes to the file `prompted`.
  private static func prompt(_ code: String, _ more: String = "") -> String {
    let params = #"{"verificationUri":"https://login","userCode":"\#(code)"\#(more)}"#
    return "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"source.prompt\",\"params\":\(params)}';"
  }

  private static let token = #""result":{"accessToken":"hunter2","expires":"2100-01-01T00:00:00Z"}"#

  private static func say(_ id: Int, _ members: String) -> String {
    "echo '{\"jsonrpc\":\"2.0\",\"id\":\(id),\(members)}';"
  }

  private func acquire(
    _ program: FakeProgram, claims: String? = nil, _ show: (@Sendable (SourcePrompt) -> Void)? = nil,
    within patience: Duration = .seconds(60)
  ) async -> Result<AccessToken, SourceFault> {
    let request = SourceTokenRequest(account: Self.alice, claims: claims, show: show)
    return await program.source.acquireToken(for: request, until: .now + patience)
  }

  @Test("A source program says whether it can sign in users", arguments: [(open, true), (FakeProgram.open, false)])
  func canSignIn(_ open: String, _ canSignIn: Bool) async throws {
    let program = FakeProgram(open)
    #expect(await program.source.canSignIn() == canSignIn)
    program.source.end()
    #expect(await FakeProgram(words: ["/nowhere"]).source.canSignIn() == false)
  }

  @Test("source.acquireToken has the account, the claims, and whether the user may be asked")
  func request() async throws {
    let record = #"read l; echo "$l" >>requests;"#
    let program = FakeProgram(Self.open + record + Self.say(2, Self.token) + record + Self.say(3, Self.token))
    let token = try await acquire(program, claims: "{}").get()
    #expect(token.token == HostSecret("hunter2"))
    #expect(token.expires == Timestamp("2100-01-01T00:00:00Z"))
    _ = try await acquire(program, { _ in }).get()
    let requests = try program.written("requests").split(separator: "\n").map { try JSONValue(parsing: $0)["params"] }
    #expect(requests[0]?["silent"] == true)
    #expect(requests[0]?["claims"] == "{}")
    #expect(requests[0]?["account"]?["identity"]?.stringValue == Self.alice.identity)
    #expect(requests[1]?["silent"] == false)
    #expect(requests[1]?["claims"] == nil)
    program.source.end()
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let kind: SourceFault.Kind
    let text: String
  }

  static let rows = [
    Row(
      testDescription: "needs the user", script: FakeProgram.answer(2, #""error":{"code":-32050,"message":"sign in"}"#),
      kind: .signInNeeded, text: "error -32050: sign in"),
    Row(
      testDescription: "user cancels", script: FakeProgram.answer(2, #""error":{"code":-32053,"message":"no"}"#),
      kind: .signInCanceled, text: "no"),
    Row(
      testDescription: "cannot reach its service",
      script: FakeProgram.answer(2, #""error":{"code":-32051,"message":"x"}"#),
      kind: .unreachable, text: "x"),
    Row(
      testDescription: "does not know the method",
      script: FakeProgram.answer(2, #""error":{"code":-32601,"message":"x"}"#), kind: .broken, text: "x"),
    Row(
      testDescription: "no token", script: FakeProgram.answer(2, #""result":{"accessToken":5}"#), kind: .broken,
      text: "without a token"),
    Row(
      testDescription: "a token with a line break",
      script: FakeProgram.answer(2, #""result":{"accessToken":"a\u000ab"}"#), kind: .broken, text: "without a token"),
    Row(
      testDescription: "another kind of time",
      script: FakeProgram.answer(2, #""result":{"accessToken":"a","expires":"soon"}"#), kind: .broken, text: "RFC 3339"),
    Row(testDescription: "exits", script: "read l; exit 3;", kind: .broken, text: "ended with status 3"),
    Row(
      testDescription: "is killed during a prompt", script: prompt("C") + "read l; kill -9 $$;", kind: .broken,
      text: "ended by signal 9"),
  ]

  @Test("If a source program returns no token, the fault has the right kind and text", arguments: rows)
  func fault(_ row: Row) async throws {
    let program = FakeProgram(Self.open + row.script)
    let result = await acquire(program, { _ in })
    guard case .failure(let fault) = result else { throw NoFault(instead: "\(result)") }
    #expect(fault.kind == row.kind, "\(fault)")
    #expect(fault.text.contains(row.text), "\(fault)")
    program.source.end()
  }

  @Test("A source that refuses a token can name the claims that its service needs")
  func claims() async throws {
    let program = FakeProgram(
      FakeProgram.open + FakeProgram.answer(2, #""error":{"code":-32050,"message":"x","data":{"claims":"{}"}}"#))
    #expect(try await program.fault()?.claims == "{}")
    program.source.end()
  }

  @Test("A source program that returns no token in time is ended, and the sign-in fails as late")
  func late() async throws {
    let program = FakeProgram(Self.open)
    let result = await acquire(program, within: .milliseconds(100))
    guard case .failure(let fault) = result else { throw NoFault(instead: "\(result)") }
    #expect(fault.kind == .late)
    #expect(await eventually { program.listener.all.contains { $0.contains("did not answer in time") } })
    program.source.end()
  }

  @Test("A request to a source program whose deadline has already passed fails as late")
  func over() async throws {
    let listener = SourceConnection.Listener(didReceive: { _ in }, didSay: { _ in }, didEnd: { _ in })
    let connection = try SourceConnection.start(["/bin/sh", "-c", "cat >/dev/null"], listener)
    for _ in 1...500 {
      let reply = await connection.ask("source.acquireToken", Array("{}".utf8), until: .now - .seconds(1))
      guard case .failure(.late) = reply else { throw NoFault(instead: "\(reply)") }
    }
    connection.end("the test ends")
    connection.waitForEnd()
  }

  @Test("After a prompt, source.acquireToken has until the prompt expires, which is at most an hour")
  func prompted() async throws {
    let shown = Lock<[SourcePrompt]>([])
    let script =
      Self.open + Self.prompt("C", #","message":"m","expires":"2100-01-01T00:00:00Z""#)
      + #"read l; echo "$l" >answer; sleep 1.2;"# + Self.say(2, Self.token)
    // Long enough for the program to start and to prompt, and over before it has the token.
    let patience = Duration.seconds(1)
    let program = FakeProgram(script, patience: patience)
    let result = await acquire(program, { prompt in shown.withLock { $0.append(prompt) } }, within: patience)
    #expect(try result.get().token == HostSecret("hunter2"))
    let prompt = try #require(shown.withLock { $0 }.first)
    #expect(prompt.verificationUri == "https://login")
    #expect(prompt.userCode == "C")
    #expect(prompt.message == "m")
    // At most an hour, whatever the program says.
    #expect(prompt.expires.milliseconds - SystemClock().now.milliseconds <= 3_600_000)
    #expect(program.written("answer") == #"{"jsonrpc":"2.0","id":"p","result":null}"# + "\n")
    program.source.end()
  }

  @Test("An expired prompt causes the fault signInNeeded, and the source program keeps running")
  func expired() async throws {
    let program = FakeProgram(
      Self.open + Self.prompt("C", #","expires":"2020-01-01T00:00:00Z""#) + "read l; read l;"
        + #"read l; echo '{"jsonrpc":"2.0","id":3,"result":{"outcome":"userUnknown"}}';"#)
    let result = await acquire(program, { _ in })
    guard case .failure(let fault) = result else { throw NoFault(instead: "\(result)") }
    #expect(fault.kind == .signInNeeded)
    #expect(fault.text.contains("Nobody has signed in"))
    #expect(try await program.news() != nil)
    program.source.end()
  }

  @Test("Cancelling a sign-in during its prompt sends $/cancelRequest to the source program")
  func cancel() async throws {
    let program = FakeProgram(Self.open + Self.prompt("C") + #"read l; read l; echo "$l" >canceled;"#)
    let shown = Lock(false)
    let call = Task { await acquire(program, { _ in shown.withLock { $0 = true } }) }
    #expect(await eventually { shown.withLock { $0 } })
    call.cancel()
    let result = await call.value
    guard case .failure(let fault) = result else { throw NoFault(instead: "\(result)") }
    #expect(fault.kind == .late)
    #expect(await eventually { program.written("canceled").contains(#""method":"$/cancelRequest","params":{"id":2}"#) })
    program.source.end()
  }

  @Test(
    "A prompt is refused if the user must not be asked or if it has no web page",
    arguments: [(false, #""verificationUri":"https://x""#), (true, #""verificationUri":"javascript:x""#), (true, "")])
  func refusedPrompt(_ isAsking: Bool, _ params: String) async throws {
    let program = FakeProgram(
      Self.open
        + "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"source.prompt\",\"params\":{\(params)}}';"
        + #"read l; echo "$l" >answer;"# + Self.say(2, #""error":{"code":-32050,"message":"x"}"#))
    let shown = Lock(false)
    let show: @Sendable (SourcePrompt) -> Void = { _ in shown.withLock { $0 = true } }
    _ = await acquire(program, isAsking ? show : nil)
    #expect(program.written("answer").contains("-32600"))
    #expect(!shown.withLock { $0 })
    program.source.end()
  }

  @Test("Two users can sign in at the same time, and each gets their own prompt")
  func sideBySide() async throws {
    let script =
      Self.open + Self.prompt("A") + "read l;" + Self.prompt("B") + "read l;"
      + Self.say(3, #""result":{"accessToken":"b"}"#) + Self.say(2, #""result":{"accessToken":"a"}"#)
    let program = FakeProgram(script)
    let shown = Lock<[String]>([])
    let first = Task { await acquire(program, { prompt in shown.withLock { $0.append("1 " + prompt.userCode) } }) }
    await expectEventually(["1 A"]) { shown.withLock { $0 } }
    let second = await acquire(program, { prompt in shown.withLock { $0.append("2 " + prompt.userCode) } })
    #expect(try second.get().token == HostSecret("b"))
    #expect(try await first.value.get().token == HostSecret("a"))
    #expect(shown.withLock { $0 } == ["1 A", "2 B"])
    program.source.end()
  }

  @Test("For a tenant service, the ways to sign in name mambridge-tenant login with its URL")
  func wayOut() {
    let way = SourceProgram.tenantService(at: "https://mam.contoso.example").waysToSignIn
    #expect(way.contains("mambridge-tenant login https://mam.contoso.example"))
    #expect(SourceProgram.command(["x"]).waysToSignIn.isEmpty)
  }
}
