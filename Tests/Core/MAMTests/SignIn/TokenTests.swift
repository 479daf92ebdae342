import Cryptography
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

/// Who is asked for a token, for what, and what a token allows.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct TokenTests {
  private let fixture = CoreFixture()

  private func command(_ script: String) -> [String] { ["/bin/sh", fixture.folder.write(script, to: "token")] }

  struct Order: Sendable {
    let delegate: TokenDelegate?
    let hasCommand, hasAuthentication: Bool
    /// `host`, `command` or nobody.
    let asked: String?
  }

  @Test(
    "A host with getAccessToken is always asked for a token; others only if the source needs tokens",
    arguments: [
      Order(delegate: .getAccessToken, hasCommand: true, hasAuthentication: true, asked: "host"),
      Order(delegate: .getAccessToken, hasCommand: false, hasAuthentication: false, asked: "host"),
      Order(delegate: .acquireToken, hasCommand: true, hasAuthentication: true, asked: "host"),
      Order(delegate: .acquireToken, hasCommand: true, hasAuthentication: false, asked: nil),
      Order(delegate: nil, hasCommand: true, hasAuthentication: true, asked: "command"),
      Order(delegate: nil, hasCommand: true, hasAuthentication: false, asked: nil),
      Order(delegate: nil, hasCommand: false, hasAuthentication: true, asked: nil),
    ])
  func order(_ order: Order) async throws {
    if order.hasAuthentication { fixture.tenant.writeTenant(more: TenantFolder.authentication) }
    var configuration = try fixture.core().configuration
    let mark = fixture.folder.file("asked")
    if order.hasCommand { configuration.tokenCommand = command("echo yes >'\(mark)'; echo token") }
    let core = Core(configuration)
    let host = TokenHost(order.delegate) { .token("t", of: $0.account) }
    core.host = host
    #expect(try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode == .newPoliciesReceived)
    #expect(host.requests.count == (order.asked == "host" ? 1 : 0))
    #expect(((try? FileContents.read(mark)) != nil) == (order.asked == "command"))
  }

  @Test("A token request has the source's resource, scopes and client ID; the app's authority comes first")
  func request() async throws {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    let core = try fixture.core("ADALClientId=app", "aadAuthorityUriOverride=https://override.example/")
    let host = TokenHost(.getAccessToken) { .token("t", of: $0.account) }
    core.host = host
    _ = try await core.enrollment.enrollAndFollowUp(.user("alice"))
    let request = try #require(host.requests.first)
    #expect(request.account == TenantFolder.account("alice"))
    #expect(request.resource == "https://mam.contoso.example")
    #expect(request.scopes.count == 2)
    #expect(request.authorities.prefix(2) == ["https://override.example/", "https://login.contoso.example/"])
    #expect(request.clientId == "client-1")
  }

  @Test("Without authentication in tenant.json, a token is requested for the MAM service")
  func usualRequest() async throws {
    let core = try fixture.core()
    let host = TokenHost(.getAccessToken) { .token("t", of: $0.account) }
    core.host = host
    _ = try await core.enrollment.enrollAndFollowUp(.user("alice"))
    #expect(host.requests.map(\.resource) == ["https://msmamservice.api.application"])
    #expect(host.requests.map(\.scopes) == [["https://msmamservice.api.application/.default"]])
  }

  @Test("The token command gets account, authority, resource and scopes in environment variables")
  func environment() async throws {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    let file = fixture.folder.file("environment")
    let script = "env >\"$1\"; echo '{\"accessToken\": \"t\", \"expires\": \"2100-01-01T00:00:00Z\"}'"
    var configuration = try fixture.core().configuration
    configuration.tokenCommand = command(script) + [file]
    let core = Core(configuration)
    #expect(try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode == .newPoliciesReceived)
    let lines = Set(
      String(decoding: try FileContents.read(file), as: UTF8.self).split(separator: "\n").map(String.init))
    let expected = [
      "MAMBRIDGE_ACCOUNT=\(TenantFolder.upn("alice"))", "MAMBRIDGE_ACCOUNT_ID=\(TenantFolder.id("alice"))",
      "MAMBRIDGE_AUTHORITY=https://login.contoso.example/", "MAMBRIDGE_RESOURCE=https://mam.contoso.example",
      "MAMBRIDGE_SCOPES=https://mam.contoso.example/.default openid", "MAMBRIDGE_CLIENT_ID=client-1",
    ]
    #expect(lines.isSuperset(of: expected), "\(lines)")
  }

  @Test(
    "The token command can print a bare token or a JSON object, with white space around it",
    arguments: ["token", " token\r\n\n", "{\"accessToken\": \"token\"}", "\n{\"accessToken\":\"token\",\"more\":1}\n"])
  func output(_ text: String) throws {
    let secret = try text.utf8.withContiguousStorageIfAvailable {
      try SecretBytes(copying: UnsafeRawBufferPointer($0))
    }
    guard case .token(let token) = TokenCommand.read(try #require(secret)) else {
      Issue.record("no token")
      return
    }
    #expect(token.token == HostSecret("token"))
  }

  @Test("No token is requested for an enrolled account, for no user, or without a network")
  func nobody() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let host = TokenHost(.getAccessToken) { .token("t", of: $0.account) }
    core.host = host
    #expect(try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode == .alreadyEnrolled)
    #expect(try await core.enrollment.enrollAndFollowUp(.noUser).statusCode == .nilAccount)
    _ = try core.changeDevice { $0.networkAvailable = false }
    #expect(try await core.enrollment.checkInAndFollowUp(nil).map(\.statusCode.sdkValue) == [212])
    #expect(host.requests.isEmpty)
  }

  @Test("No token is requested for an account that the source does not list or has disabled")
  func decided() async throws {
    let core = try fixture.core()
    for name in ["alice", "bob"] { _ = try core.enroll(name) }
    let host = TokenHost(.getAccessToken) { _ in .refused("no") }
    core.host = host
    fixture.tenant.writeTenant(users: [TenantFolder.User(name: "bob", isEnabled: false)])
    _ = try await core.enrollment.checkInAndFollowUp(nil)
    #expect(host.requests.isEmpty)
  }

  @Test("Unenrolling requests a token but does not wait for it")
  func farewell() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
    let host = TokenHost(.getAccessToken) { request in
      for await _ in answers {}
      return .token("t", of: request.account)
    }
    core.host = host
    #expect(
      try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: false).statusCode
        == .unenrollmentSuccess)
    while host.requests.isEmpty { await Task.yield() }
    #expect(host.requests.first?.account == TenantFolder.account("alice"))
    continuation.finish()
  }

  @Test("A token that the host supplies later completes the enrollment, if account and resource match")
  func supplied() async throws {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    let core = try fixture.core()
    let host = TokenHost(.getAccessToken) { _ in .refused("the host says: later") }
    core.host = host
    #expect(try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode == .authRequired)
    let token = try #require(HostSecret("t"))
    func supply(_ name: String, _ resource: String) async throws -> Int {
      try await core.enrollment.attempt(.user(name), withToken: token, for: resource).statusCode.sdkValue
    }
    #expect(try await supply("frank", "https://mam.contoso.example") == 213)
    #expect(try await supply("alice", "https://graph.microsoft.com") == 203)
    #expect(try await supply("alice", "https://mam.contoso.example/") == 100)
    #expect(host.requests.count == 1)
  }

  @Test("A login uses the token of its sign-in for the enrollment if the host has no getAccessToken")
  func login() async throws {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    let core = try fixture.core()
    core.host = SignInHost(["silent": .token("t")])
    #expect(try await core.login.loginAndEnroll(.user("alice"), in: nil).statusCode == .newPoliciesReceived)
  }

  @Test(
    "An incomplete authentication in tenant.json causes status 206, which names the missing member",
    arguments: ["authority", "resource", "scopes"])
  func incomplete(_ member: String) throws {
    let members = ["authority": "\"a\"", "resource": "\"r\"", "scopes": "[\"s\"]"].filter { $0.key != member }
    let text = members.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
    fixture.tenant.writeTenant(more: "\"authentication\": {\(text)},")
    let status = try fixture.core().checkIns.registerAndEnroll(.user("alice"))
    #expect(status.statusCode == .parsingFailure)
    #expect(status.errorString?.contains("authentication/\(member)") == true)
  }
}
