import Database
import HTTP
import JSON
import Model
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct ServiceTests {
  private static let requests: [(String, String, Int, String?)] = [
    ("GET", "/", 404, nil), ("GET", "/mam/v2/", 404, nil), ("GET", "/mam/v1/registrations", 404, nil),
    ("GET", "/mam/v1/%ff", 400, nil), ("GET", "mam", 400, nil), ("GET", "/mam/v1/check-in", 405, "POST"),
    ("PUT", "/mam/v1/changes", 405, "POST"), ("GET", "/mam/v1/registrations/x", 405, "DELETE"),
    ("DELETE", "/mam/v1/registrations/x/operations/y", 405, "POST"), ("POST", "/health/live", 405, "GET"),
    ("GET", "/health/live", 200, nil), ("GET", "/health/ready?x=1", 200, nil), ("GET", "/mam/v1/", 200, nil),
    ("GET", "/mam/v1", 200, nil), ("GET", "/v1.0/users", 404, nil), ("GET", "/metrics", 404, nil),
  ]

  @Test("Each path and method answers with its status, Allow header and request-id", arguments: requests.indices)
  func routes(index: Int) async throws {
    let (method, url, status, allow) = Self.requests[index]
    let fixture = try await Fixture()
    let answer = await fixture.send(method, url)
    #expect(answer.status == status, "\(method) \(url)")
    #expect(answer.headers["Allow"] == allow)
    #expect(answer.headers["Content-Type"] == "application/json")
    #expect(answer.headers["request-id"]?.isGUID == true)
  }

  @Test("A body that is not JSON, not declared as JSON, or too large is refused")
  func bodies() async throws {
    var options = ServiceOptions()
    options.largestBody = 10
    let fixture = try await Fixture(options: options)
    let json = HTTPHeaders(["content-type": "Application/JSON; charset=utf-8"])
    #expect(await fixture.send("POST", "/mam/v1/changes", json, Array("{}".utf8)).status == 400)
    #expect(await fixture.send("POST", "/mam/v1/changes", json, [0xFF]).status == 400)
    #expect(await fixture.send("POST", "/mam/v1/changes", HTTPHeaders(), Array("{}".utf8)).status == 415)
    let text = HTTPHeaders(["Content-Type": "text/plain"])
    #expect(await fixture.send("POST", "/mam/v1/changes", text, Array("{}".utf8)).status == 415)
    #expect(await fixture.send("POST", "/mam/v1/changes", json, [UInt8](repeating: 0x20, count: 11)).status == 413)
  }

  @Test("GET /mam/v1/ describes how to sign in")
  func description() async throws {
    var tenant = Fixture.tenant().objectValue ?? [:]
    tenant["authentication"] = [
      "authority": "https://login.example/", "resource": "api://mam", "scopes": ["api://mam/.default"],
    ]
    let fixture = try await Fixture(tenant: .object(tenant))
    let answer = await fixture.send("GET", "/mam/v1/")
    #expect(answer.body["version"] == 1)
    #expect(answer.body["push"] == true)
    #expect(answer.body["authentication"]?["authority"] == "https://login.example/")
    #expect(answer.body["authentication"]?["clientId"] == .null)
  }

  @Test("The sign-in settings of tenant.json override those of the options as soon as they change")
  func changedDescription() async throws {
    var options = ServiceOptions()
    options.usualAuthentication = TenantAuthentication(
      authority: "https://options.example/", resource: "api://mam", scopes: ["api://mam/.default"], clientId: nil)
    let fixture = try await Fixture(options: options)
    func authority() async -> JSONValue? {
      await fixture.send("GET", "/mam/v1/").body["authentication"]?["authority"]
    }
    #expect(await authority() == "https://options.example/")
    var tenant = Fixture.tenant().objectValue ?? [:]
    tenant["authentication"] = ["authority": "https://tenant.example/", "resource": "api://mam", "scopes": ["s"]]
    await fixture.write(.object(tenant))
    #expect(await authority() == "https://tenant.example/")
    await fixture.write(Fixture.tenant(alice: ["displayName": "A"]))
    #expect(await authority() == "https://options.example/")
  }

  @Test("A caller can neither forge a log field nor set an invalid client-request-id")
  func logFields() async throws {
    let fixture = try await Fixture(graph: EchoRoutes())
    let claims: JSONObject = ["azp": "x status=200 id=1"]
    fixture.tokens.set(
      "program", .success(Caller(tenantId: nil, objectId: nil, roles: [], scopes: [], claims: claims)))
    let headers = HTTPHeaders(["Authorization": "Bearer program", "client-request-id": "Client-1"])
    #expect(await fixture.send("GET", "/v1.0/users", headers).headers["client-request-id"] == "Client-1")
    let line = fixture.lines.withLock { $0.last { $0.hasPrefix("request ") } }
    #expect(line?.contains("user=azp:x?status=200?id=1 id=") == true)
    let broken = HTTPHeaders(["client-request-id": "a b"])
    #expect(await fixture.send("GET", "/v1.0/users", broken).headers["client-request-id"] == nil)
  }

  @Test("The log has a line for each request, without tokens, secrets or queries")
  func log() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    _ = await fixture.host.leave()
    let client = "dddddddd-0000-4000-8000-000000000001"
    let headers = HTTPHeaders(["Authorization": "Bearer bad", "client-request-id": client])
    let answer = await fixture.send("GET", "/v1.0/us\ners?secret=1", headers)
    #expect(answer.headers["client-request-id"] == client)
    let lines = fixture.lines.withLock { $0 }
    let requests = lines.filter { $0.hasPrefix("request ") }
    #expect(requests.count == 3)
    #expect(requests[0].contains("method=POST path=/mam/v1/check-in status=200"))
    #expect(requests[0].contains("user=\(Fixture.alice)"))
    #expect(requests[2].contains("path=/v1.0/us?ers status=404"))
    #expect(!lines.contains { $0.contains(fixture.host.secret) || $0.contains("secret=1") || $0.contains("Bearer") })
  }

  @Test("Leaving with the right secret counts as proof of identity; with a wrong secret it does not")
  func leavingProves() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    let proofs = Lock(0)
    for (secret, status, count) in [("AAAA", 401, 0), (fixture.host.secret, 204, 1)] {
      let headers = HTTPHeaders(["Authorization": "Registration " + secret])
      var request = HTTPRequest("DELETE", "/mam/v1/registrations/\(fixture.host.id)", headers: headers)
      request.didProve = { proofs.withLock { $0 += 1 } }
      #expect(await fixture.service.response(to: request, from: "192.0.2.1").status == status)
      #expect(proofs.withLock { $0 } == count)
    }
  }

  @Test("A request with an invalid HTTP header is answered with the rule that it breaks")
  func badHead() async throws {
    let fixture = try await Fixture()
    let rule = "Exactly one Content-Length with a number is allowed."
    let request = HTTPRequest("POST", "/mam/v1/check-in", headers: HTTPHeaders())
    let answer = Answer(fixture.service.refusal(400, because: rule, of: request, from: "192.0.2.1"))
    #expect(answer.status == 400)
    #expect(answer.body.jsonText.contains(rule))
  }

  @Test("Without its store the service answers 503 and is not ready, but live")
  func lostStore() async throws {
    let fixture = try await Fixture()
    await fixture.database.close()
    let answer = await fixture.host.checkIn()
    #expect(answer.status == 503)
    #expect(answer.code == "unavailable")
    #expect(answer.headers["Retry-After"] == "5")
    #expect(await fixture.send("GET", "/health/ready").status == 503)
    #expect(await fixture.send("GET", "/health/live").status == 200)
  }

  @Test("The service soon reports not ready if its store does not answer")
  func silentStore() async throws {
    let fixture = try await Fixture()
    let failures = Lock(0)
    let patient = StoreProbe(fixture.store, patience: .seconds(60)) { _ in failures.withLock { $0 += 1 } }
    #expect(await patient.failure() == nil)
    let (release, isHeld) = (Semaphore(), Semaphore())
    let blocker = Task {
      try await fixture.database.write { _ throws(DatabaseError) in
        isHeld.signal()
        release.wait()
      }
    }
    await Task(executorPreference: BlockingExecutor.shared) { isHeld.wait() }.value
    let ready = await fixture.send("GET", "/health/ready")
    #expect(ready.status == 503)
    #expect(ready.body["store"] == false)
    let other = StoreProbe(fixture.store, patience: .milliseconds(50)) { _ in failures.withLock { $0 += 1 } }
    for _ in 0..<3 {
      let failure = await other.failure()
      #expect(failure?.reason == .unavailable)
    }
    release.signal()
    _ = try await blocker.value
    #expect(await patient.failure() == nil)
    #expect(failures.withLock { $0 } == 0)
  }

  @Test("The service is not ready once its certificate has expired")
  func certificate() async throws {
    let fixture = try await Fixture()
    let end = fixture.clock.now.advanced(by: 1000)
    let service = TenantService(
      store: fixture.store, served: fixture.service.parts.served, tokens: fixture.tokens, clock: fixture.clock,
      certificateEnd: { end }
    ) { _ in }
    func ready() async -> Answer {
      Answer(await service.response(to: HTTPRequest("GET", "/health/ready"), from: ""))
    }
    #expect(service.metricsText.contains("mambridge_certificate_end_seconds \(end.milliseconds / 1000)\n"))
    let before = await ready()
    #expect(before.status == 200)
    #expect(before.body["certificateEnd"]?.stringValue == end.description)
    fixture.clock.advance(byMilliseconds: 1000)
    #expect(await ready().status == 503)
  }

  @Test("Without a readable tenant the service is not ready, and check-ins get 503 until there is one")
  func noTenant() async throws {
    let fixture = try await Fixture(tenant: ["tenantId": "contoso"])
    let ready = await fixture.send("GET", "/health/ready")
    #expect(ready.status == 503)
    #expect(ready.body["status"] == "notReady")
    #expect(ready.body["isCurrent"] == false)
    #expect(await fixture.host.checkIn().status == 503)
    #expect(fixture.lines.withLock { $0.contains { $0.contains("tenantId must be a GUID") } })
    await fixture.write(Fixture.tenant())
    #expect(await fixture.send("GET", "/health/ready").status == 200)
    #expect(await fixture.host.checkIn().status == 200)
  }

  @Test("A folder that cannot be parsed keeps the last good tenant in service, even after a restart")
  func damagedFolder() async throws {
    let fixture = try await Fixture()
    let good = await fixture.host.checkIn().etag
    fixture.folder.write("[1]", to: "tenant/tenant.json")
    await fixture.load()
    #expect(await fixture.host.checkIn().etag == good)
    let ready = await fixture.send("GET", "/health/ready")
    #expect(ready.status == 200)
    #expect(ready.body["isCurrent"] == false)
    #expect(fixture.service.metricsText.contains("mambridge_tenant_problem 1\n"))
    fixture.folder.write("[12]", to: "tenant/tenant.json")
    await fixture.load()
    let told = fixture.lines.withLock { $0.filter { $0.contains("The last good tenant is served") } }
    #expect(told.count == 1, "\(told)")
    #expect(told.allSatisfy { !$0.contains("..") }, "\(told)")
    let restarted = ServedTenant(fixture.store)
    try await restarted.update()
    #expect(restarted.edition?.generation == fixture.service.parts.served.edition?.generation)
  }

  @Test("A replica reports a version it cannot read until it can, and follows a restored store")
  func unreadableVersion() async throws {
    let fixture = try await Fixture()
    let replica = TenantService(
      store: fixture.store, served: ServedTenant(fixture.store), tokens: fixture.tokens, clock: fixture.clock
    ) { _ in }
    func store(_ body: [UInt8], generation: Int64, hour: Int64) async throws {
      let published = fixture.clock.now.advanced(by: hour * 3_600_000)
      try await fixture.database.write { session throws(DatabaseError) in
        try session.run("DELETE FROM snapshot")
        try session.run(
          "INSERT INTO snapshot (generation, digest, body, published) VALUES (:generation, :body, :body, :published)",
          ["generation": .integer(generation), "body": .bytes(body), "published": DatabaseValue(published)])
      }
      await replica.updateEdition()
    }
    let stored = try await fixture.database.read { session throws(DatabaseError) in try session.snapshot() }
    let good = try #require(stored).body
    try await store(good, generation: 7, hour: 1)
    try await store([1], generation: 8, hour: 2)
    #expect(replica.parts.served.edition?.generation == 7)
    #expect(replica.parts.served.problem != nil)
    try await store(good, generation: 9, hour: 3)
    #expect(replica.parts.served.edition?.generation == 9)
    #expect(replica.parts.served.problem == nil)
    try await store(good, generation: 5, hour: 0)
    #expect(replica.parts.served.edition?.generation == 5)
    try await store(good, generation: 5, hour: 4)
    #expect(replica.parts.served.edition?.published == fixture.clock.now.advanced(by: 4 * 3_600_000))
  }

  @Test("All replicas of a store serve what is published in it")
  func replicas() async throws {
    let fixture = try await Fixture()
    let replica = TenantService(
      store: fixture.store, served: ServedTenant(fixture.store), tokens: fixture.tokens, clock: fixture.clock
    ) { _ in }
    #expect(await replica.load(folder: nil))
    fixture.folder.write(Fixture.tenant(alice: ["displayName": "Another name"]).jsonText, to: "tenant/tenant.json")
    await fixture.load()
    await expectEventually(2) { replica.parts.served.edition?.generation }
    #expect(replica.parts.served.edition?.user("ALICE@contoso.example")?.displayName == "Another name")
  }

  @Test("The metrics page counts requests, check-ins and enrollments, and is separate from the service")
  func metrics() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    #expect(await fixture.send("GET", "/none").status == 404)
    #expect(fixture.service.metricsText.contains("mambridge_store_failures_total 0\n"))
    let page = MetricsPage(fixture.service)
    let response = await page.response(to: HTTPRequest("GET", "/metrics"), from: "")
    let text = String(decoding: response.body, as: UTF8.self)
    for line in [
      "mambridge_check_ins_total{outcome=\"delivered\"} 1", "mambridge_enrollments_total 1",
      "mambridge_requests_total{route=\"/mam/v1/check-in\",status=\"200\"} 1",
      "mambridge_requests_total{route=\"other\",status=\"404\"} 1", "# TYPE mambridge_requests_total counter",
      "mambridge_request_duration_seconds_bucket{route=\"other\",le=\"+Inf\"} 1", "mambridge_open_polls 0",
      "mambridge_tenant_generation 1",
    ] { #expect(text.contains(line + "\n"), "\(line)") }
    #expect(await page.response(to: HTTPRequest("GET", "/"), from: "").status == 404)
    #expect(await page.response(to: HTTPRequest("POST", "/metrics"), from: "").status == 405)
  }

  @Test("Graph callers are authenticated, rate-limited and audited by the service")
  func administrators() async throws {
    var options = ServiceOptions()
    (options.requestBurst, options.requestsPerSecond) = (1, 0.1)
    let fixture = try await Fixture(options: options, graph: EchoRoutes())
    let url = "/v1.0/users?$top=1"
    #expect(await fixture.send("GET", url).body["authorization"] == "missing")
    let bad = HTTPHeaders(["Authorization": "Bearer bad"])
    #expect(await fixture.send("GET", url, bad).body["authorization"] == "refused")
    let admin = HTTPHeaders(["Authorization": "Bearer user:" + Fixture.admin])
    let answer = await fixture.send("PATCH", url, admin)
    #expect(answer.body["authorization"]?.stringValue == Fixture.admin)
    let limited = await fixture.send("GET", url, admin)
    #expect(limited.status == 429)
    #expect(limited.code == "TooManyRequests")
    #expect(limited.headers["Retry-After"] == "10")
    let audit = try await fixture.store.auditEntries(limit: 10).map(\.entry).filter { $0.action == .read }
    #expect(audit.map(\.subject) == ["PATCH /v1.0/users"])
    #expect(audit.first?.actor == Fixture.admin)
    #expect(audit.first?.outcome == "200")
  }

  @Test("A Graph caller without an object id is audited by a claim, or refused if no claim names one")
  func actors() async throws {
    let fixture = try await Fixture(graph: EchoRoutes())
    let claims: [JSONObject] = [
      ["sub": "folder"], ["azp": "", "sub": "service"], ["client_id": .string(Fixture.admin)], ["sub": ""], [:],
    ]
    for (number, claims) in claims.enumerated() {
      let caller = Caller(tenantId: nil, objectId: nil, roles: [], scopes: [], claims: claims)
      fixture.tokens.set("\(number)", .success(caller))
      let answer = await fixture.send("GET", "/v1.0/users", HTTPHeaders(["Authorization": "Bearer \(number)"]))
      #expect(answer.status == (number < 3 ? 200 : 403))
      #expect(number < 3 || answer.body["error"]?["message"]?.stringValue?.contains("names nobody") == true)
    }
    let audit = try await fixture.store.auditEntries(limit: 10).map(\.entry).filter { $0.action == .read }
    #expect(audit.map(\.actor) == ["sub:folder", "sub:service", "client_id:\(Fixture.admin)"])
  }

  @Test("A person without an object id is named by a claim, and a program by its client")
  func persons() {
    let claims: JSONObject = ["azp": "console", "sub": "7", "email": "alice@contoso.example", "oid": "x"]
    var caller = Caller(tenantId: nil, objectId: nil, roles: [], scopes: ["Tenant.Read"], claims: claims)
    #expect(caller.name == "sub:7")
    caller.userClaim = "email"
    #expect(caller.name == "email:alice@contoso.example")
    caller.scopes = []
    #expect(caller.name == "azp:console")
  }

  @Test("A successful Graph action is audited by its handler, and a repeated refusal once an hour")
  func auditOnce() async throws {
    let fixture = try await Fixture(graph: EchoRoutes())
    let admin = HTTPHeaders(["Authorization": "Bearer user:" + Fixture.admin])
    #expect(await fixture.send("POST", "/v1.0/users", admin).status == 204)
    for _ in 0..<5 { #expect(await fixture.send("DELETE", "/v1.0/users", admin).status == 403) }
    fixture.clock.advance(byMilliseconds: 3_601_000)
    #expect(await fixture.send("DELETE", "/v1.0/users", admin).status == 403)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry).filter { $0.actor == Fixture.admin }
    #expect(audit.map(\.action) == [.refuse, .refuse])
  }

  @Test("schema/tenant.openapi.json matches the code")
  func document() {
    #expect(Checkout.text("schema/tenant.openapi.json") == TenantDocument.text)
    #expect(Checkout.text("schema/administrators.openapi.json") == GraphDocument.text)
  }

  @Test("the document of administrators has every route, and a body for each that takes one")
  func administrators() throws {
    let bodiless = ["wipeAndBlockManagedApps", "unblockManagedApps"]
    let paths = try #require(GraphDocument.document["paths"]?.objectValue)
    let count = paths.members.reduce(0) { $0 + ($1.value.objectValue?.names.filter { $0 != "parameters" }.count ?? 0) }
    // A batch is no route.
    #expect(count == GraphRoute.all.count + 1)
    for route in GraphRoute.all where ["POST", "PATCH"].contains(route.method) {
      let isBodiless = bodiless.contains { route.path.hasSuffix($0) }
      #expect((GraphSchemas.body(of: route) == nil) == isBodiless, "\(route.method) \(route.path)")
    }
  }

  @Test("Check-in and readiness answers have exactly the members in the OpenAPI document")
  func answerMembers() async throws {
    let fixture = try await Fixture()
    try await fixture.store.holdWipes(because: "ticket 4711", by: "uid:0@host", at: fixture.clock.now)
    let schemas = TenantDocument.document["components"]?["schemas"]
    let answer = await fixture.host.checkIn().body.objectValue
    let hold = answer?["hold"]?.objectValue?.names ?? []
    #expect(Set(hold) == Set(schemas?["Hold"]?["properties"]?.objectValue?.names ?? []))
    let names = schemas?["CheckInAnswer"]?["properties"]?.objectValue?.names ?? []
    #expect(Set(answer?.names ?? []) == Set(names))
    let user = answer?["user"]?.objectValue?.names ?? []
    #expect(Set(user) == Set(schemas?["User"]?["properties"]?.objectValue?.names ?? []))
    let ready = await fixture.send("GET", "/health/ready").body.objectValue?.names ?? []
    #expect(Set(ready) == Set(schemas?["Readiness"]?["properties"]?.objectValue?.names ?? []))
  }
}

/// Answers with what the router knows of the caller.
private struct EchoRoutes: GraphRoutes {
  func response(
    to request: HTTPRequest, at target: HTTPTarget, by authorization: Authorization,
    report: @Sendable (GraphReport) -> Void
  ) async -> HTTPResponse {
    if request.method == "POST" { return HTTPResponse(204) }
    if request.method == "DELETE" { return HTTPResponse(403) }
    let text =
      switch authorization {
      case .caller(let caller): caller.objectId ?? ""
      case .missing: "missing"
      case .refused: "refused"
      case .unavailable: "unavailable"
      }
    return HTTPResponse(200, json: Array(JSONValue.object(["authorization": .string(text)]).jsonText.utf8))
  }
}
