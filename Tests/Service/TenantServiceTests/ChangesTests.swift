import HTTP
import JSON
import Support
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
  private func enrolled(_ fixture: Fixture) async -> (host: Host, revision: Int64) {
    let answer = await fixture.host.checkIn()
    return (fixture.host, answer.revision ?? -1)
  }

  private func changed(_ answer: Answer) -> [String]? { answer.body["changed"]?.strings }

  @Test("A poll without news answers with no changes and the current revision")
  func nothing() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    for known in [revision, nil] as [Int64?] {
      let answer = await host.changes(revision: known)
      #expect(answer.status == 200)
      #expect(changed(answer) == [])
      #expect(answer.body["revisions"]?[host.id]?.integerValue == revision)
    }
  }

  @Test("A wipe ends a waiting poll at once with a spread of zero")
  func wipe() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    let start = ContinuousClock.now
    async let waiting = host.changes(revision: revision, wait: 25)
    await expectEventually(1) { fixture.service.parts.hub.count }
    #expect(try await fixture.orderWipe() == 1)
    let answer = await waiting
    #expect(changed(answer) == [host.id])
    #expect(answer.body["spread"] == 0)
    #expect(ContinuousClock.now - start < .soon)
    #expect(fixture.service.parts.hub.count == 0)
  }

  @Test("A wipe ordered before a poll is reported by the poll, even without a known revision")
  func wipeBefore() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    #expect(try await fixture.orderWipe() == 1)
    for known in [revision, nil] as [Int64?] {
      let answer = await host.changes(revision: known, wait: 25)
      #expect(changed(answer) == [host.id])
      #expect(answer.body["spread"] == 0)
    }
    let current = await host.checkIn().revision
    #expect(changed(await host.changes(revision: current)) == [])
  }

  @Test("A change of the tenant ends a waiting poll with a spread of 300 seconds")
  func policy() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    async let waiting = host.changes(revision: revision, wait: 25)
    await expectEventually(1) { fixture.service.parts.hub.count }
    await fixture.write(Fixture.tenant(alice: ["displayName": "Alice Adams"]))
    let answer = await waiting
    #expect(changed(answer) == [host.id])
    #expect(answer.body["spread"] == 300)
  }

  @Test("A waiting poll ignores changes for other users and ends when the service ends")
  func others() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    var bob = host
    (bob.id, bob.user, bob.token) = ("bbbbbbbb-0000-4000-8000-000000000001", Fixture.bob, "user:" + Fixture.bob)
    #expect(await bob.checkIn().status == 200)
    async let waiting = host.changes(revision: revision, wait: 25)
    await expectEventually(1) { fixture.service.parts.hub.count }
    #expect(try await fixture.orderWipe(of: Fixture.bob) == 1)
    #expect(fixture.service.parts.hub.count == 1)
    fixture.service.endPolls()
    let answer = await waiting
    #expect(answer.status == 200)
    #expect(changed(answer) == [])
    #expect(await host.changes(revision: revision).status == 503)
  }

  @Test("A client that disconnects leaves no poll behind")
  func cancelled() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    let task = Task { await host.changes(revision: revision, wait: 25) }
    await expectEventually(1) { fixture.service.parts.hub.count }
    task.cancel()
    _ = await task.value
    #expect(fixture.service.parts.hub.count == 0)
  }

  @Test("At the limit of open polls, check-ins answer push false, and further polls get 503")
  func full() async throws {
    var options = ServiceOptions()
    options.openPolls = 1
    let fixture = try await Fixture(options: options)
    let (host, revision) = await enrolled(fixture)
    #expect(await host.checkIn().body["push"] == true)
    async let waiting = host.changes(revision: revision, wait: 25)
    await expectEventually(1) { fixture.service.parts.hub.count }
    #expect(await host.checkIn().body["push"] == false)
    let refused = await host.changes(revision: revision)
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "60")
    fixture.service.endPolls()
    _ = await waiting
  }

  /// Another registration of Alice, on another device.
  private func second(_ fixture: Fixture) async -> (host: Host, revision: Int64) {
    var host = fixture.host
    (host.id, host.tag) = ("bbbbbbbb-0000-4000-8000-000000000001", "tag-2")
    return (host, await host.checkIn().revision ?? -1)
  }

  private func poll(_ hosts: [(Host, Int64)], in fixture: Fixture, wait: Int64 = 25) async -> Answer {
    let registrations: JSONValue = .array(
      hosts.map { host, revision in
        ["id": .string(host.id), "secret": .string(host.secret), "revision": .integer(revision)]
      })
    return await fixture.post("/mam/v1/changes", ["registrations": registrations, "wait": .integer(wait)])
  }

  @Test("Only two polls per registration wait; another one makes the oldest answer at once")
  func displaced() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    let hub = fixture.service.parts.hub
    let start = ContinuousClock.now
    var polls: [Task<Answer, Never>] = []
    for number in 1...5 {
      polls.append(Task { await host.changes(revision: revision, wait: 25) })
      let displaced = "mambridge_displaced_polls_total \(max(0, number - 2))\n"
      #expect(
        await eventually {
          hub.count == min(number, 2) && hub.unclaimedCount == 0 && fixture.service.metricsText.contains(displaced)
        })
    }
    for poll in polls.prefix(3) {
      let answer = await poll.value
      #expect(answer.status == 200)
      #expect(changed(answer) == [])
    }
    #expect(ContinuousClock.now - start < .soon)
    #expect(hub.count == 2)
    #expect(fixture.service.metricsText.contains("mambridge_displaced_polls_total 3\n"))
    fixture.service.endPolls()
    for poll in polls { _ = await poll.value }
    #expect(hub.count == 0)
  }

  @Test("55 polls with a stolen secret do not delay a wipe of the user's other registrations")
  func stolenSecret() async throws {
    let fixture = try await Fixture()
    let (stolen, known) = await enrolled(fixture)
    let (mine, revision) = await second(fixture)
    let hub = fixture.service.parts.hub
    async let early = mine.changes(revision: revision, wait: 25)
    await expectEventually(1) { hub.count }
    let thieves = (0..<55).map { _ in Task { await stolen.changes(revision: known, wait: 25) } }
    #expect(await eventually { hub.count == 3 && hub.unclaimedCount == 0 })
    async let both = poll([(stolen, known), (mine, revision)], in: fixture)
    #expect(await eventually { hub.isWaiting(inPlacesOf: mine.id, count: 2) })
    let start = ContinuousClock.now
    #expect(try await fixture.orderWipe(tag: "tag-2") == 1)
    let answers = await [early, both]
    for answer in answers {
      #expect(changed(answer) == [mine.id])
      #expect(answer.body["spread"] == 0)
    }
    #expect(ContinuousClock.now - start < .soon)
    fixture.service.endPolls()
    for thief in thieves { _ = await thief.value }
  }

  @Test("A registration that polls too often gets 429 without blocking polls that include others")
  func limits() async throws {
    var options = ServiceOptions()
    (options.requestBurst, options.requestsPerSecond) = (3, 0.01)
    let fixture = try await Fixture(options: options)
    let (host, revision) = await enrolled(fixture)
    let (mine, other) = await second(fixture)
    var stranger = host
    stranger.secret = Base64Bytes([UInt8](repeating: 7, count: 32)).text
    for _ in 0..<10 { #expect(await stranger.changes(revision: revision).status == 200) }
    for _ in 0..<3 { #expect(await host.changes(revision: revision).status == 200) }
    #expect(await host.changes(revision: revision).headers["Retry-After"] == "100")
    #expect(try await fixture.orderWipe() == 1)
    let answer = await poll([(host, revision), (mine, other)], in: fixture, wait: 0)
    #expect(answer.status == 200)
    #expect(changed(answer) == [host.id])
  }

  @Test("Reporting and leaving count against the request limit of the registration")
  func limitedReports() async throws {
    var options = ServiceOptions()
    (options.requestBurst, options.requestsPerSecond) = (3, 0.01)
    let fixture = try await Fixture(options: options)
    let (host, _) = await enrolled(fixture)
    for _ in 0..<3 { #expect(await host.report("an unknown operation").status != 429) }
    #expect(await host.report("an unknown operation").status == 429)
    #expect(await host.leave().status == 429)
    #expect(try await fixture.registrations().count == 1)
  }

  @Test("A poll of 100 registrations reports only 20 that are gone, and answers at once")
  func manyGone() async throws {
    let fixture = try await Fixture()
    let (host, _) = await enrolled(fixture)
    let ids = (100..<199).map { "cccccccc-0000-4000-8000-000000000\($0)" } + [host.id]
    let registrations: JSONValue = .array(ids.map { ["id": .string($0), "secret": .string(host.secret)] })
    let start = ContinuousClock.now
    let answer = await fixture.post("/mam/v1/changes", ["registrations": registrations, "wait": 25])
    #expect(answer.body["gone"]?.strings == Array(ids.prefix(20)))
    #expect(answer.body["revisions"] == [:])
    #expect(ContinuousClock.now - start < .soon)
  }

  @Test("Revisions of different generations differ, even if their counts differ the other way")
  func revisions() {
    #expect(Revision(generation: 7, count: 3) != Revision(generation: 6, count: 4))
    #expect(Revision(generation: 1 << 40, count: 1 << 40).number <= 1 << 53)
  }

  @Test("A poll with a wrong secret or an unknown registration reports the registration as gone")
  func unknown() async throws {
    let fixture = try await Fixture()
    let (host, revision) = await enrolled(fixture)
    var other = host
    other.secret = Base64Bytes([UInt8](repeating: 7, count: 32)).text
    let refused = await other.changes(revision: revision, wait: 25)
    #expect(refused.status == 200)
    #expect(refused.body["gone"]?.strings == [host.id])
    let stranger = "cccccccc-0000-4000-8000-000000000001"
    let registrations: JSONValue = .array(
      [host.id, stranger].map { ["id": .string($0), "secret": .string(host.secret), "revision": .integer(revision)] })
    let answer = await fixture.post("/mam/v1/changes", ["registrations": registrations, "wait": 0])
    #expect(answer.body["gone"]?.strings == [stranger])
    #expect(changed(answer) == [])
  }

  @Test(
    "A malformed poll is refused with 400",
    arguments: [
      #"{"registrations":[],"wait":0}"#, #"{"wait":0}"#, #"{"registrations":[{"id":"x","secret":"y"}],"wait":0}"#,
      #"{"registrations":null,"wait":26}"#, "[]", "",
    ])
  func invalid(body: String) async throws {
    let fixture = try await Fixture()
    let headers = HTTPHeaders(["Content-Type": "application/json"])
    #expect(await fixture.send("POST", "/mam/v1/changes", headers, Array(body.utf8)).status == 400)
  }
}
