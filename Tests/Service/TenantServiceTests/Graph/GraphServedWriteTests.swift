import HTTP
import JSON
import Support
import Tenancy
import Testing

@testable import TenantService

@Suite("Graph writes in the service") struct GraphServedWriteTests {
  typealias Editor = GraphEditorDouble
  static let url = "/beta/deviceAppManagement/iosManagedAppProtections"

  func fixture(_ graph: any GraphRoutes) async throws -> Fixture {
    let fixture = try await Fixture(graph: graph)
    for (token, roles) in [("writer", ["Writer"]), ("reader", [GraphAdministrators.readRole])]
      as [(String, Set<String>)]
    {
      fixture.tokens.set(
        token,
        .success(Caller(tenantId: nil, objectId: Fixture.admin, roles: roles, scopes: [], claims: [:])))
    }
    return fixture
  }

  func send(
    _ fixture: Fixture, _ method: String, _ url: String, _ body: JSONValue? = nil, token: String = "writer"
  ) async -> Answer {
    let headers = HTTPHeaders(["Authorization": "Bearer \(token)", "Content-Type": "application/json"])
    return await fixture.send(method, url, headers, body.map { Array($0.jsonText.utf8) } ?? [])
  }

  func audit(_ fixture: Fixture) async throws -> [String] {
    try await fixture.store.auditEntries(limit: 100).map(\.entry).filter { $0.actor == Fixture.admin }
      .map { "\($0.action.rawValue) \($0.subject) \($0.outcome)" }
  }

  @Test("The audit has every Graph call with actor, path and outcome, also the calls in a batch")
  func audited() async throws {
    let editor = try Editor()
    let fixture = try await fixture(editor.service)
    #expect(await send(fixture, "POST", Self.url, ["displayName": "N"]).status == 201)
    #expect(await send(fixture, "PATCH", "\(Self.url)/\(Editor.policy)", ["description": "d"]).status == 204)
    #expect(await send(fixture, "PATCH", "\(Self.url)/\(Editor.policy)", ["x": 1]).status == 400)
    #expect(await send(fixture, "DELETE", "\(Self.url)/\(Editor.policy)", token: "reader").status == 403)
    let parts: JSONValue = [
      ["id": 1, "method": "DELETE", "url": .string("/deviceAppManagement/managedAppPolicies/\(Editor.policy)")],
      ["id": 2, "method": "GET", "url": "/users"],
    ]
    #expect(await send(fixture, "POST", "/beta/$batch", ["requests": parts]).status == 200)
    #expect(await send(fixture, "GET", Self.url).status == 200)
    #expect(
      try await audit(fixture) == [
        "write POST \(Self.url) 201", "write PATCH \(Self.url)/\(Editor.policy) 204",
        "write PATCH \(Self.url)/\(Editor.policy) 400", "refuse DELETE \(Self.url)/\(Editor.policy) 403",
        "write DELETE /beta/deviceAppManagement/managedAppPolicies/\(Editor.policy) 204", "read GET /beta/users 200",
        "read GET \(Self.url) 200",
      ])
  }

  @Test("Each request in a batch counts against the rate limit")
  func limits() async throws {
    let fixture = try await fixture(try Editor().service)
    let parts = (0..<20).map { JSONValue.object(["id": .integer($0), "method": "GET", "url": "/users"]) }
    var statuses: [Int] = []
    for _ in 0..<8 { statuses.append(await send(fixture, "POST", "/beta/$batch", ["requests": .array(parts)]).status) }
    #expect(statuses.first == 200)
    #expect(statuses.last == 429)
  }

  @Test("wipeAndBlockManagedApps also wipes apps that enroll later, until unblockManagedApps")
  func blocks() async throws {
    let fixture = try await Fixture()
    let served = ServedTenant(fixture.store, limit: RemovalLimit())
    try await served.update()
    let graph = GraphService(
      GraphService.Settings(publicURL: "https://tenant.example"), store: fixture.store, served: served,
      clock: fixture.clock)
    let caller = Caller(
      tenantId: nil, objectId: Fixture.admin, roles: [GraphAdministrators.writeRole], scopes: [], claims: [:])
    func order(_ action: String) async throws -> HTTPResponse {
      let url = "/beta/users/\(Fixture.alice)/\(action)"
      let target = try #require(HTTPTarget(url))
      return await graph.response(to: HTTPRequest("POST", url), at: target, by: .caller(caller)) { _ in }
    }
    #expect(await fixture.host.checkIn().operations == [])
    #expect(try await order("unblockManagedApps").status == 400)
    #expect(try await order("wipeAndBlockManagedApps").status == 204)
    #expect(await fixture.host.checkIn().operations.count == 1)
    var other = fixture.host
    (other.id, other.tag) = ("aaaaaaaa-0000-4000-8000-000000000002", "tag-2")
    #expect(await other.checkIn().operations.count == 1)
    #expect(try await order("wipeAndBlockManagedApps").status == 204)
    #expect(await other.checkIn().operations.count == 1)
    #expect(try await order("unblockManagedApps").status == 204)
    #expect(await other.checkIn().operations == [])
    #expect(await fixture.host.checkIn().operations == [])
    #expect(try await order("unblockManagedApps").status == 400)
  }
}
