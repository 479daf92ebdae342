import JSON
import JSONRPC
import MAM
import Model
import Support
import TestSupport
import Testing

@testable import Bridge

/// What a host answers to `restartApplication`, and what the log says of it.
private let wrongAnswers: [(members: JSONObject, warning: String)] = [
  (["result": "yes"], "must be true or false, not a string"),
  (["result": .null], "must be true or false, not null"),
  (["result": 1], "must be true or false"), (["error": ["code": 7001, "message": "private"]], "error 7001"),
  (["error": "private"], "error -32603"), (["error": [:]], "error -32603"), (["result": ["private": 1]], "an object"),
]

@Suite("Requests to the host", .timeLimit(.minutes(5)), .ownThreads)
struct HostRequestTests {
  private static func host(_ server: TestHost, _ delegates: [String]) throws -> EventHost {
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": .array(delegates.map(JSONValue.string))])
    return host
  }

  /// Asks outside of any call.
  private static func ask<Answer: Sendable>(
    _ server: TestHost, _ body: @escaping @Sendable (any Host) async -> Answer
  ) -> Task<Answer, Never> {
    let host = server.bridge.core.host
    return Task { await body(host) }
  }

  private static func warnings(_ server: TestHost) throws -> [String] {
    let lines = try server.call("diagnosticsLog.query", ["level": "warning", "category": "server"]).arrayValue ?? []
    return lines.compactMap { $0["message"]?.stringValue }
  }

  @Test("A request to the host goes to the connection that caused it, else to the oldest that declared it")
  func whoIsAsked() throws {
    let server = try TestHost(flags: ["MultiManagedIdentities=true"])
    let name = RestartApplication.name
    let silent = try Self.host(server, [])
    let oldest = try Self.host(server, [ShowAlert.name, name])
    let asker = try Self.host(server, [name])
    let registry = server.bridge.hosts
    #expect(registry.peer(answering: ShowDiagnosticConsole.name, askedBy: nil) == nil)

    asker.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    asker.answer(try asker.nextQuestion(), ["result": false])
    #expect(try oldest.nextQuestion()["method"] == .string(ShowAlert.name))

    silent.closeConnection()
    asker.closeConnection()
    oldest.closeConnection()
    #expect(registry.peer(answering: name, askedBy: nil) == nil)
  }

  @Test(
    "A host wipes only auxiliary data if it declares that delegate and not the one for all data",
    arguments: [
      ([], false), ([WipeDataForAccount.name], false), ([WipeAuxiliaryDataForAccount.name], true),
      ([WipeDataForAccount.name, WipeAuxiliaryDataForAccount.name], false),
    ] as [([String], Bool)])
  func auxiliaryData(_ delegates: [String], _ expected: Bool) throws {
    let server = try TestHost()
    let host = try Self.host(server, delegates)
    #expect(server.bridge.core.host.wipesOnlyAuxiliaryData == expected)
    host.closeConnection()
  }

  @Test("When the oldest connection that declared a request closes, the next oldest one gets the request")
  func oldestThenNext() async throws {
    let server = try TestHost()
    let first = try Self.host(server, [RestartApplication.name])
    let second = try Self.host(server, [RestartApplication.name])
    let caller = EventHost(server.bridge)
    let enrollment = caller.send("enrollmentManager.registerAndEnrollAccount", ["account": .string(TestHost.alice)])
    first.answer(try first.nextQuestion(), ["result": true])
    #expect(try caller.reply(to: enrollment)["result"]?["statusCode"] == 100)
    first.closeConnection()
    let answer = Self.ask(server) { await $0.restartApplication() }
    second.answer(try second.nextQuestion(), ["result": true])
    #expect(await answer.value)
  }

  @Test("An invalid answer of a host counts as none, and the log names the request and fault", arguments: wrongAnswers)
  func wrong(_ members: JSONObject, _ warning: String) async throws {
    let server = try TestHost()
    let host = try Self.host(server, [RestartApplication.name])
    let answer = Self.ask(server) { await $0.restartApplication() }
    host.answer(try host.nextQuestion(), members)
    #expect(await !answer.value)
    let lines = try Self.warnings(server)
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("policyDelegate.restartApplication: ") == true)
    #expect(lines.first?.contains(warning) == true, "\(lines)")
    #expect(lines.first?.contains("private") == false, "\(lines)")
  }

  @Test("If a host does not answer in time, the default applies, and its late answer is logged")
  func never() async throws {
    let server = try TestHost(questionTimeout: .milliseconds(10))
    let host = try Self.host(server, [RestartApplication.name])
    let answer = Self.ask(server) { await $0.restartApplication() }
    let question = try host.nextQuestion()
    #expect(await !answer.value)
    #expect(try Self.warnings(server).first?.contains("did not answer") == true)
    host.answer(question, ["result": true])
    #expect(await eventually { (try? Self.warnings(server).first?.contains("(id s1): it came too late")) == true })
    host.answer(["id": "s7"], ["result": true])
    #expect(
      await eventually { (try? Self.warnings(server).first?.contains("(id s7): no open request has this id")) == true })
  }

  @Test("2,000 answers without an open request get fewer log lines than there are answers")
  func flood() async throws {
    let server = try TestHost()
    let host = try Self.host(server, [RestartApplication.name])
    for _ in 0..<2000 { host.answer(["id": "s1"], ["result": true]) }
    #expect(await eventually { ((try? Self.warnings(server)) ?? []).contains { $0.contains("no open request") } })
    #expect(try Self.warnings(server).count < 2000)
  }

  @Test("A token in a host's answer appears in no log line and no description")
  func secrets() async throws {
    let server = try TestHost(flags: ["VerboseLoggingEnabled=true"])
    let host = try Self.host(server, [AcquireToken.name, PromptForCredentials.name])
    let token = Self.ask(server) { await $0.acquireToken(for: .example, resource: "r", silent: true) }
    host.answer(try host.nextQuestion(), ["result": ["accessToken": "open sesame", "expires": .null]])
    guard case .value(let access) = await token.value else { Issue.record("no token"); return }
    #expect(access.token == HostSecret("open sesame"))
    #expect(!"\(access)".contains("sesame"))
    let credentials = Self.ask(server) { await $0.promptForCredentials(identity: nil, window: nil, message: "m") }
    host.answer(try host.nextQuestion(), ["result": ["accessToken": "open sesame", "open sesame": 1]])
    #expect(await credentials.value == .unavailable)
    #expect(try server.call("diagnosticsLog.query", ["text": "sesame"]) == [])
  }

  @Test(
    "Requests for a sign-in have the app's client id, authorities and redirect URI, or their overrides",
    arguments: [
      ([], nil, ["https://login.microsoftonline.com/common"], nil),
      (["ADALRedirectScheme=msauth"], nil, ["https://login.microsoftonline.com/common"], "msauth://com.example.test"),
      (
        [
          "ADALClientId=file", "ADALAuthority=https://login.example/file", "ADALRedirectUri=file://redirect",
          "ADALRedirectScheme=msauth",
        ], "file", ["https://login.example/file"], "file://redirect"
      ),
    ] as [([String], String?, [String], String?)])
  func registration(_ flags: [String], _ client: String?, _ authorities: [String], _ redirect: String?) async throws {
    let server = try TestHost(flags: flags)
    let host = try Self.host(server, [AcquireToken.name, PromptForCredentials.name])
    func expect(_ client: String?, _ authorities: [String], _ redirect: String?) async throws {
      let token = Self.ask(server) { await $0.acquireToken(for: .example, resource: "r", silent: true) }
      let prompt = Self.ask(server) { await $0.promptForCredentials(identity: nil, window: nil, message: "m") }
      for _ in 0..<2 {
        let question = try host.nextQuestion()
        #expect(question["params"]?["clientId"] == client.map(JSONValue.string) ?? .null)
        #expect(question["params"]?["authorities"] == .array(authorities.map(JSONValue.string)))
        #expect(question["params"]?["redirectUri"] == redirect.map(JSONValue.string) ?? .null)
        host.answer(question, ["error": ["code": 7002, "message": "canceled"]])
      }
      _ = (await token.value, await prompt.value)
    }
    try await expect(client, authorities, redirect)
    let overrides: JSONValue = [
      "aadClientIdOverride": "mine", "aadAuthorityUriOverride": "https://login.example/mine",
      "aadRedirectUriOverride": "mine://redirect",
    ]
    _ = try server.call("settings.set", ["values": overrides])
    try await expect("mine", ["https://login.example/mine"] + authorities, "mine://redirect")
  }

  @Test(
    "acquireToken takes a host's error 7002 as canceled, and other errors as unavailable",
    arguments: [
      (7002, HostAnswer.canceled, 0), (7001, .unavailable, 0), (7003, .unavailable, 1),
    ] as [(Int64, HostAnswer<AccessToken>, Int)])
  func refusals(_ code: Int64, _ expected: HostAnswer<AccessToken>, _ warnings: Int) async throws {
    let server = try TestHost()
    let host = try Self.host(server, [AcquireToken.name])
    let token = Self.ask(server) { await $0.acquireToken(for: .example, resource: "r", silent: false) }
    host.answer(try host.nextQuestion(), ["error": ["code": .integer(code), "message": "no"]])
    #expect(await token.value == expected)
    #expect(try Self.warnings(server).count == warnings)
  }

  @Test("Without a connection, every request to a host has its default outcome")
  func nobody() async throws {
    let host = try TestHost().bridge.core.host
    #expect(await !host.identitySwitchRequired(to: .example, window: nil, reason: .openURL))
    #expect(await !host.wipeData(of: .example))
    #expect(await !host.addIdentity(.example))
    #expect(await !host.isExternalURL("https://contoso.example", in: "help"))
    #expect(await host.promptForPIN(PromptForPIN.example.params.challenge) == .unavailable)
    #expect(await host.showAlert(HostAlert(title: "t", message: "m", actions: ["OK"])) == nil)
    await host.showDiagnosticConsole(path: "/nowhere")
    #expect(await host.captureWindow("inbox") == nil)
  }

  @Test("A request to a host fits its schema, and its example is accepted", arguments: API.hostRequests.map { $0.name })
  func fits(_ name: String) async throws {
    let server = try TestHost()
    let host = try Self.host(server, [name])
    let answer = Self.ask(server) { await outcome(of: name, at: $0) }
    let question = try host.nextQuestion()
    let document = OpenRPC.document(serverVersion: "1.2.3")
    let check = SchemaCheck(components: document["components"]?["schemas"]?.objectValue ?? [:])
    let described = try #require(document["x-delegates"]?.arrayValue?.first { $0["name"] == .string(name) })
    #expect(question["method"] == .string(name))
    for param in described["params"]?.arrayValue ?? [] {
      let value = try #require(param["name"]?.stringValue.flatMap { question["params"]?[$0] })
      #expect(check.faults(of: value, param["schema"] ?? .null) == [])
    }
    let example = described["examples"]?.arrayValue?.first?["result"]?["value"]
    host.answer(question, ["result": example ?? .null])
    #expect(await answer.value == expectedOutcomes[name])
    #expect(try Self.warnings(server) == [])
  }
}

/// What the core sees of the document's examples.
private let expectedOutcomes = [
  IdentitySwitchRequired.name: "true", WipeDataForAccount.name: "true", RestartApplication.name: "true",
  AddIdentity.name: "true", IsExternalURL.name: "false", AcquireToken.name: "2026-02-02T03:40:00.000Z",
  PromptForCredentials.name: "alice@contoso.example", PromptForPIN.name: "true", ShowAlert.name: "OK",
  ShowDiagnosticConsole.name: "shown", CaptureWindow.name: "8 bytes", BlockAccount.name: "value(true)",
  WipeAuxiliaryDataForAccount.name: "true", ManagementWillBeRemoved.name: "told",
  GetAccessToken.name: "c0000000-0000-4000-8000-000000000000",
  CollectLogs.name: "/home/me/.local/state/notes/notes.log",
]

private func outcome(of name: String, at host: any Host) async -> String {
  let account = Account.example
  switch name {
  case IdentitySwitchRequired.name:
    return "\(await host.identitySwitchRequired(to: account, window: "w", reason: .documentImport))"
  case WipeDataForAccount.name: return "\(await host.wipeData(of: account))"
  case BlockAccount.name:
    return "\(await host.blockAccount(account, window: "main", reason: .conditionalLaunchBlocked))"
  case WipeAuxiliaryDataForAccount.name: return "\(await host.wipeAuxiliaryData(of: account))"
  case ManagementWillBeRemoved.name:
    await host.managementWillBeRemoved(of: account)
    return "told"
  case GetAccessToken.name:
    let request = TokenRequest(account: account, resource: "r", scopes: ["r/.default"])
    guard case .token(let token) = await host.token(for: request, from: .getAccessToken) else { break }
    return token.tenantId ?? "no tenant"
  case CollectLogs.name:
    let paths = await host.collectLogs(LogCollection(sessionId: "7f3a", account: account))
    return paths.map(\.text).joined(separator: " ")
  case RestartApplication.name: return "\(await host.restartApplication())"
  case AddIdentity.name: return "\(await host.addIdentity(account))"
  case IsExternalURL.name: return "\(await host.isExternalURL("https://contoso.example", in: "help"))"
  case AcquireToken.name:
    guard case .value(let token) = await host.acquireToken(for: account, resource: "r", silent: true) else { break }
    return token.expires?.description ?? "never"
  case PromptForCredentials.name:
    let answer = await host.promptForCredentials(identity: nil, window: nil, message: "m")
    if case .value(let credentials) = answer { return credentials.userPrincipalName }
  case PromptForPIN.name:
    let answer = await host.promptForPIN(PromptForPIN.example.params.challenge)
    if case .value(let entry) = answer { return "\(HostSecret("2580").map { entry == .pin($0) } ?? false)" }
  case ShowAlert.name:
    return await host.showAlert(HostAlert(title: "t", message: "m", actions: ["OK"])) ?? "none"
  case CaptureWindow.name: return await host.captureWindow("w").map { "\($0.count) bytes" } ?? "none"
  default:
    await host.showDiagnosticConsole(path: "/tmp/x")
    return "shown"
  }
  return "unavailable"
}
