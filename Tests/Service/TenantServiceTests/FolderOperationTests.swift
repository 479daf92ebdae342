import JSON
import Tenancy
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct FolderOperationTests {
  @Test("An operation for an unknown user name in tenant.json is logged and counted until it is fixed")
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

  @Test("An operation in tenant.json is ordered once, and canceled when it is removed")
  func folder() async throws {
    let fixture = try await Fixture()
    let host = fixture.host
    #expect(await host.checkIn().operations == [])
    let operation: JSONValue = [
      "type": "wipe", "app": "*", "user": "alice@contoso.example", "requestedDateTime": "2027-01-01T00:00:00Z",
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

  @Test("An operation in tenant.json that found no registration never applies to a later enrollment")
  func old() async throws {
    let operation: JSONValue = ["type": "wipe", "app": "*", "user": "alice@contoso.example"]
    let fixture = try await Fixture(tenant: Fixture.tenant(operations: [operation]))
    await fixture.run(days: 401)
    #expect(await fixture.host.checkIn().operations == [])
    await fixture.write(Fixture.tenant(operations: [operation], alice: ["displayName": "Another name"]))
    #expect(await fixture.host.checkIn().operations == [], "Alice enrolled after the operation")
  }

  @Test("A wipe stays ordered as long as its tenant.json entry, even if the user leaves or gets a new id")
  func folderLeaver() async throws {
    let operation: JSONValue = ["type": "wipe", "app": "*", "user": "alice@contoso.example"]
    for change in ["gone", "another id"] {
      let fixture = try await Fixture(limit: RemovalLimit(percent: 100))
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

  @Test("Two entries in tenant.json that name the same user differently order one wipe")
  func folderNames() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    func entry(_ user: String) -> JSONValue { ["type": "wipe", "app": "*", "user": .string(user)] }
    await fixture.write(Fixture.tenant(operations: [entry("alice@contoso.example"), entry(Fixture.alice)]))
    #expect(try await fixture.states(fixture.host.id) == [.pending])
    await fixture.write(Fixture.tenant(operations: [entry(Fixture.alice)], alice: ["displayName": "A"]))
    await fixture.write(Fixture.tenant(operations: [entry(Fixture.alice)]))
    #expect(try await fixture.states(fixture.host.id) == [.pending])
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry.action)
    #expect(audit.filter { $0 == .order }.count == 1)
    #expect(!audit.contains(.cancel))
  }

  @Test(
    "Only a valid operations list without the entry cancels an operation of tenant.json",
    arguments: ["absent", "null", "misspelled", "without app", "not a list", "empty"])
  func lost(how: String) async throws {
    let operation: JSONObject = [
      "type": "wipeAndBlock", "app": "com.example.mail", "user": "alice@contoso.example",
      "requestedDateTime": "2027-01-01T00:00:00Z",
    ]
    let fixture = try await Fixture(tenant: Fixture.tenant(operations: [.object(operation)]))
    #expect(await fixture.host.checkIn().operations.count == 1)
    var tenant = try #require(Fixture.tenant().objectValue)
    var damaged = operation
    switch how {
    case "absent": tenant["operations"] = nil
    case "null": tenant["operations"] = .null
    case "misspelled":
      damaged["type"] = "WipeAndBlock"
      tenant["operations"] = [.object(damaged)]
    case "without app":
      damaged["app"] = nil
      tenant["operations"] = [.object(damaged)]
    case "not a list": tenant["operations"] = "none"
    default: break
    }
    await fixture.write(.object(tenant))
    #expect(await fixture.host.checkIn().operations.count == (how == "empty" ? 0 : 1), "\(how)")
    var other = fixture.host
    other.app = "com.example.notes"
    other.id = "aaaaaaaa-0000-4000-8000-000000000009"
    #expect(await other.checkIn().operations == [], "\(how)")
  }

  @Test("wipeAndBlock in tenant.json also applies to later enrollments of its app until it is removed")
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
}
