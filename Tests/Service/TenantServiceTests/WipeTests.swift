import Database
import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct WipeTests {
  @Test("A wipe is delivered until it is reported as done, and counts once")
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

  @Test("A check-in that answers notModified still delivers a wipe")
  func notModified() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    host.etag = await host.checkIn().etag
    #expect(try await fixture.orderWipe() == 1)
    let answer = await host.checkIn()
    #expect(answer.outcome == "notModified")
    #expect(answer.operations.count == 1)
  }

  @Test(
    "With only the secret of its registration, a host receives its wipe and nothing else",
    arguments: [nil, "bad", "keys-away"])
  func secretAlone(token: String?) async throws {
    let fixture = try await Fixture()
    fixture.tokens.set("keys-away", .failure(.unavailable(retryAfter: .seconds(7))))
    var host = fixture.host
    #expect(await host.checkIn().status == 200)
    host.token = token
    #expect(await host.checkIn().status == (token == "keys-away" ? 503 : 401))
    #expect(try await fixture.orderWipe() == 1)
    let answer = await host.checkIn()
    #expect(answer.status == 200)
    #expect(answer.outcome == "notModified")
    #expect(answer.operations.count == 1)
    #expect(answer.body["policies"] == nil)
    #expect(answer.etag == nil)
    #expect(answer.body["user"]?["id"]?.stringValue == Fixture.alice)
    #expect(await host.report(answer.operations[0]).status == 200)
    #expect(await host.checkIn().status == (token == "keys-away" ? 503 : 401))
  }

  @Test("A wipe reaches all apps of the user on the device, and no other device or user")
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

  @Test("A failed wipe stays pending with the reason, and is delivered again")
  func failure() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    let id = try #require(await host.checkIn().operations.first)
    #expect(await host.report(id, "failed").status == 200)
    let operation = try await fixture.store.operations(of: host.id).first
    #expect(operation?.state == .pending)
    #expect(operation?.outcome == "disk full")
    #expect(await host.checkIn().operations == [id])
    #expect(await host.report(id).status == 200)
    #expect(await host.report(id, "failed").status == 200)
    #expect(try await fixture.states(host.id) == [.completed])
  }

  @Test(
    "A token of another user or tenant does not keep a wipe from a host with the right secret",
    arguments: ["user:" + Fixture.bob, "other-tenant", "nobody"])
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
    #expect(answer.status == 200)
    #expect(answer.outcome == "notModified")
    #expect(answer.operations.count == 1)
    #expect(answer.body["user"]?["id"]?.stringValue == Fixture.alice)
    #expect(answer.body["policies"] == nil)
    host.secret = Base64Bytes([UInt8](repeating: 9, count: 32)).text
    #expect(await host.checkIn().status == 403)
  }

  @Test("A wipe survives a restart of the service before any step", arguments: 0...4)
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
