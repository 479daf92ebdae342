import Glibc
import JSON
import Model
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import Tenancy

/// A development tenant that answers what a test says, and remembers what it was asked.
private final class ScriptedTenant: DevelopmentTenant {
  let places: DevelopmentPlaces
  let program = "/opt/mambridge-tenant"
  let log = "listening"
  var ending: String? { hasEnded.withLock { $0 } ? "the program was ended by signal 9" : nil }
  let sent = Lock<[ToDevelopment.Send.Params]>([])
  let hasEnded = Lock(false)
  /// `nil` if it never answers.
  private let answer: DevelopmentAnswer?

  init(_ folder: TemporaryFolder, answering answer: DevelopmentAnswer? = DevelopmentAnswer(status: 204, body: "")) {
    places = DevelopmentPlaces(
      service: "https://127.0.0.1:1", authority: "https://127.0.0.1:1/tenant/v2.0", clientId: "client",
      graph: "https://127.0.0.1:1/v1.0", tenantId: "tenant", certificate: "/certificate.pem", secret: "secret",
      state: folder.file("device"))
    self.answer = answer
  }

  func send(_ request: ToDevelopment.Send.Params) async throws(DevelopmentFailure) -> DevelopmentAnswer {
    sent.withLock { $0.append(request) }
    if let answer { return answer }
    while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
    throw DevelopmentFailure("nobody waits for the answer")
  }

  func token(of user: String) async throws(DevelopmentFailure) -> TokenText {
    guard user == "alice@contoso.example", let token = TokenText("token of alice") else {
      throw DevelopmentFailure("no token for \(user)")
    }
    return token
  }

  func end() { hasEnded.withLock { $0 = true } }
}

@Suite(.ownThreads) struct SandboxNetworkTests {
  private let folder = TemporaryFolder()

  private func host(_ start: @escaping SandboxNetwork.Start) throws -> (TestHost, Sandbox) {
    var home = SandboxFolder(root: folder.path, appId: "com.example.test", trustsParents: true)
    try home.begin(at: TestHost.start) { path throws(TenantWriteError) in try TenantWriter(sampleAt: path) }
    let sandbox = Sandbox(home, serving: start)
    return (try TestHost(.folder(home.tenant.path), folder: folder, sandbox: sandbox), sandbox)
  }

  @Test("sandbox.network starts one network, which has the folder of the tenant and ends with the sandbox")
  func start() throws {
    let (tenant, starts) = (ScriptedTenant(folder), Lock<[String]>([]))
    let (host, sandbox) = try host { path in
      starts.withLock { $0.append(path) }
      return tenant
    }
    let found = try host.call("sandbox.network")
    #expect(found["url"] == "https://127.0.0.1:1")
    #expect(found["environment"] == ["MAMBRIDGE_LIBEXEC": "/opt", "SSL_CERT_FILE": "/certificate.pem"])
    #expect(try host.call("sandbox.network") == found)
    #expect(try host.call("sandbox.networkLog") == "listening")
    #expect(starts.withLock { $0 } == [folder.file("tenant")])
    sandbox.end()
    #expect(tenant.hasEnded.withLock { $0 })
  }

  @Test("After a start that failed, the next call starts the network again")
  func failure() throws {
    let (tenant, tries) = (ScriptedTenant(folder), Lock(0))
    let (host, _) = try host { _ async throws(DevelopmentFailure) in
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      guard number > 1 else { throw DevelopmentFailure("cannot start x: there is no such program") }
      return tenant
    }
    let error = try host.error("sandbox.network")
    #expect(error["code"] == 9003 && error["message"] == "cannot start x: there is no such program")
    #expect(try host.call("sandbox.network")["tenantId"] == "tenant")
  }

  @Test("Calls to a network that has ended by itself fail, and sandbox.network starts another one")
  func endedByItself() throws {
    let (first, second) = (ScriptedTenant(folder), ScriptedTenant(folder))
    let rest = Lock([first, second])
    let (host, _) = try host { _ in rest.withLock { $0.removeFirst() } }
    _ = try host.call("sandbox.network")
    first.end()
    for (method, params) in [
      ("sandbox.networkApp", ["user": "alice@contoso.example"]), ("sandbox.clearNetworkFaults", [:]),
    ] as [(String, JSONValue)] {
      let error = try host.error(method, params)
      #expect(error["message"] == "the network has ended: the program was ended by signal 9")
      #expect(error["data"]?["hint"]?.stringValue?.hasPrefix("sandbox.network starts another one") == true)
    }
    #expect(try host.call("sandbox.networkLog") == "listening")
    _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example"])
    _ = try host.call("sandbox.network")
    _ = try host.call("sandbox.setUser", ["name": "dan@contoso.example"])
    #expect(first.sent.withLock { $0 }.isEmpty && second.sent.withLock { $0.count } == 1)
  }

  /// Starts a network that is silent until the start is given up. `begun` and `ended` count.
  private static func silent(_ begun: Lock<Int>, _ ended: Lock<Int>) -> SandboxNetwork.Start {
    { _ async throws(DevelopmentFailure) in
      begun.withLock { $0 += 1 }
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
      ended.withLock { $0 += 1 }
      throw DevelopmentFailure("silent")
    }
  }

  @Test("A start of the network is given up if its only call is canceled, and the next call starts it again")
  func canceled() async throws {
    let (begun, ended) = (Lock(0), Lock(0))
    let network = SandboxNetwork(tenant: "/tenant", start: Self.silent(begun, ended))
    for round in 1...2 {
      let call = Task(executorPreference: BlockingExecutor.shared) { _ = try? await network.running() }
      while begun.withLock({ $0 }) < round { try await Task.sleep(for: .milliseconds(10)) }
      call.cancel()
      await call.value
      #expect(begun.withLock { $0 } == round && ended.withLock { $0 } == round)
    }
  }

  @Test("A sandbox that ends waits until the network that it starts has ended")
  func endDuringStart() async throws {
    let (begun, ended) = (Lock(0), Lock(0))
    let network = SandboxNetwork(tenant: "/tenant", start: Self.silent(begun, ended))
    let call = Task(executorPreference: BlockingExecutor.shared) { try await network.running() }
    while begun.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    network.end()
    #expect(ended.withLock { $0 } == 1)
    await #expect(throws: MAMError.self) { _ = try await call.value }
    await #expect(throws: MAMError.self) { _ = try await network.running() }
    #expect(begun.withLock { $0 } == 1)
  }

  @Test("sandbox.networkApp makes a marked state for each app, and says how the user is signed in")
  func app() throws {
    let tenant = ScriptedTenant(folder)
    let (host, _) = try host { _ in tenant }
    for number in 1...2 {
      let state = folder.file("device-\(number)")
      #expect(
        try host.call("sandbox.networkApp", ["user": "alice@contoso.example"])["arguments"] == [
          "--tenant", "https://127.0.0.1:1", "--state", .string(state), "--token-command",
          "'/opt/mambridge-tenant' 'dev-token' 'alice@contoso.example' '--service' 'https://127.0.0.1:1'",
        ])
      #expect(access(state + "/development", F_OK) == 0)
    }
    let arguments = try host.call("sandbox.networkApp", ["user": "o'brien@contoso.example"])["arguments"]?.arrayValue
    #expect(CommandWords(arguments?.last?.stringValue ?? "")?.words[2] == "o'brien@contoso.example")
  }

  @Test(
    "When a method that changes the tenant returns, the network has read it",
    arguments: [
      ("setUser", ["name": "erin@contoso.example"]), ("removeUser", ["name": "bob@contoso.example"]),
      ("setPolicy", ["audience": "*", "settings": ["saveAsBlocked": true]]),
      ("setConfiguration", ["audience": "*", "settings": ["server": "mail"], "name": "Mail"]),
      ("removePolicy", ["name": "Contoso default"]), ("setAllowedAccounts", ["accounts": nil]),
      ("wipe", ["account": "alice@contoso.example"]), ("restore", ["name": "kept"]), ("reset", [:]),
    ] as [(String, JSONValue)])
  func reload(method: String, params: JSONValue) throws {
    let tenant = ScriptedTenant(folder)
    let (host, _) = try host { _ in tenant }
    let reloads = { tenant.sent.withLock { $0.map { "\($0.method) \($0.path) \($0.token?.text ?? "")" } } }
    _ = try host.call("sandbox.save", ["name": "kept"])
    _ = try host.call("sandbox.setUser", ["name": "dan@contoso.example"])
    #expect(reloads() == [], "there is no network yet")
    _ = try host.call("sandbox.network")
    _ = try host.call("sandbox.\(method)", params)
    #expect(reloads() == ["POST /dev/reload secret"])
  }

  @Test("A network that does not read a change fails the method, which says that the tenant has changed")
  func unread() throws {
    let refusing = ScriptedTenant(folder, answering: DevelopmentAnswer(status: 503, body: ""))
    let (host, sandbox) = try host { _ in refusing }
    _ = try host.call("sandbox.network")
    let error = try host.error("sandbox.setUser", ["name": "erin@contoso.example"])
    #expect(
      error["message"] == "the tenant has changed, but its network did not read it: the network answers 503")
    #expect(try sandbox.contents().tenant.users.contains { $0.userPrincipalName == "erin@contoso.example" })
  }

  @Test("A change of the tenant has taken effect at the deadline of its call, even if a silent network has not read it")
  func deadline() throws {
    let silent = ScriptedTenant(folder, answering: nil)
    let (host, sandbox) = try host { _ in silent }
    _ = try host.call("sandbox.network")
    let late = try host.reply(
      "sandbox.setUser", ["name": "erin@contoso.example", "_meta": ["timeoutMilliseconds": 100]])["error"]
    #expect(late?["message"] == "sandbox.setUser: no answer within 100 ms" && late?["data"]?["committed"] == true)
    #expect(try sandbox.contents().tenant.users.contains { $0.userPrincipalName == "erin@contoso.example" })
    let error = try host.error("sandbox.setUser", ["name": "dan@contoso.example"])
    #expect(
      error["message"] == "the tenant has changed, but its network did not read it: it did not answer within 5 s")
  }

  @Test("sandbox.networkFault and clearNetworkFaults send the secret, and report what is refused")
  func control() throws {
    let tenant = ScriptedTenant(folder)
    let (host, _) = try host { _ in tenant }
    _ = try host.call("sandbox.networkFault", ["at": "checkIn", "kind": "slow", "times": 2, "delay": "PT1.5S"])
    _ = try host.call("sandbox.clearNetworkFaults")
    let sent = tenant.sent.withLock { $0 }
    #expect(
      sent.map { "\($0.method) \($0.path) \($0.token?.text ?? "")" } == [
        "POST /dev/faults secret", "DELETE /dev/faults secret",
      ])
    #expect(sent[0].body == #"{"at":"checkIn","kind":"slow","times":2,"delay":"PT1.5S"}"#)
    let refusing = ScriptedTenant(
      folder, answering: DevelopmentAnswer(status: 400, body: #"{"error":{"message":"checkIn has no fault x."}}"#))
    let (other, _) = try SandboxNetworkTests().host { _ in refusing }
    let error = try other.error("sandbox.networkFault", ["at": "checkIn", "kind": "x"])
    #expect(error["code"] == 9003 && error["message"] == "checkIn has no fault x.")
  }

  @Test("sandbox.networkSend returns status and body, and sandbox.networkToken a token or why there is none")
  func requests() throws {
    let tenant = ScriptedTenant(folder, answering: DevelopmentAnswer(status: 200, body: "{}"))
    let (host, _) = try host { _ in tenant }
    #expect(
      try host.call("sandbox.networkSend", ["method": "GET", "path": "/v1.0/me"]) == ["status": 200, "body": "{}"])
    #expect(try host.call("sandbox.networkToken", ["alice@contoso.example"]) == "token of alice")
    #expect(try host.error("sandbox.networkToken", ["erin"])["message"] == "no token for erin")
  }

  @Test("sandbox.report has the last requests to a network that runs, and starts none")
  func report() throws {
    let tenant = ScriptedTenant(
      folder,
      answering: DevelopmentAnswer(
        status: 200,
        body: #"""
          {"requests": [{"method": "POST", "path": "/mam/v1/check-in", "status": 503, "who": "alice@contoso.example",
            "why": null, "fault": "slow"}, {"method": "GET", "path": "/dev/requests", "status": 200}]}
          """#))
    let (host, _) = try host { _ in tenant }
    let before = try #require(host.call("sandbox.report")["text"]?.stringValue)
    #expect(before.hasPrefix("--- what happened in the sandbox\nNothing happened.\n--- a script that replays it\n#!"))
    _ = try host.call("sandbox.network")
    let after = try #require(host.call("sandbox.report")["text"]?.stringValue)
    let line = "POST /mam/v1/check-in by alice@contoso.example: 503, slow"
    #expect(after.contains("\n--- the last requests to the network\n\(line)\n--- a script that replays it\n"))
    #expect(try host.call("sandbox.networkRequests").arrayValue?.map { $0["text"] } == [.string(line)])
  }

  @Test("A sandbox without a program for the network says so")
  func none() throws {
    let host = try sandboxHost()
    #expect(try host.error("sandbox.network")["code"] == 9003)
  }
}
