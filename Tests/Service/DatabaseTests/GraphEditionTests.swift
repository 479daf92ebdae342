import Database
import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// The history of the tenant over HTTPS.
@Suite(.timeLimit(.minutes(5))) struct GraphEditionTests {
  private static let list = "/v1.0/mambridge/editions"

  /// A tenant with three editions, and its service.
  private struct History {
    let world: EditedWorld
    let graph: GraphService

    init(_ engine: DatabaseEngine) async throws {
      world = try await EditedWorld(engine)
      try await world.change("T_2", "customSettings", [["name": "key", "value": "secret-1"]])
      try await world.change("T_1", "saveAsBlocked", true)
      var settings = GraphService.Settings(publicURL: "https://tenant.example")
      settings.administrators = try GraphAdministrators(auditRoles: ["Auditor"])
      graph = GraphService(settings, store: world.store, served: world.served)
    }

    func get(_ path: String, _ role: String = "Auditor") async throws -> (status: Int, value: JSONValue) {
      try await send("GET", path, role)
    }

    func send(_ method: String, _ path: String, _ role: String) async throws -> (status: Int, value: JSONValue) {
      let url = GraphEditionTests.list + path
      let caller = Caller(tenantId: nil, objectId: EditedWorld.alice, roles: [role], scopes: [], claims: [:])
      let response = await graph.response(
        to: HTTPRequest(method, url), at: try #require(HTTPTarget(url)), by: .caller(caller)
      ) { _ in }
      return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    func texts(_ path: String) async throws -> [String] {
      let (status, value) = try await get(path)
      #expect(status == 200, "\(value.jsonText)")
      return value["value"]?.arrayValue?.compactMap { $0["text"]?.stringValue } ?? []
    }
  }

  @Test("lists the editions, the newest first, in pages", arguments: Engines.all)
  func list(engine: DatabaseEngine) async throws {
    let history = try await History(engine)
    let all = try await history.get("").value["value"]?.arrayValue ?? []
    #expect(all.map { $0["id"]?.stringValue } == ["3", "2", "1"])
    #expect(all.first?["actor"] == "admin")
    #expect(all.last?["actor"] == (engine == .sqlite ? "folder" : "publish"))
    #expect(all.allSatisfy { $0["digest"]?.stringValue?.count == 64 && $0["apps"] == 0 })
    #expect(try await history.get("/2").value["edition"] == 2)
    let page = try await history.get("?$top=2").value
    let next = try #require(page["@odata.nextLink"]?.stringValue)
    let rest = try await history.get(String(next.dropFirst("https://tenant.example\(Self.list)".count))).value
    #expect(rest["value"]?.arrayValue?.map { $0["id"]?.stringValue } == ["1"])
    #expect(try await history.get("?$orderby=edition&$top=1").value["value"]?.arrayValue?.first?["id"] == "1")
  }

  @Test("says what an edition has changed, without the values of customSettings", arguments: Engines.all)
  func changes(engine: DatabaseEngine) async throws {
    let history = try await History(engine)
    #expect(try await history.texts("/3/changes") == [#"policy "T_1": saveAsBlocked: null -> true"#])
    let second = try await history.texts("/2/changes")
    #expect(second.count == 1 && second[0].contains("not set -> sha256:") && !second[0].contains("secret"))
    #expect(try await history.texts("/1/changes").contains(#"policy "T_1": added"#))
    try await history.world.store.database.write { session throws(DatabaseError) in
      try session.run("DELETE FROM edition WHERE number = 1")
    }
    let (status, value) = try await history.get("/2/changes")
    #expect(status == 409)
    #expect(value["error"]?["message"]?.stringValue?.contains("no longer kept") == true)
  }

  @Test("says what changes in decisions between two editions", arguments: Engines.all)
  func differences(engine: DatabaseEngine) async throws {
    let history = try await History(engine)
    let there = try await history.texts("/3/differences?from=1")
    #expect(there.contains { $0.hasPrefix("tighter: 2 users, ") && $0.contains("saveAs: allowed -> blocked") })
    #expect(try await history.texts("/1/differences?from=3").allSatisfy { $0.hasPrefix("looser: ") })
    #expect(try await history.texts("/2/differences?from=2").isEmpty)
    #expect(try await history.get("/3/differences?from=1&$top=1").value["@odata.nextLink"] != nil)
  }

  @Test(
    "refuses what is not there, and whoever has no right to it",
    arguments: [
      ("GET", "/9", "Auditor", 404), ("GET", "/x/changes", "Auditor", 404), ("GET", "/0", "Auditor", 404),
      ("GET", "/-1/changes", "Auditor", 404), ("GET", "/9/differences?from=1", "Auditor", 404),
      ("GET", "/1/differences?from=9", "Auditor", 404), ("GET", "/1/differences", "Auditor", 400),
      ("GET", "?$filter=nothing%20eq%201", "Auditor", 400), ("GET", "/1/changes?from=2", "Auditor", 400),
      ("DELETE", "/1", "Auditor", 405), ("POST", "", "Auditor", 405),
      ("GET", "", GraphAdministrators.writeRole, 403), ("GET", "/1", GraphAdministrators.readRole, 403),
      ("GET", "/1/changes", GraphAdministrators.readRole, 403),
      ("GET", "/2/differences?from=1", GraphAdministrators.writeRole, 403), ("GET", "/9", "Nobody", 403),
    ])
  func refusals(method: String, path: String, role: String, status: Int) async throws {
    let (found, value) = try await History(.sqlite).send(method, path, role)
    #expect(found == status, "\(value.jsonText)")
    guard status == 403, role != "Nobody" else { return }
    #expect(value["error"]?["message"]?.stringValue?.contains("read the history") == true)
    #expect(value["error"]?["message"]?.stringValue?.contains("the role Auditor") == true)
  }
}
