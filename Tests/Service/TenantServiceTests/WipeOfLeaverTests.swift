import JSON
import Support
import Tenancy
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct WipeOfLeaverTests {
  @Test("A wipe is still delivered if its user is disabled or missing", arguments: ["disabled", "gone"])
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

  @Test("A wipe reaches a removed user who is matched by another claim, by the name in the registration")
  func claimOfLeaver() async throws {
    var options = ServiceOptions()
    options.userClaim = "email"
    let fixture = try await Fixture(options: options, limit: RemovalLimit(percent: 100))
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

  @Test("An older wipe order does not wipe a new enrollment, and its old registration can still report")
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

  @Test("Leaving ends a registration, can be repeated, and a later report of its wipe still counts")
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

  @Test("A pending wipe is canceled a month after its host left, and the registration is deleted later")
  func abandoned() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    #expect(await fixture.host.leave().status == 204)
    await fixture.run(days: 31)
    #expect(try await fixture.states(fixture.host.id) == [.canceled])
    await fixture.run(days: 401)
    #expect(try await fixture.store.registration(fixture.host.id) == nil)
    #expect(await fixture.host.leave().status == 404)
  }

  @Test("A wipe of a device that is offline for months stays pending until its registration is deleted")
  func away() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().status == 200)
    #expect(try await fixture.orderWipe() == 1)
    await fixture.run(days: 91)
    #expect(try await fixture.registrations().isEmpty)
    #expect(try await fixture.orderWipe() == 1)
    await fixture.run(days: 300)
    #expect(try await fixture.states(host.id) == [.pending, .pending])
    #expect(await host.checkIn().operations.count == 2)
    await fixture.run(days: 91)
    await fixture.run(days: 401)
    #expect(try await fixture.store.registration(host.id) == nil)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.contains { $0.action == .cancel && $0.subject == "2 operations" && $0.actor == "service" })
  }

  @Test("Reporting and leaving need the secret of the registration")
  func secretNeeded() async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    #expect(await host.checkIn().status == 200)
    host.secret = Base64Bytes([UInt8](repeating: 9, count: 32)).text
    #expect(await host.leave().status == 404)
    host.secret = "no base64"
    let refused = await host.leave()
    #expect(refused.status == 401)
    #expect(refused.headers.all("WWW-Authenticate") == ["Registration"])
    host.id = "zzz"
    #expect(await host.report("zzz").status == 401)
    #expect(try await fixture.registrations().count == 1)
  }

  @Test("A new registration in the place of a device cannot stop or report the wipe of the device")
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

  @Test("A replaced registration is still wiped, even if its user may not enroll more")
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
    #expect(answer.outcome == "notModified")
    #expect(answer.operations.count == 1)
  }
}
