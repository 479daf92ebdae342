import HTTP
import JSON
import Support
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct WipeHoldTests {
  private func hold(_ fixture: Fixture, _ why: String = "Ticket 4711") async throws {
    try await fixture.store.holdWipes(because: why, by: "uid:0@host", at: fixture.clock.now)
  }

  private func lift(_ fixture: Fixture) async throws {
    #expect(try await fixture.store.liftHold(by: "uid:0@host", at: fixture.clock.now) != nil)
  }

  @Test("During a hold, wipe orders wait and check-ins say so; after the hold they are delivered")
  func waits() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().body["hold"] == .null)
    try await hold(fixture)
    let free = await host.checkIn()
    #expect(free.body["hold"] == ["why": "Ticket 4711", "since": .string(Fixture.start.description), "ordered": false])
    #expect(try await fixture.orderWipe() == 1)
    for _ in 1...2 {
      let held = await host.checkIn()
      #expect(held.operations == [])
      #expect(held.body["hold"]?["ordered"] == true)
      #expect(held.outcome == "delivered")
    }
    #expect(try await fixture.states(host.id) == [.pending])
    #expect(try await fixture.store.waitingWipes() == 1)
    try await lift(fixture)
    let answer = await host.checkIn()
    #expect(answer.operations.count == 1)
    #expect(answer.body["hold"] == .null)
    #expect(await host.report(answer.operations[0]).status == 200)
    #expect(try await fixture.states(host.id) == [.completed])
    #expect(try await fixture.store.waitingWipes() == 0)
    #expect(try await fixture.orderWipe() == 1)
    #expect(try await fixture.store.waitingWipes() == 1)
    #expect(await host.leave().status == 204)
    #expect(try await fixture.store.waitingWipes() == 0)
  }

  @Test("Lifting a hold with its orders cancels the waiting wipes and audits each cancellation")
  func canceled() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    _ = await host.checkIn()
    #expect(try await fixture.orderWipe() == 1)
    try await hold(fixture)
    #expect(await host.checkIn().body["hold"]?["ordered"] == true)
    #expect(
      try await fixture.store.liftHold(by: "uid:0@host", at: fixture.clock.now, cancelsOrders: true) != nil)
    let answer = await host.checkIn()
    #expect(answer.operations == [])
    #expect(answer.body["hold"] == .null)
    #expect(answer.outcome == "delivered")
    #expect(try await fixture.states(host.id) == [.canceled])
    #expect(try await fixture.store.waitingWipes() == 0)
    let audit = try await fixture.store.auditEntries(limit: 10).map(\.entry)
    #expect(audit.suffix(2).map(\.action) == [.cancel, .lift])
    // Without a hold, nothing is taken back.
    #expect(try await fixture.orderWipe() == 1)
    #expect(
      try await fixture.store.liftHold(by: "uid:0@host", at: fixture.clock.now, cancelsOrders: true) == nil)
    #expect(await host.checkIn().operations.count == 1)
  }

  @Test("A hold also stops wipes ordered before it, but the report of a finished wipe still counts")
  func before() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    _ = await host.checkIn()
    #expect(try await fixture.orderWipe() == 1)
    let id = try #require(await host.checkIn().operations.first)
    try await hold(fixture)
    #expect(await host.checkIn().operations == [])
    #expect(await host.report(id).status == 200)
    #expect(try await fixture.states(host.id) == [.completed])
    #expect(await host.checkIn().body["hold"]?["ordered"] == false)
  }

  @Test("Every check-in answer reports a hold, whatever the outcome for the user")
  func everyAnswer() async throws {
    let fixture = try await Fixture()
    try await hold(fixture)
    var host = fixture.host
    #expect(await host.checkIn().body["hold"]?["why"] == "Ticket 4711")
    host.etag = await host.checkIn().etag
    let unchanged = await host.checkIn()
    #expect(unchanged.outcome == "notModified")
    #expect(unchanged.body["hold"] != nil)
    let users = [(Fixture.carol, "notLicensed"), (Fixture.dave, "userDisabled"), (Fixture.admin, "userUnknown")]
    for (number, (user, outcome)) in users.enumerated() {
      var other = fixture.host
      (other.user, other.token, other.id) = (user, "user:" + user, "aaaaaaaa-0000-4000-8000-00000000001\(number)")
      let answer = await other.checkIn()
      #expect(answer.outcome == outcome, "\(answer.body)")
      #expect(answer.body["hold"]?["ordered"] == false, "\(answer.body)")
    }
    await fixture.write(Fixture.tenant(alice: ["deleted": true]))
    let deleted = await host.checkIn()
    #expect(deleted.outcome == "userDeleted")
    #expect(deleted.body["hold"] != nil)
  }

  @Test("With only its secret, a host learns that its wipe is on hold", arguments: [nil, "bad"])
  func secretAlone(token: String?) async throws {
    let fixture = try await Fixture()
    var host = fixture.host
    _ = await host.checkIn()
    try await hold(fixture)
    host.token = token
    let refused = await host.checkIn()
    #expect(refused.status == 401)
    #expect(refused.body["error"] != nil)
    #expect(
      refused.body["hold"] == ["why": "Ticket 4711", "since": .string(Fixture.start.description), "ordered": false])
    #expect(try await fixture.orderWipe() == 1)
    let held = await host.checkIn()
    #expect(held.status == 200)
    #expect(held.outcome == "notModified")
    #expect(held.operations == [])
    #expect(held.body["hold"]?["ordered"] == true)
    #expect(held.body["user"]?["id"]?.stringValue == Fixture.alice)
    try await lift(fixture)
    let answer = await host.checkIn()
    #expect(answer.operations.count == 1)
    #expect(await host.report(answer.operations[0]).status == 200)
    #expect(await host.checkIn().body["hold"] == .null)
  }

  @Test(
    "who does not know the secret of a registration hears nothing of a hold", arguments: [nil, "bad", "user:stranger"])
  func strangers(token: String?) async throws {
    let fixture = try await Fixture()
    _ = await fixture.host.checkIn()
    try await hold(fixture)
    var (unknown, other) = (fixture.host, fixture.host)
    (unknown.id, unknown.token) = ("aaaaaaaa-0000-4000-8000-0000000000ff", token)
    (other.secret, other.token) = (Base64Bytes([UInt8](repeating: 2, count: 32)).text, token)
    for stranger in [unknown, other] {
      let refused = await stranger.checkIn()
      #expect([401, 403].contains(refused.status), "\(refused.body)")
      #expect(refused.body["hold"] == nil, "\(refused.body)")
    }
  }

  @Test("During a hold, a blocked user who enrolls is reported to have a waiting order")
  func block() async throws {
    let fixture = try await Fixture()
    try await hold(fixture)
    _ = try await fixture.store.blockUser(
      Fixture.alice, in: Fixture.tenantId, by: Fixture.admin, at: fixture.clock.now)
    let answer = await fixture.host.checkIn()
    #expect(answer.operations == [])
    #expect(answer.body["hold"]?["ordered"] == true)
  }

  @Test("Waiting polls report a hold and its end at once, with a spread of zero if an order waits")
  func push() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    var revision = await host.checkIn().revision
    for (isHeld, spread) in [(true, 30), (false, 300), (true, 0), (false, 0)] {
      if spread == 0, isHeld {
        #expect(try await fixture.orderWipe() == 1)
        revision = await host.changes(revision: nil).body["revisions"]?[host.id]?.integerValue
      }
      let known = revision
      async let waiting = host.changes(revision: known, wait: 25)
      await expectEventually(1) { fixture.service.parts.hub.count }
      if isHeld { try await hold(fixture) } else { try await lift(fixture) }
      await fixture.service.updateHold()
      let answer = await waiting
      #expect(answer.body["changed"]?.strings == [host.id])
      #expect(answer.body["spread"] == .integer(Int64(spread)))
      revision = answer.body["revisions"]?[host.id]?.integerValue
    }
  }

  @Test("Health, metrics, log and audit report a hold and its end")
  func shown() async throws {
    let fixture = try await Fixture()
    func since() async -> JSONValue? {
      let health = await fixture.send("GET", "/health/ready")
      return health.body["wipesHeldSince"]
    }
    func logged(_ text: String) -> Int { fixture.lines.withLock { $0.count { $0.contains(text) } } }
    await fixture.service.updateHold()
    #expect(await since() == .null)
    #expect(logged("on hold") == 0)
    #expect(fixture.service.metricsText.contains("\nmambridge_wipes_held 0\n"))
    try await hold(fixture)
    for _ in 1...2 { await fixture.service.updateHold() }
    #expect(await since() == .string(Fixture.start.description))
    #expect(fixture.service.metricsText.contains("\nmambridge_wipes_held 1\n"))
    #expect(fixture.service.metricsText.contains("\nmambridge_wipes_held_since_seconds 1800000000\n"))
    #expect(logged("wipes have been on hold since \(Fixture.start), by uid:0@host: Ticket 4711") == 1)
    try await lift(fixture)
    await fixture.service.updateHold()
    #expect(await since() == .null)
    #expect(logged("no longer on hold") == 1)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry).filter { $0.subject == "wipes" }
    #expect(audit.map(\.action) == [.hold, .lift])
    #expect(audit.allSatisfy { $0.actor == "uid:0@host" })
    #expect(audit.map(\.outcome) == ["Ticket 4711", "on hold since \(Fixture.start): Ticket 4711"])
  }
}
