import Database
import HTTP
import JSON
import SourceProtocol
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct CheckInTests {
  @Test("A check-in delivers the policies that apply to the account, exactly as they are in the folder")
  func delivered() async throws {
    let fixture = try await Fixture()
    let answer = await fixture.host.checkIn()
    #expect(answer.status == 200)
    #expect(answer.outcome == "delivered")
    #expect(answer.ids("policies") == ["T_ios"])
    #expect(answer.ids("hiddenDefaults") == ["G_default"])
    #expect(answer.ids("configurations") == [])
    let policy = answer.body["policies"]?.arrayValue?.first
    #expect(policy?["unknownMember"] == ["kept": 1])
    #expect(policy?["@odata.type"] == "#microsoft.graph.iosManagedAppProtection")
    #expect(answer.body["allowedAccounts"] == ["alice@contoso.example"])
    #expect(answer.body["mdm"] == .null)
    #expect(answer.body["certificatePins"] == [:])
    #expect(answer.body["user"]?["id"]?.stringValue == Fixture.alice)
    #expect(answer.body["user"]?["tenantId"]?.stringValue == Fixture.tenantId)
    #expect(answer.operations == [])
    #expect(answer.headers["Cache-Control"] == "no-store")
    let stored = try #require(try await fixture.registrations().first)
    #expect(stored.userId == Fixture.alice)
    #expect(stored.deviceTag == "tag-1")
    #expect(stored.etag == answer.etag)
    #expect(stored.facts.deviceName == "Phone")
    #expect(stored.facts.appVersion == "1.0")
    #expect(stored.facts.edition == fixture.service.parts.served.edition?.generation)
    #expect(stored.applied == [PolicyVersion(id: "T_ios", version: "1")])
  }

  @Test(
    "The option, or else tenant.json, decides whether a check-in blocks unknown restrictions",
    arguments: [
      (nil, nil, false), (nil, "block", true), (nil, "report", false), (true, nil, true), (true, "report", true),
      (false, "block", false),
    ] as [(Bool?, String?, Bool)])
  func unknownRestrictions(option: Bool?, word: String?, blocks: Bool) async throws {
    var options = ServiceOptions()
    options.blocksUnknownRestrictions = option
    let fixture = try await Fixture(options: options)
    let plain = await fixture.host.checkIn()
    #expect(plain.body["unknownRestrictions"] == (option == true ? "block" : "report"))
    var tenant = try #require(Fixture.tenant().objectValue)
    tenant["unknownRestrictions"] = word.map(JSONValue.string)
    await fixture.write(.object(tenant))
    let answer = await fixture.host.checkIn()
    #expect(answer.body["unknownRestrictions"] == (blocks ? "block" : "report"))
    #expect((answer.etag != plain.etag) == (blocks != (option == true)))
  }

  @Test("A check-in gives another app the default policy, and another platform no policy")
  func targeting() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    host.app = "com.example.notes"
    let other = await host.checkIn()
    #expect(other.ids("policies") == ["G_default"])
    #expect(other.ids("hiddenDefaults") == [])
    host.platform = "windows"
    let windows = await host.checkIn()
    #expect(windows.ids("policies") == [])
    #expect(windows.etag != other.etag)
  }

  @Test("A check-in with the current ETag answers notModified until something changes")
  func etag() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    let first = await host.checkIn()
    host.etag = first.etag
    let second = await host.checkIn()
    #expect(second.outcome == "notModified")
    #expect(second.etag == first.etag)
    #expect(second.revision == first.revision)
    #expect(second.body["policies"] == nil)
    #expect(second.body["user"] == first.body["user"])
    await fixture.write(Fixture.tenant(alice: ["displayName": "Alice Adams"]))
    let third = await host.checkIn()
    #expect(third.outcome == "delivered")
    #expect(third.etag != first.etag)
    #expect((third.revision ?? 0) > (first.revision ?? 0))
  }

  @Test("A check-in asks for the next one after a random 1,500 to 2,100 seconds")
  func spread() async throws {
    let fixture = try await Fixture()
    var seen: Set<Int64> = []
    for _ in 0..<20 {
      let seconds = await fixture.host.checkIn().body["nextCheckIn"]?.integerValue ?? 0
      #expect((1500...2100).contains(seconds))
      seen.insert(seconds)
    }
    #expect(seen.count > 1)
  }

  @Test(
    "A check-in of a disabled, unlicensed or unknown user says so and creates no registration",
    arguments: [(Fixture.dave, "userDisabled"), (Fixture.carol, "notLicensed"), (Fixture.admin, "userUnknown")])
  func standing(user: String, outcome: String) async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    (host.user, host.token) = (user, "user:" + user)
    let answer = await host.checkIn()
    #expect(answer.status == 200)
    #expect(answer.outcome == outcome)
    #expect(answer.body["policies"] == nil)
    #expect(answer.etag == nil)
    #expect((answer.body["user"] == nil) == (outcome == "userUnknown"))
    #expect(try await fixture.registrations().isEmpty)
  }

  @Test("A check-in answers userDeleted for a user marked as deleted and userUnknown for a missing one")
  func deleted() async throws {
    let fixture = try await Fixture(limit: RemovalLimit(percent: 100))
    #expect(await fixture.host.checkIn().outcome == "delivered")
    await fixture.write(Fixture.tenant(alice: ["deleted": true]))
    let answer = await fixture.host.checkIn()
    #expect(answer.outcome == "userDeleted")
    #expect(answer.body["user"]?["id"]?.stringValue == Fixture.alice)
    await fixture.write(
      Fixture.tenant(alice: ["userPrincipalName": "else@contoso.example", "id": .string(Fixture.admin)]))
    #expect(await fixture.host.checkIn().outcome == "userUnknown")
  }

  /// The change of a good check-in, and what becomes of it.
  private static let refusals: [(String, @Sendable (inout Host) -> Void, Int, String)] = [
    ("no token", { $0.token = nil }, 401, "unauthorized"), ("a bad token", { $0.token = "bad" }, 401, "unauthorized"),
    ("somebody else's account", { $0.user = Fixture.bob }, 403, "forbidden"),
    ("somebody else's name", { ($0.user, $0.identity) = (nil, "bob@contoso.example") }, 403, "forbidden"),
    ("an unknown user's token", { $0.token = "user:" + Fixture.admin }, 403, "forbidden"),
    (
      "a name beside an unknown user's token",
      { ($0.user, $0.identity, $0.token) = (nil, "alice@contoso.example", "user:" + Fixture.admin) }, 403, "forbidden"
    ),
    ("another tenant's token", { $0.token = "other-tenant" }, 403, "forbidden"),
    ("a token without a tenant", { $0.token = "no-tenant" }, 403, "forbidden"),
    ("a token without a user", { $0.token = "nobody" }, 403, "forbidden"),
    ("keys that are away", { $0.token = "keys-away" }, 503, "unavailable"),
    ("a bad version", { $0.id = "x" }, 400, "badRequest"),
    ("a short secret", { $0.secret = "AAAA" }, 400, "badRequest"),
    ("no app", { $0.app = "" }, 400, "badRequest"), ("a NUL", { $0.tag = "a\0b" }, 400, "badRequest"),
    ("another platform", { $0.platform = "linux" }, 400, "badRequest"),
    ("a long tag", { $0.tag = String(repeating: "x", count: 201) }, 400, "badRequest"),
  ]

  @Test("A check-in that is malformed or not authorized is refused and stores nothing", arguments: refusals.indices)
  func refusal(index: Int) async throws {
    let (name, change, status, code) = Self.refusals[index]
    let fixture = try await Fixture()
    func caller(_ tenant: String?, _ user: String?) -> Caller {
      Caller(tenantId: tenant, objectId: user, roles: [], scopes: [], claims: [:])
    }
    fixture.tokens.set("other-tenant", .success(caller(Fixture.admin, Fixture.alice)))
    fixture.tokens.set("no-tenant", .success(caller(nil, Fixture.alice)))
    fixture.tokens.set("nobody", .success(caller(Fixture.tenantId, nil)))
    fixture.tokens.set("keys-away", .failure(.unavailable(retryAfter: .seconds(7))))
    var host = fixture.host
    change(&host)
    let answer = await host.checkIn()
    #expect(answer.status == status, "\(name): \(answer.body)")
    #expect(answer.code == code, "\(name): \(answer.body)")
    #expect(answer.headers.all("WWW-Authenticate") == (status == 401 ? ["Bearer"] : []))
    #expect(answer.headers["Retry-After"] == (status == 503 ? "7" : nil))
    #expect(try await fixture.registrations().isEmpty)
  }

  @Test("A check-in for a known registration needs its secret and its user's token")
  func registrationOfOthers() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    var other = host
    other.secret = Base64Bytes([UInt8](repeating: 2, count: 32)).text
    #expect(await other.checkIn().status == 403)
    other.token = nil
    #expect(await other.checkIn().status == 401)
    var bob = host
    (bob.user, bob.token) = (Fixture.bob, "user:" + Fixture.bob)
    #expect(await bob.checkIn().status == 403)
    #expect(try await fixture.registrations().map(\.userId) == [Fixture.alice])
  }

  @Test("A check-in recognizes a user by principal name or mail, in any case")
  func names() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    for name in ["ALICE@contoso.example", "Alice.Adams@contoso.example"] {
      (host.user, host.identity) = (nil, name)
      #expect(await host.checkIn().outcome == "delivered")
    }
  }

  @Test(
    "A user name in a token counts only in the claims upn and preferred_username",
    arguments: [("upn", 200), ("preferred_username", 200), ("email", 403), ("unique_name", 403)])
  func vouchedNames(claim: String, status: Int) async throws {
    let fixture = try await Fixture()
    let claims = JSONObject([(claim, .string("alias@contoso.example"))])
    let caller = Caller(
      tenantId: Fixture.tenantId, objectId: Fixture.alice, roles: [], scopes: [], claims: claims)
    fixture.tokens.set("alias", .success(caller))
    var host = fixture.host
    (host.token, host.user, host.identity) = ("alias", nil, "alias@contoso.example")
    #expect(await host.checkIn().status == status)
  }

  @Test("A user is matched by another claim only if userClaim names the claim")
  func userClaim() async throws {
    let claims: JSONObject = ["email": "alice@contoso.example"]
    let caller = Caller(tenantId: nil, objectId: nil, roles: [], scopes: [], claims: claims)
    var options = ServiceOptions()
    for (claim, status) in [(nil, 403), ("email", 200), ("upn", 403)] as [(String?, Int)] {
      options.userClaim = claim
      let fixture = try await Fixture(options: options)
      fixture.tokens.set("by-claim", .success(caller))
      var host = fixture.host
      host.token = "by-claim"
      #expect(await host.checkIn().status == status)
    }
  }

  @Test("A new enrollment of the same app on the same device ends the earlier registration")
  func enrollAgain() async throws {
    let fixture = try await Fixture()
    let first = fixture.host
    var second = first
    (second.id, second.secret) = (
      "aaaaaaaa-0000-4000-8000-000000000002", Base64Bytes([UInt8](repeating: 2, count: 32)).text
    )
    var otherDevice = second
    (otherDevice.id, otherDevice.tag) = ("aaaaaaaa-0000-4000-8000-000000000003", "tag-2")
    for host in [first, second, otherDevice] { #expect(await host.checkIn().status == 200) }
    #expect(try await fixture.registrations().map(\.id) == [second.id, otherDevice.id])
    #expect(try await fixture.store.registration(first.id)?.ended == fixture.clock.now)
  }

  @Test("A registration without a check-in for 90 days ends, and the next check-in renews it")
  func unseen() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    await fixture.run(days: 89)
    #expect(try await fixture.registrations().count == 1)
    await fixture.run(days: 2)
    #expect(try await fixture.registrations().isEmpty)
    #expect(await fixture.host.checkIn().outcome == "delivered")
    #expect(try await fixture.registrations().count == 1)
  }

  @Test("A user who checks in too often gets 429, and other users do not")
  func tooOften() async throws {
    var options = ServiceOptions()
    (options.requestBurst, options.requestsPerSecond) = (2, 0.5)
    let fixture = try await Fixture(options: options)
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(await host.checkIn().status == 200)
    let refused = await host.checkIn()
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "2")
    var bob = host
    (bob.id, bob.user, bob.token) = ("bbbbbbbb-0000-4000-8000-000000000001", Fixture.bob, "user:" + Fixture.bob)
    #expect(await bob.checkIn().status == 200)
    fixture.clock.advance(byMilliseconds: 2000)
    #expect(await host.checkIn().status == 200)
  }

  @Test("A user has a limited number of registrations and a limited rate of enrollments")
  func manyRegistrations() async throws {
    var options = ServiceOptions()
    (options.registrationsOfUser, options.enrollmentBurst, options.enrollmentsPerSecond) = (2, 4, 0.5)
    let fixture = try await Fixture(options: options)
    var host = fixture.host
    func enroll(_ number: Int, app: String) async -> Answer {
      (host.id, host.app) = ("aaaaaaaa-0000-4000-8000-00000000000\(number)", app)
      return await host.checkIn()
    }
    #expect(await enroll(1, app: "one").status == 200)
    #expect(await enroll(2, app: "two").status == 200)
    let refused = await enroll(3, app: "three")
    #expect(refused.status == 403)
    #expect(refused.body["error"]?["message"]?.stringValue?.contains("has 2 registrations") == true)
    #expect(await enroll(4, app: "two").status == 200)
    let tooOften = await enroll(5, app: "two")
    #expect(tooOften.status == 429)
    #expect(tooOften.headers["Retry-After"] == "2")
    #expect(await enroll(4, app: "two").status == 200)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.filter { $0.action == .enroll }.count == 3)
    #expect(audit.filter { $0.action == .replace }.count == 1)
  }

  @Test("Requests with a registration's secret do not use up the limit of a user with the same id")
  func bucketNames() async throws {
    var options = ServiceOptions()
    (options.requestBurst, options.requestsPerSecond) = (2, 0.01)
    let fixture = try await Fixture(options: options)
    var bob = fixture.host
    (bob.id, bob.user, bob.token) = (Fixture.alice, Fixture.bob, "user:" + Fixture.bob)
    #expect(await bob.checkIn().status == 200)
    bob.token = nil
    for status in [401, 401, 429] { #expect(await bob.checkIn().status == status) }
    #expect(await fixture.host.checkIn().status == 200)
  }

  @Test("A check-in keeps stored facts that this version does not know")
  func laterFacts() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    let known = try #require(try await fixture.store.registration(fixture.host.id))
    let (facts, now) = (known.facts.updated(by: ["later": 1]), fixture.clock.now)
    try await fixture.database.write { session throws(DatabaseError) in
      try session.noteCheckIn(of: known.id, facts: facts, applied: [], etag: nil, at: now)
    }
    #expect(await fixture.host.checkIn().status == 200)
    #expect(try await fixture.store.registration(fixture.host.id)?.facts.members["later"] == 1)
  }

  @Test("A check-in ignores unknown members but refuses another version")
  func laterMembers() async throws {
    let fixture = try await Fixture()
    var body = fixture.host.body
    body["later"] = ["a": 1]
    let headers = HTTPHeaders(["Authorization": "Bearer user:" + Fixture.alice])
    #expect(await fixture.post("/mam/v1/check-in", .object(body), headers).status == 200)
    body["version"] = 2
    let answer = await fixture.post("/mam/v1/check-in", .object(body), headers)
    #expect(answer.status == 400)
    #expect(answer.body["error"]?["message"]?.stringValue?.contains("/version must be 1") == true)
  }
}
