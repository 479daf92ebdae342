#if TenantService
  import Database
  import Glibc
  import HTTP
  import JSON
  import PostgreSQL
  import Support
  import Tenancy
  import TestSupport
  import Testing

  @testable import TenantService

  /// Two services that share a database of PostgreSQL.
  @Suite(.timeLimit(.minutes(5)), .enabled(if: Engines.hasPostgreSQL, "PostgreSQL is not installed"))
  struct ReplicaTests {
    private static let tenant = "11111111-1111-4111-8111-111111111111"
    private static let alice = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa"
    private static let registration = "bbbbbbbb-1111-4111-8111-bbbbbbbbbbbb"
    private static let secret = String(repeating: "A", count: 43) + "="
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private struct Replica {
      let store: TenantStore
      let service: TenantService

      init(
        _ url: String, options: ServiceOptions = ServiceOptions(), clock: any Clock = SystemClock()
      ) async throws {
        store = try await TenantStore(PostgreSQLDatabase(PostgreSQLOptions(url: url)))
        service = TenantService(
          store: store, served: ServedTenant(store), tokens: AliceOnly(), options: options, clock: clock,
          log: { _ in })
        await service.load(folder: nil)
      }

      func post(_ path: String, _ body: JSONValue, authorization: String = "Bearer alice") async -> HTTPResponse {
        let headers = HTTPHeaders(["Content-Type": "application/json", "Authorization": authorization])
        let request = HTTPRequest("POST", path, headers: headers, body: Array(body.jsonText.utf8))
        return await service.response(to: request, from: "127.0.0.1")
      }

      func checkIn() async -> HTTPResponse {
        await post(
          "/mam/v1/check-in",
          [
            "version": 1, "reason": "checkIn", "registration": ReplicaTests.credentials,
            "account": ["accountId": .string(alice), "identity": "alice@contoso.example"],
            "app": ["id": "com.contoso.mail"], "device": ["tag": "device 1", "platform": "ios"], "etag": nil,
            "applied": [], "health": [],
          ])
      }

      func poll(_ revision: Int64?) async -> HTTPResponse {
        let polled: JSONValue = [
          "id": .string(registration), "secret": .string(secret), "revision": revision.map(JSONValue.integer) ?? .null,
        ]
        return await post("/mam/v1/changes", ["registrations": .array([polled]), "wait": 25])
      }

      func report(_ operation: String) async -> HTTPResponse {
        await post(
          "/mam/v1/registrations/\(registration)/operations/\(operation)",
          ["outcome": "done", "time": "2026-01-01T00:00:00.000Z"], authorization: "Registration \(secret)")
      }
    }

    private struct AliceOnly: TokenChecker {
      func caller(of token: String, at now: Timestamp) async throws(TokenRefusal) -> Caller {
        guard token == "alice" else { throw .invalid(reason: "not alice") }
        return Caller(tenantId: tenant, objectId: alice, roles: [], scopes: [], claims: [:])
      }
    }

    private static let credentials: JSONValue = ["id": .string(registration), "secret": .string(secret)]

    private func files(displayName: String) -> TenantFileSet {
      let user = #"{"id":"\#(Self.alice)","userPrincipalName":"alice@contoso.example","displayName":"\#(displayName)"}"#
      return TenantFileSet(texts: ["tenant.json": #"{"tenantId":"\#(Self.tenant)","users":[\#(user)]}"#])
    }

    private func json(_ response: HTTPResponse) throws -> JSONValue { try JSONValue(parsing: response.body) }

    /// Two replicas that serve the tenant.
    private func replicas(_ url: String) async throws -> (Replica, Replica) {
      let first = try await Replica(url)
      try await first.store.publish(files(displayName: "Alice"), by: "test", at: Self.now)
      let second = try await Replica(url)
      #expect(await first.service.load(folder: nil))
      return (first, second)
    }

    @Test(
      "The wrong clock of one replica neither ends a registration nor makes it look old", arguments: [1, -1] as [Int64])
    func wrongClock(direction: Int64) async throws {
      let server = try PostgreSQLServer.shared.get()
      let url = try server.url(of: server.makeDatabase())
      let (first, _) = try await replicas(url)
      let year = 440 * CivilDate.millisecondsPerDay
      let machine = MachineClock(startingAt: SystemClock().now.advanced(by: direction * year))
      let wrong = try await Replica(url, clock: machine)
      #expect(await first.checkIn().status == 200)
      for _ in 0..<26 {
        await first.service.maintain()
        await wrong.service.maintain()
        machine.run(milliseconds: 1000)
      }
      machine.jump(milliseconds: direction * year)
      #expect(await wrong.checkIn().status == 200)
      await wrong.service.maintain()
      let registration = try #require(try await first.store.registration(Self.registration))
      let age = SystemClock().now.milliseconds(since: registration.lastSync)
      #expect(registration.ended == nil)
      #expect(age.magnitude < 60_000)
      #expect(try await first.store.auditEntries(limit: 100).allSatisfy { $0.entry.action != .alarm })
    }

    @Test("Enrollments of one user at two replicas at once do not exceed the limit of registrations")
    func limit() async throws {
      let server = try PostgreSQLServer.shared.get()
      let name = try server.makeDatabase()
      let (first, _) = try await replicas(server.url(of: name))
      var options = ServiceOptions()
      options.registrationsOfUser = 1
      let second = try await Replica(server.url(of: name), options: options)
      let other = Registration(
        id: "cccccccc-1111-4111-8111-cccccccccccc", secretHash: [1], tenantId: Self.tenant, userId: Self.alice,
        appId: "com.contoso.mail", deviceTag: "device 2", facts: RegistrationFacts([:]), applied: [], created: Self.now,
        lastSync: Self.now)
      let (isEnrolling, isAnswered) = (Lock(false), Lock(false))
      let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND wait_event_type = 'Lock'"
      async let enrollment: Void = first.store.database.write { session throws(DatabaseError) in
        try session.enroll(other)
        isEnrolling.withLock { $0 = true }
        // Commits when the second replica waits for it, or has not waited.
        let end = ContinuousClock.now + .seconds(5)
        while !isAnswered.withLock({ $0 }), (try? server.query(waiting, in: "postgres").output) != "1\n",
          ContinuousClock.now < end
        { usleep(1000) }
      }
      await expectEventually(true) { isEnrolling.withLock { $0 } }
      #expect(await second.checkIn().status == 403)
      isAnswered.withLock { $0 = true }
      _ = try await enrollment
      #expect(try await first.store.registrationCount(of: Self.alice) == 1)
    }

    @Test("A wipe ordered at one replica wakes a poll at another, and is completed once")
    func wipe() async throws {
      let server = try PostgreSQLServer.shared.get()
      let (first, second) = try await replicas(server.url(of: server.makeDatabase()))
      let checkedIn = await first.checkIn()
      #expect(checkedIn.status == 200, "\(String(decoding: checkedIn.body, as: UTF8.self))")
      let revision = try json(checkedIn)["revision"]?.integerValue
      async let poll = first.poll(revision)
      await expectEventually(1, "the poll waits") { first.service.parts.hub.count }
      let start = ContinuousClock.now
      let count = try await second.store.orderWipe(
        of: Self.alice, in: Self.tenant, onDevice: "device 1", by: "admin", at: Self.now)
      #expect(count == 1)
      let changed = try json(await poll)
      #expect(ContinuousClock.now - start < .soon)
      #expect(changed["changed"] == [.string(Self.registration)])
      #expect(changed["spread"] == 0)

      let operation = try #require(try json(await first.checkIn())["operations"]?.arrayValue?.first?["id"]?.stringValue)
      for replica in [second, first, second] { #expect(await replica.report(operation).status == 200) }
      #expect(try json(await second.checkIn())["operations"] == [])
      let audit = try await first.store.auditEntries(limit: 100)
      #expect(audit.count { $0.entry.action == .complete } == 1)
    }

    @Test("A hold wakes the hosts of all replicas, and no replica delivers a wipe until the hold is lifted")
    func hold() async throws {
      let server = try PostgreSQLServer.shared.get()
      let (first, second) = try await replicas(server.url(of: server.makeDatabase()))
      #expect(await first.checkIn().status == 200)
      _ = try await second.store.orderWipe(
        of: Self.alice, in: Self.tenant, onDevice: "device 1", by: "admin", at: Self.now)
      for isHeld in [true, false] {
        let revision = try json(await first.checkIn())["revision"]?.integerValue
        async let poll = first.poll(revision)
        await expectEventually(1, "the poll waits") { first.service.parts.hub.count }
        let start = ContinuousClock.now
        if isHeld {
          try await second.store.holdWipes(because: "ticket 4711", by: "admin", at: Self.now)
        } else {
          #expect(try await second.store.liftHold(by: "admin", at: Self.now) != nil)
        }
        let changed = try json(await poll)
        #expect(ContinuousClock.now - start < .soon)
        #expect(changed["changed"] == [.string(Self.registration)])
        for replica in [first, second] {
          let answer = try json(await replica.checkIn())
          #expect(answer["operations"]?.arrayValue?.isEmpty == isHeld)
          #expect((answer["hold"] != .null) == isHeld)
        }
      }
    }

    @Test("A publication at one replica is served by another within a second")
    func publication() async throws {
      let server = try PostgreSQLServer.shared.get()
      let (first, second) = try await replicas(server.url(of: server.makeDatabase()))
      for name in ["Alice 2", "Alice 3"] {
        try await first.store.publish(files(displayName: name), by: "test", at: Self.now)
        let end = ContinuousClock.now + .seconds(1)
        var found: String?
        while found != name, ContinuousClock.now < end {
          found = try json(await second.checkIn())["user"]?["displayName"]?.stringValue
        }
        #expect(found == name)
      }
    }

    @Test("Replicas answer 503 while PostgreSQL is down and deliver wipes again once it is back")
    func stopped() async throws {
      let server = try PostgreSQLServer()
      let (first, second) = try await replicas(server.url(of: server.makeDatabase()))
      let revision = try json(await first.checkIn())["revision"]?.integerValue
      server.stop()
      for replica in [first, second] {
        let start = ContinuousClock.now
        let response = await replica.checkIn()
        #expect(response.status == 503)
        #expect(response.headers["Retry-After"] != nil)
        #expect(ContinuousClock.now - start < .soon)
      }
      try server.start()
      for replica in [first, second] {
        var status = 503
        let end = ContinuousClock.now + .seconds(10)
        while status != 200, ContinuousClock.now < end { status = await replica.checkIn().status }
        #expect(status == 200)
      }
      let count = try await second.store.orderWipe(
        of: Self.alice, in: Self.tenant, onDevice: "device 1", by: "admin", at: Self.now)
      #expect(count == 1)
      #expect(try json(await first.poll(revision))["changed"] == [.string(Self.registration)])
    }
  }
#endif
