import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// Every way in which a token can be refused, at every point where one is asked for: 203 is reported, the account stays
/// as it is, and nothing is wiped, even if the policy wipes the data of users who cannot sign in.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct TokenRefusalTests {
  enum Provider: Sendable {
    case host(TokenDelegate, @Sendable (TokenRequest) -> TokenAnswer)
    /// The text of a shell script.
    case command(String)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let provider: Provider
    /// What the status says.
    let text: String

    init(_ name: String, _ provider: Provider, says text: String) {
      testDescription = name
      self.provider = provider
      self.text = text
    }

    static func host(_ name: String, says text: String, _ answer: @escaping @Sendable () -> TokenAnswer) -> Refusal {
      Refusal(name, .host(.getAccessToken) { _ in answer() }, says: text)
    }

    static func command(_ name: String, _ script: String, says text: String) -> Refusal {
      Refusal(name, .command(script), says: text)
    }
  }

  static let refusals: [Refusal] = [
    .host("host says no", says: "license expired") { .refused("the host says: license expired") },
    .host("user cancels", says: "canceled") { .refused("the user canceled the sign-in") },
    .host("host times out", says: "in time") { .refused("the host did not answer in time") },
    .host("another account", says: "another account") { .token("t", of: TenantFolder.account("frank")) },
    .host("another id, same name", says: "another account") {
      .token("t", of: Account(accountId: TenantFolder.id("frank"), identity: TenantFolder.upn("alice")))
    },
    .host("no account", says: "whose token") { .token("t", of: Account(accountId: nil, identity: nil)) },
    .host("another tenant", says: "another tenant") {
      .token("t", of: TenantFolder.account("alice"), tenantId: TenantFolder.id("frank"))
    },
    .host("empty token", says: "empty token") { .token("", of: TenantFolder.account("alice")) },
    .host("expired token", says: "expired") {
      .token("t", of: TenantFolder.account("alice"), expires: CoreFixture.start)
    },
    Refusal(
      "sign-in library refuses", .host(.acquireToken) { _ in .refused("the host answered with error 7001") },
      says: "7001"),
    .command("command fails", "echo hunter2; exit 3", says: "ended with status 3"),
    .command("command is killed", "kill -9 $$", says: "ended by signal 9"),
    .command("command hangs", "exec tail -f /dev/null", says: "did not end within 1 s"),
    .command("command hangs with its output closed", "exec >&-; exec sleep 60", says: "did not end within"),
    .command("command prints nothing", "true", says: "printed nothing"),
    .command("command prints rubbish", "echo 'error: hunter2 is wrong'", says: "something other than a token"),
    .command("command prints control characters", "printf 'a\\033b'", says: "something other than a token"),
    .command("command prints broken JSON", "echo '{\"accessToken\": \"hunter2'", says: "invalid JSON"),
    .command("command prints JSON without a token", "echo '{\"token\": \"hunter2\"}'", says: "has no accessToken"),
    .command("command prints a number as token", "echo '{\"accessToken\": 5}'", says: "is invalid"),
    .command("command prints a wrong time", "echo '{\"accessToken\": \"t\", \"expires\": \"soon\"}'", says: "/expires"),
    .command("command prints an empty token", "echo '{\"accessToken\": \"\"}'", says: "empty token"),
    .command(
      "command prints an expired token", "echo '{\"accessToken\": \"t\", \"expires\": \"2020-01-01T00:00:00Z\"}'",
      says: "expired"),
    .command("command prints too much", "head -c 100000 /dev/zero | tr '\\0' a", says: "wrote more than"),
  ]

  private let fixture = CoreFixture()

  private func makeCore(_ refusal: Refusal) throws -> (core: Core, host: TokenHost) {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    fixture.tenant.writePolicy(#""pinRequired": true, "appActionIfUnableToAuthenticateUser": "wipe""#)
    var configuration = try fixture.core().configuration
    configuration.tokenCommandPatience = .seconds(1)
    var host = TokenHost(nil) { _ in .refused("nobody") }
    switch refusal.provider {
    case .host(let delegate, let answer): host = TokenHost(delegate) { answer($0) }
    case .command(let script):
      let path = fixture.folder.write(script, to: "token")
      configuration.tokenCommand = ["/bin/sh", path]
    }
    let core = Core(configuration)
    core.host = host
    return (core, host)
  }

  /// The status is 203 with the reason. Nothing that the provider said in secret is in the status or in the log.
  private func expectRefused(_ status: EnrollmentStatus, _ refusal: Refusal, in core: Core) throws {
    #expect(status.statusCode == .authRequired)
    #expect(status.errorString?.contains(refusal.text) == true, "\(status.errorString ?? "")")
    let lines = try core.refresh().log.query(LogQuery(limit: 1000)).map(\.message)
    #expect(lines.contains { $0.hasPrefix("no token for") && $0.contains(refusal.text) })
    #expect(!(lines + [status.errorString ?? ""]).contains { $0.contains("hunter2") })
  }

  private func expectNothingWiped(_ host: TokenHost) throws {
    #expect(try !fixture.events().contains { $0.type == "wipeDidComplete" })
    #expect(host.wipes == 0)
  }

  @Test("A refused token leaves a new account registered without a policy, to be tried again", arguments: refusals)
  func register(_ refusal: Refusal) async throws {
    let (core, host) = try makeCore(refusal)
    let status = try await core.enrollment.enrollAndFollowUp(.user("alice"))
    try expectRefused(status, refusal, in: core)
    let account = try #require(try core.account("alice"))
    #expect(!account.isEnrolled)
    #expect(!account.isManaged)
    #expect(!account.isSignInRefused)
    #expect(account.contactedAt == nil)
    #expect(account.plan.checkInDue(on: core.state.deviceRecord) > core.now)
    #expect(try fixture.events().map(\.summary) == ["enrollmentRequestWithStatus 203"])
    try expectNothingWiped(host)
  }

  @Test("A refused token at a check-in keeps the policy and the time of the last answer", arguments: refusals)
  func checkIn(_ refusal: Refusal) async throws {
    let (core, host) = try makeCore(refusal)
    #expect(try core.enroll("alice") == 100)
    let contactedAt = try core.account("alice")?.contactedAt
    fixture.clock.advance(byMilliseconds: 60_000)
    let status = try #require(try await core.enrollment.checkInAndFollowUp(nil).first)
    try expectRefused(status, refusal, in: core)
    let account = try #require(try core.account("alice"))
    #expect(account.isManaged)
    #expect(!account.isWiping)
    #expect(!account.isSignInRefused)
    #expect(account.contactedAt == contactedAt)
    #expect(contactedAt != nil)
    #expect(try core.launchChecks.findings(of: account).allSatisfy { $0.outcome != .wipe })
    #expect(try fixture.events().last?.summary == "policyRequestWithStatus 203")
    try expectNothingWiped(host)
  }

  @Test("Unenrolling succeeds even if the token is refused", arguments: refusals)
  func unenroll(_ refusal: Refusal) async throws {
    let (core, host) = try makeCore(refusal)
    #expect(try core.enroll("alice") == 100)
    let status = try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: false)
    #expect(status.statusCode == .unenrollmentSuccess)
    #expect(status.errorString == nil)
    #expect(try core.account("alice") == nil)
    try expectNothingWiped(host)
  }

  @Test("A check-in of several accounts refuses only the account whose token is refused")
  func oneOfSeveral() async throws {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    let core = try fixture.core("MultiManagedIdentities=true")
    core.host = TokenHost(.getAccessToken) { request in
      request.account.identity == TenantFolder.upn("alice")
        ? .token("t", of: request.account) : .refused("the host says: no")
    }
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 100)
    let codes = try await core.enrollment.checkInAndFollowUp(nil).map(\.statusCode.sdkValue)
    #expect(codes == [101, 203])
  }

  @Test("A background check-in asks for tokens of due accounts only, and reports a refusal")
  func background() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let host = TokenHost(.getAccessToken) { _ in .refused("the host says: no") }
    core.host = host
    fixture.clock.advance(byMilliseconds: 29 * 60_000)
    try await core.scheduler.runDueAndFollowUp()
    #expect(host.requests.isEmpty)
    fixture.clock.advance(byMilliseconds: 60_000)
    try await core.scheduler.runDueAndFollowUp()
    #expect(host.requests.count == 1)
    #expect(try core.requiresPIN("alice"))
    #expect(try fixture.events().last?.summary == "policyRequestWithStatus 203")
  }

  @Test(
    "A refused token does not prevent an administrator's wipe or the wipe of a disabled user",
    arguments: [("erin", false), ("alice", true)])
  func sourceFirst(_ name: String, _ isOrdered: Bool) async throws {
    let order = #""operations": [{"type": "wipe", "app": "*", "user": "\#(TenantFolder.upn("alice"))"}],"#
    fixture.tenant.writeTenant(
      users: TenantFolder.users.map { user in
        var user = user
        user.isEnabled = true
        return user
      }, more: TenantFolder.authentication)
    fixture.tenant.writePolicy(#""appActionIfUnableToAuthenticateUser": "wipe""#)
    let core = try fixture.core()
    #expect(try core.enroll(name) == 100)
    core.host = TokenHost(.getAccessToken) { _ in .refused("the host says: no") }
    fixture.tenant.writeTenant(more: TenantFolder.authentication + (isOrdered ? order : ""))
    _ = try await core.enrollment.checkInAndFollowUp(nil)
    #expect(try core.account(name) == nil)
    #expect(try fixture.events().contains { $0.type == "wipeDidComplete" })
  }
}
