import Database
import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(1))) struct WipeTests {
  @Test("a wipe is delivered until it is reported, and counts once")
  func wipe() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    let before = await host.checkIn()
    #expect(try await fixture.orderWipe() == 1)
    let first = await host.checkIn()
    let id = try #require(first.operations.first)
    #expect(first.body["operations"]?.arrayValue?.first?["type"] == "wipe")
    #expect((first.revision ?? 0) > (before.revision ?? 0))
    #expect(await host.checkIn().operations == [id])
    for _ in 0..<2 { #expect(await host.report(id).status == 200) }
    #expect(try await fixture.states(host.id) == [.completed])
    #expect(await host.checkIn().operations == [])
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.filter { $0.action == .complete }.count == 1)
    #expect(audit.contains { $0.action == .order && $0.actor == Fixture.admin && $0.outcome == "1 registrations" })
  }

  @Test("not modified does not hide a wipe")
  func notModified() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    host.etag = await host.checkIn().etag
    #expect(try await fixture.orderWipe() == 1)
    let answer = await host.checkIn()
    #expect(answer.outcome == "notModified" && answer.operations.count == 1)
  }

  @Test("the secret alone permits the wipe, and nothing else", arguments: [nil, "bad", "keys-away"])
  func secretAlone(token: String?) async throws {
    let fixture = try await Fixture()
    fixture.tokens.set("keys-away", .failure(.unavailable(retryAfter: .seconds(7))))
    var host = fixture.host
    #expect(await host.checkIn().status == 200)
    host.token = token
    #expect(await host.checkIn().status == (token == "keys-away" ? 503 : 401))
    #expect(try await fixture.orderWipe() == 1)
    let answer = await host.checkIn()
    #expect(answer.status == 200 && answer.outcome == "notModified" && answer.operations.count == 1)
    #expect(answer.body["policies"] == nil && answer.etag == nil)
    #expect(answer.body["user"]?["id"]?.stringValue == Fixture.alice)
    #expect(await host.report(answer.operations[0]).status == 200)
    #expect(await host.checkIn().status == (token == "keys-away" ? 503 : 401))
  }

  @Test("an operation for a name that the tenant does not list is logged and counted until it is repaired")
  func unknownUser() async throws {
    let requested: JSONValue = "2026-01-01T00:00:00Z"
    func operation(_ user: String) -> JSONValue {
      ["type": "wipe", "user": .string(user), "app": "*", "requestedDateTime": requested]
    }
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    let gone = "99d349ed-44d7-43e1-9a83-5f2406dee5bd"
    await fixture.write(Fixture.tenant(operations: [operation(gone), operation("eve@contoso.example")]))
    let line = fixture.lines.withLock { $0.last { $0.hasPrefix("serving version") } }
    #expect(line?.contains("Nothing new is ordered by operations/1 of tenant.json") == true)
    #expect(line?.contains("eve") == false)
    #expect(fixture.service.metricsText.contains("mambridge_ignored_operations 1\n"))
    #expect(await fixture.host.checkIn().operations == [])
    await fixture.write(Fixture.tenant(operations: [operation("alice@contoso.example")]))
    #expect(fixture.service.metricsText.contains("mambridge_ignored_operations 0\n"))
    #expect(await fixture.host.checkIn().operations.count == 1)
  }

  @Test("a user who is disabled or gone is still wiped", arguments: ["disabled", "gone"])
  func leaver(how: String) async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    let more: JSONObject = how == "gone" ? ["id": .string(Fixture.admin)] : ["accountEnabled": false]
    await fixture.write(Fixture.tenant(alice: more))
    let answer = await host.checkIn()
    #expect(answer.outcome == (how == "gone" ? "notModified" : "userDisabled"))
    #expect(answer.operations.count == 1)
    #expect(answer.body["user"]?["userPrincipalName"] == "alice@contoso.example")
    #expect(await host.report(answer.operations[0]).status == 200)
    #expect(await host.checkIn().outcome == (how == "gone" ? "userUnknown" : "userDisabled"))
  }

  @Test("a wipe is for all apps of the user on the device, and for nobody else")
  func targets() async throws {
    let fixture = try await Fixture()
    var hosts: [Host] = []
    for (index, change) in ["", "app", "tag", "user"].enumerated() {
      var host = fixture.host
      host.id = "aaaaaaaa-0000-4000-8000-00000000000\(index)"
      if change == "app" { host.app = "com.example.notes" }
      if change == "tag" { host.tag = "tag-2" }
      if change == "user" { (host.user, host.token) = (Fixture.bob, "user:" + Fixture.bob) }
      #expect(await host.checkIn().status == 200)
      hosts.append(host)
    }
    #expect(try await fixture.orderWipe() == 2)
    var counts: [Int] = []
    for host in hosts { counts.append(await host.checkIn().operations.count) }
    #expect(counts == [1, 1, 0, 0])
    #expect(try await fixture.orderWipe(tag: "tag-3") == 0)
    #expect(try await fixture.orderWipe(of: Fixture.carol) == 0)
  }

  @Test("another enrollment is not wiped by an older order, and the older one may still report")
  func enrollAgain() async throws {
    let fixture = try await Fixture()
    let old = fixture.host
    #expect(await old.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    let id = try #require(await old.checkIn().operations.first)
    var new = old
    new.id = "aaaaaaaa-0000-4000-8000-000000000002"
    #expect(await new.checkIn().operations == [])
    #expect(await old.report(id).status == 200)
    #expect(try await fixture.states(old.id) == [.completed])
    #expect(await new.report(id).status == 404)
  }

  @Test("a failure stays pending with its reason")
  func failure() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    let id = try #require(await host.checkIn().operations.first)
    #expect(await host.report(id, "failed").status == 200)
    let operation = try await fixture.store.operations(of: host.id).first
    #expect(operation?.state == .pending && operation?.outcome == "disk full")
    #expect(await host.checkIn().operations == [id])
    #expect(await host.report(id).status == 200)
    #expect(await host.report(id, "failed").status == 200)
    #expect(try await fixture.states(host.id) == [.completed])
  }

  @Test("leaving ends a registration, may be repeated, and a late report still counts")
  func leave() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    let id = try #require(await host.checkIn().operations.first)
    for _ in 0..<2 { #expect(await host.leave().status == 204) }
    #expect(try await fixture.registrations().isEmpty)
    #expect(await host.report(id).status == 200)
    #expect(try await fixture.states(host.id) == [.completed])
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry.action)
    #expect(audit.filter { $0 == .leave }.count == 1)
  }

  @Test("an operation of a registration that has left is canceled in the end")
  func abandoned() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    #expect(await fixture.host.leave().status == 204)
    fixture.clock.advance(byMilliseconds: 31 * CivilDate.millisecondsPerDay)
    await fixture.service.maintain()
    #expect(try await fixture.states(fixture.host.id) == [.canceled])
    fixture.clock.advance(byMilliseconds: 401 * CivilDate.millisecondsPerDay)
    await fixture.service.maintain()
    #expect(try await fixture.store.registration(fixture.host.id) == nil)
    #expect(await fixture.host.leave().status == 404)
  }

  @Test("without the secret there is no report and no leaving")
  func secretNeeded() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    #expect(await host.checkIn().status == 200)
    host.secret = Base64Bytes([UInt8](repeating: 9, count: 32)).text
    #expect(await host.leave().status == 404)
    host.secret = "no base64"
    let refused = await host.leave()
    #expect(refused.status == 401 && refused.headers.all("WWW-Authenticate") == ["Registration"])
    host.id = "zzz"
    #expect(await host.report("zzz").status == 401)
    #expect(try await fixture.registrations().count == 1)
  }

  @Test("operations of tenant.json are ordered once, and taken back when they are gone")
  func folder() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().operations == [])
    let operation: JSONValue = [
      "type": "wipe", "user": "alice@contoso.example", "requestedDateTime": "2027-01-01T00:00:00Z",
    ]
    await fixture.write(Fixture.tenant(operations: [operation]))
    let id = try #require(await host.checkIn().operations.first)
    await fixture.write(Fixture.tenant(operations: [operation], alice: ["displayName": "Another name"]))
    #expect(await host.checkIn().operations == [id])
    await fixture.write(Fixture.tenant())
    #expect(await host.checkIn().operations == [])
    #expect(try await fixture.states(host.id) == [.canceled])
    await fixture.write(Fixture.tenant(operations: [operation]))
    #expect(await host.checkIn().operations == [id])
    #expect(await host.report(id).status == 200)
    await fixture.write(Fixture.tenant())
    #expect(try await fixture.states(host.id) == [.completed])
  }

  @Test("a wipe in tenant.json stays while its entry does, also if its user has left or has another id")
  func folderLeaver() async throws {
    let operation: JSONValue = ["type": "wipe", "user": "alice@contoso.example"]
    for change in ["gone", "another id"] {
      let fixture = try await Fixture()
      var host = fixture.host
      #expect(await host.checkIn().status == 200)
      await fixture.write(Fixture.tenant(operations: [operation]))
      let more: JSONObject =
        change == "gone"
        ? ["userPrincipalName": "else@contoso.example", "id": .string(Fixture.admin)]
        : ["id": .string(Fixture.admin)]
      await fixture.write(Fixture.tenant(operations: [operation], alice: more))
      #expect(try await fixture.states(host.id) == [.pending], "\(change)")
      let isLogged = fixture.lines.withLock { $0.contains { $0.contains("Nothing new is ordered by operations/0") } }
      #expect(isLogged == (change == "gone"))
      host.token = nil
      #expect(await host.checkIn().operations.count == 1)
      await fixture.write(Fixture.tenant(alice: more))
      #expect(try await fixture.states(host.id) == [.canceled], "\(change)")
    }
  }

  @Test("an entry of tenant.json that names its user in another way orders nothing else")
  func folderNames() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    func entry(_ user: String) -> JSONValue { ["type": "wipe", "user": .string(user)] }
    await fixture.write(Fixture.tenant(operations: [entry("alice@contoso.example"), entry(Fixture.alice)]))
    #expect(try await fixture.states(fixture.host.id) == [.pending])
    await fixture.write(Fixture.tenant(operations: [entry(Fixture.alice)], alice: ["displayName": "A"]))
    await fixture.write(Fixture.tenant(operations: [entry(Fixture.alice)]))
    #expect(try await fixture.states(fixture.host.id) == [.pending])
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry.action)
    #expect(audit.filter { $0 == .order }.count == 1 && !audit.contains(.cancel))
  }

  @Test("a token that does not fit keeps no wipe away", arguments: ["user:" + Fixture.bob, "other-tenant", "nobody"])
  func tokenOfOthers(token: String) async throws {
    let fixture = try await Fixture()
    func caller(_ tenant: String?, _ user: String?) -> Caller {
      Caller(tenantId: tenant, objectId: user, roles: [], scopes: [], claims: [:])
    }
    fixture.tokens.set("other-tenant", .success(caller(Fixture.admin, Fixture.alice)))
    fixture.tokens.set("nobody", .success(caller(Fixture.tenantId, nil)))
    var host = fixture.host
    #expect(await host.checkIn().status == 200)
    host.token = token
    #expect(await host.checkIn().status == 403)
    #expect(try await fixture.orderWipe() == 1)
    let answer = await host.checkIn()
    #expect(answer.status == 200 && answer.outcome == "notModified" && answer.operations.count == 1)
    #expect(answer.body["user"]?["id"]?.stringValue == Fixture.alice && answer.body["policies"] == nil)
    host.secret = Base64Bytes([UInt8](repeating: 9, count: 32)).text
    #expect(await host.checkIn().status == 403)
  }

  @Test("a leaver who is matched by another claim is known by the name that the registration has")
  func claimOfLeaver() async throws {
    var options = ServiceOptions()
    options.userClaim = "email"
    let fixture = try await Fixture(options: options)
    let claims: JSONObject = ["email": "alice@contoso.example"]
    fixture.tokens.set(
      "by-claim", .success(Caller(tenantId: nil, objectId: nil, roles: [], scopes: [], claims: claims)))
    var host = fixture.host
    host.token = "by-claim"
    #expect(await host.checkIn().status == 200)
    await fixture.write(
      Fixture.tenant(alice: ["userPrincipalName": "else@contoso.example", "id": .string(Fixture.admin)]))
    #expect(await host.checkIn().outcome == "userUnknown")
    #expect(try await fixture.orderWipe() == 1)
    #expect(await host.checkIn().operations.count == 1)
  }

  @Test("a wipe of a device that is away for long stays pending, is ordered then, too, and ends when it is forgotten")
  func away() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    fixture.clock.advance(byMilliseconds: 91 * CivilDate.millisecondsPerDay)
    await fixture.service.maintain()
    #expect(try await fixture.registrations().isEmpty)
    #expect(try await fixture.orderWipe() == 1)
    fixture.clock.advance(byMilliseconds: 300 * CivilDate.millisecondsPerDay)
    await fixture.service.maintain()
    #expect(try await fixture.states(host.id) == [.pending, .pending])
    #expect(await host.checkIn().operations.count == 2)
    fixture.clock.advance(byMilliseconds: 91 * CivilDate.millisecondsPerDay)
    await fixture.service.maintain()
    fixture.clock.advance(byMilliseconds: 401 * CivilDate.millisecondsPerDay)
    await fixture.service.maintain()
    #expect(try await fixture.store.registration(host.id) == nil)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.contains { $0.action == .cancel && $0.subject == "2 operations" && $0.actor == "service" })
  }

  @Test("whoever takes the place of a device cannot stop its wipe, or report it")
  func thief() async throws {
    let fixture = try await Fixture()
    let laptop = fixture.host
    #expect(await laptop.checkIn().status == 200)
    var thief = laptop
    (thief.id, thief.secret) = (
      "aaaaaaaa-0000-4000-8000-000000000002", Base64Bytes([UInt8](repeating: 2, count: 32)).text
    )
    #expect(await thief.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 2)
    for id in await thief.checkIn().operations { #expect(await thief.report(id).status == 200) }
    #expect(try await fixture.states(thief.id) == [.completed])
    #expect(try await fixture.states(laptop.id) == [.pending])
    #expect(await laptop.checkIn().operations.count == 1)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.contains { $0.action == .replace && $0.subject.hasPrefix(laptop.id) })
    fixture.clock.advance(byMilliseconds: 91 * CivilDate.millisecondsPerDay)
    #expect(await laptop.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
  }

  @Test("a device whose place was taken is wiped, also if its user may not enroll more")
  func limitOfRegistrations() async throws {
    var options = ServiceOptions()
    options.registrationsOfUser = 1
    let fixture = try await Fixture(options: options)
    let laptop = fixture.host
    #expect(await laptop.checkIn().status == 200)
    var thief = laptop
    thief.id = "aaaaaaaa-0000-4000-8000-000000000002"
    #expect(await thief.checkIn().status == 200)
    thief.app = "com.example.notes"
    #expect(await thief.checkIn().status == 200)
    #expect(await laptop.checkIn().status == 403)
    #expect(try await fixture.orderWipe() == 2)
    let answer = await laptop.checkIn()
    #expect(answer.outcome == "notModified" && answer.operations.count == 1)
  }

  @Test("wipeAndBlock also targets later enrollments, in its app, until it is taken back")
  func block() async throws {
    let operation: JSONValue = ["type": "wipeAndBlock", "user": "alice@contoso.example", "app": "com.Example.mail"]
    let fixture = try await Fixture(tenant: Fixture.tenant(operations: [operation]))
    var host = fixture.host
    for index in 1...2 {
      host.id = "aaaaaaaa-0000-4000-8000-00000000000\(index)"
      let answer = await host.checkIn()
      #expect(answer.body["operations"]?.arrayValue?.first?["type"] == "wipeAndBlock")
      for id in answer.operations { #expect(await host.report(id).status == 200) }
    }
    host.id = "aaaaaaaa-0000-4000-8000-000000000003"
    host.app = "com.example.notes"
    #expect(await host.checkIn().operations == [])
    await fixture.write(Fixture.tenant())
    host.app = "com.example.mail"
    #expect(await host.checkIn().operations == [])
  }

  @Test("a wipe survives a restart between any two steps", arguments: 0...4)
  func restarts(crash: Int) async throws {
    let fixture = try await Fixture()
    let path = fixture.folder.file("service.sqlite")
    let host = fixture.host
    var database = fixture.database
    var service = fixture.service
    func restart(before step: Int) async throws {
      guard step == crash || crash == 4 else { return }
      await database.close()
      database = try SQLiteDatabase(path: path)
      let store = try await TenantStore(database)
      service = TenantService(
        store: store, served: ServedTenant(store), tokens: fixture.tokens, clock: fixture.clock
      ) { _ in }
      #expect(await service.load(folder: nil))
    }
    func checkIn() async -> Answer {
      let headers = HTTPHeaders([
        "Authorization": "Bearer user:" + Fixture.alice, "Content-Type": "application/json",
      ])
      let request = HTTPRequest(
        "POST", "/mam/v1/check-in", headers: headers, body: Array(JSONValue.object(host.body).jsonText.utf8))
      return Answer(await service.response(to: request, from: ""))
    }
    #expect(await checkIn().status == 200)
    try await restart(before: 0)
    let count = try await TenantStore(database).orderWipe(
      of: Fixture.alice, in: Fixture.tenantId, onDevice: "tag-1", by: Fixture.admin, at: fixture.clock.now)
    #expect(count == 1)
    try await restart(before: 1)
    let id = try #require(await checkIn().operations.first)
    try await restart(before: 2)
    for _ in 0..<2 {
      let request = HTTPRequest(
        "POST", "/mam/v1/registrations/\(host.id)/operations/\(id)",
        headers: HTTPHeaders(["Authorization": "Registration " + host.secret, "Content-Type": "application/json"]),
        body: Array(#"{"outcome":"done","time":"2027-01-15T08:00:00Z"}"#.utf8))
      #expect(await service.response(to: request, from: "").status == 200)
      try await restart(before: 3)
    }
    #expect(await checkIn().operations == [])
    #expect(try await TenantStore(database).operations(of: host.id).map(\.state) == [.completed])
    await database.close()
  }
}
