import Database
import Glibc
import JSON
import Support
import Tenancy
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct HeldRemovalTests {
  /// The users of the fixture, without some of them.
  private static func tenant(without ids: Set<String>, alice more: JSONObject = [:]) -> JSONValue {
    var tenant = Fixture.tenant(alice: more).objectValue ?? [:]
    let users = tenant["users"]?.arrayValue ?? []
    tenant["users"] = .array(users.filter { !ids.contains($0["id"]?.stringValue ?? "") })
    return .object(tenant)
  }

  private static func policy(_ id: String, assignments: JSONValue?) -> String {
    var policy: JSONObject = [
      "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": .string(id), "pinRequired": true,
    ]
    policy["assignments"] = assignments
    return JSONValue.object(policy).jsonText
  }

  private func metric(_ fixture: Fixture) -> String? {
    fixture.service.metricsText.split(separator: "\n").first { $0.hasPrefix("mambridge_held_removals ") }
      .map { String($0.dropFirst("mambridge_held_removals ".count)) }
  }

  /// The version that is served now, read from the store as after a restart.
  private func restarted(_ fixture: Fixture) async throws -> TenantEdition? {
    let served = ServedTenant(fixture.store)
    try await served.update()
    return served.edition
  }

  @Test("A tenant file that lists no users keeps all users, and log, metrics and health report it")
  func nobody() async throws {
    let fixture = try await Fixture()
    let etag = await fixture.host.checkIn().etag
    #expect(metric(fixture) == "0")
    await fixture.write(Self.tenant(without: [Fixture.alice, Fixture.bob, Fixture.carol, Fixture.dave]))
    let answer = await fixture.host.checkIn()
    #expect(answer.outcome == "delivered")
    #expect(answer.etag == etag)
    #expect(metric(fixture) == "4")
    let ready = await fixture.send("GET", "/health/ready")
    #expect(ready.status == 200)
    #expect(ready.body["heldRemovals"] == 4)
    let line = fixture.lines.withLock { $0.last { $0.hasPrefix("serving version") } }
    #expect(line?.contains("keeps 4 users") == true)
    #expect(line?.contains("mambridge-tenant accept") == true)
    #expect(line?.contains("contoso.example") == false)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.contains { $0.action == .hold && $0.outcome.hasPrefix("4 users") })
    #expect(try await restarted(fixture)?.held.users.count == 4)
  }

  @Test(
    "A removed, empty or unassigned policy is still delivered while its removal is held",
    arguments: ["gone", "empty", "unassigned"])
  func policy(how: String) async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().ids("policies") == ["T_ios"])
    switch how {
    case "gone": unlink(fixture.folder.file("tenant/policies/ios.json"))
    case "empty": fixture.folder.write("[]", to: "tenant/policies/ios.json")
    default:
      fixture.folder.write(
        Self.policy("T_ios", assignments: []),
        to: "tenant/policies/ios.json")
    }
    await fixture.load()
    #expect(await fixture.host.checkIn().ids("policies") == ["T_ios"], "\(how)")
    #expect(metric(fixture) == "1")
    // Another change applies meanwhile.
    await fixture.write(Fixture.tenant(alice: ["displayName": "Another name"]))
    let answer = await fixture.host.checkIn()
    #expect(answer.body["user"]?["displayName"] == "Another name")
    #expect(answer.ids("policies") == ["T_ios"])
  }

  @Test("Disabled users, wipes and new policies take effect while removals are held")
  func instructions() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    unlink(fixture.folder.file("tenant/policies/ios.json"))
    fixture.folder.write(
      Self.policy("T_new", assignments: nil),
      to: "tenant/policies/new.json")
    var tenant = Self.tenant(without: [Fixture.bob, Fixture.carol]).objectValue ?? [:]
    tenant["operations"] = [["type": "wipe", "app": "*", "user": .string(Fixture.alice)]]
    await fixture.write(.object(tenant))
    let answer = await fixture.host.checkIn()
    #expect(answer.ids("policies") == ["T_ios", "T_new"])
    #expect(answer.operations.count == 1)
    await fixture.write(Self.tenant(without: [Fixture.bob, Fixture.carol], alice: ["accountEnabled": false]))
    #expect(await fixture.host.checkIn().outcome == "userDisabled")
    #expect(metric(fixture) == "3")
  }

  @Test("Neither removal in small steps nor a restart gets around the limit on removals")
  func steps() async throws {
    let users = (0..<20).map { number -> JSONValue in
      let id = "77777777-0000-4000-8000-0000000000\(number + 10)"
      return ["id": .string(id), "userPrincipalName": .string("user\(number)@contoso.example"), "groups": ["staff"]]
    }
    func tenant(_ count: Int) -> JSONValue {
      ["tenantId": .string(Fixture.tenantId), "users": .array(Array(users.suffix(count)))]
    }
    let fixture = try await Fixture(tenant: tenant(20))
    var counts: [Int] = []
    for count in (14..<20).reversed() {
      fixture.folder.write(tenant(count).jsonText, to: "tenant/tenant.json")
      // A service that has just started.
      let service = TenantService(
        store: fixture.store, served: ServedTenant(fixture.store), tokens: fixture.tokens, clock: fixture.clock
      ) { _ in }
      await service.load(folder: TenantFolderWatch(path: fixture.folder.file("tenant")))
      counts.append(service.parts.served.edition?.tenant.users.count ?? 0)
    }
    #expect(counts == [19, 18, 18, 18, 18, 18])
  }

  @Test("An administrator can accept held removals, and a running service then applies them")
  func accept() async throws {
    let fixture = try await Fixture()
    #expect(await fixture.host.checkIn().status == 200)
    unlink(fixture.folder.file("tenant/policies/ios.json"))
    await fixture.write(Self.tenant(without: [Fixture.bob]))
    #expect(try await fixture.store.heldRemovals().count == 2)
    let removed = try await fixture.store.acceptRemovals(by: "accept", at: fixture.clock.now)
    #expect(removed.policies == ["T_ios"])
    #expect(removed.users == [Fixture.bob])
    await fixture.service.updateEdition()
    #expect(await fixture.host.checkIn().ids("policies") == ["G_default"])
    #expect(metric(fixture) == "0")
    #expect(try await fixture.store.heldRemovals().isEmpty)
    #expect(try await fixture.store.acceptRemovals(by: "accept", at: fixture.clock.now).isEmpty)
    let audit = try await fixture.store.auditEntries(limit: 100).map(\.entry)
    #expect(audit.last { $0.action == .accept }?.actor == "accept")
    // What was accepted is what later versions are compared with.
    await fixture.write(Self.tenant(without: [Fixture.bob], alice: ["displayName": "A"]))
    #expect(metric(fixture) == "0")
  }

  @Test("Accepting held removals fails if more are held than the administrator saw") func revision() async throws {
    let fixture = try await Fixture()
    await fixture.write(Self.tenant(without: [Fixture.bob]))
    let shown = try await fixture.store.heldRevision()
    #expect(shown.held.users == [Fixture.bob])
    await fixture.write(Self.tenant(without: [Fixture.bob, Fixture.carol]))
    await #expect(throws: PublicationFailure.outdated) {
      try await fixture.store.acceptRemovals(by: "accept", at: fixture.clock.now, revision: shown.revision)
    }
    #expect(try await fixture.store.heldRemovals().users.count == 2)
    let revision = try await fixture.store.heldRevision().revision
    let accepted = try await fixture.store.acceptRemovals(by: "accept", at: fixture.clock.now, revision: revision)
    #expect(accepted.users.count == 2)
  }

  @Test("The log names each served version once") func announcedOnce() async throws {
    let fixture = try await Fixture()
    for name in ["A", "B"] {
      await fixture.write(Fixture.tenant(alice: ["displayName": .string(name)]))
      await fixture.service.updateEdition()
    }
    await fixture.write(Self.tenant(without: [Fixture.bob]))
    await fixture.service.updateEdition()
    let served = fixture.lines.withLock { $0.filter { $0.hasPrefix("serving version") } }
    #expect(served.map { String($0.prefix(17)) } == (1...4).map { "serving version \($0)" })
  }

  @Test("A removal is no longer held once the removed user is listed again")
  func back() async throws {
    let fixture = try await Fixture()
    await fixture.write(Self.tenant(without: [Fixture.bob]))
    #expect(metric(fixture) == "1")
    await fixture.write(Fixture.tenant())
    #expect(metric(fixture) == "0")
  }

  private func audit(_ fixture: Fixture) async throws -> [AuditEntry.Action] {
    try await fixture.store.auditEntries(limit: 100).map(\.entry.action).filter { $0 == .hold || $0 == .accept }
  }

  @Test("Removals stay held while a policy is unreadable, and restoring a policy counts as no acceptance")
  func brokenPolicy() async throws {
    let fixture = try await Fixture()
    fixture.folder.write(Self.policy("T_more", assignments: nil), to: "tenant/policies/more.json")
    await fixture.load()
    unlink(fixture.folder.file("tenant/policies/more.json"))
    await fixture.load()
    #expect(metric(fixture) == "1")
    fixture.folder.write("{", to: "tenant/policies/ios.json")
    await fixture.load()
    #expect(metric(fixture) == "1")
    #expect(try await fixture.store.heldRemovals().policies == ["T_more"])
    #expect(await fixture.host.checkIn().ids("policies") == ["T_ios", "T_more"])
    fixture.folder.write(Self.policy("T_ios", assignments: nil), to: "tenant/policies/ios.json")
    await fixture.load()
    #expect(metric(fixture) == "1")
    fixture.folder.write(Self.policy("T_more", assignments: nil), to: "tenant/policies/more.json")
    await fixture.load()
    #expect(metric(fixture) == "0")
    #expect(try await audit(fixture) == [.hold])
  }

  @Test("Held users stay held while users are added, even after a restart") func dilution() async throws {
    let fixture = try await Fixture()
    var tenant = try #require(Self.tenant(without: [Fixture.bob]).objectValue)
    await fixture.write(.object(tenant))
    #expect(metric(fixture) == "1")
    let users = (10..<60).map { number -> JSONValue in
      let id = "77777777-0000-4000-8000-0000000000\(number)"
      return ["id": .string(id), "userPrincipalName": .string("user\(number)@contoso.example")]
    }
    tenant["users"] = .array((tenant["users"]?.arrayValue ?? []) + users)
    await fixture.write(.object(tenant))
    #expect(metric(fixture) == "1")
    #expect(try await restarted(fixture)?.user(Fixture.bob) != nil)
    #expect(try await audit(fixture) == [.hold])
  }

  @Test("A folder with another tenant id is not served until an administrator accepts the change") func otherTenant()
    async throws
  {
    let fixture = try await Fixture()
    var tenant = try #require(Fixture.tenant().objectValue)
    let other = "11111111-1111-4111-8111-111111111111"
    tenant["tenantId"] = .string(other)
    tenant["users"] = []
    await fixture.write(.object(tenant))
    #expect(try await restarted(fixture)?.tenantId == Fixture.tenantId)
    #expect(fixture.service.metricsText.contains("mambridge_tenant_problem 1\n"))
    #expect(try await fixture.store.heldRemovals().tenants == [Fixture.tenantId])
    // Nor does one edition of it change what later ones are compared with.
    await fixture.write(Self.tenant(without: [Fixture.bob, Fixture.carol]))
    #expect(metric(fixture) == "2")
    await fixture.write(.object(tenant))
    _ = try await fixture.store.acceptRemovals(by: "accept", at: fixture.clock.now)
    #expect(try await restarted(fixture)?.tenantId == other)
    #expect(try await fixture.store.heldRemovals().isEmpty)
  }

  @Test("An unreadable stored version does not make the service accept removals") func unreadable() async throws {
    let fixture = try await Fixture()
    try await fixture.database.write { session throws(DatabaseError) in
      try session.run("DELETE FROM accepted_edition")
      guard let stored = try session.snapshot() else { return }
      let text = String(decoding: stored.body, as: UTF8.self)
      let body = text.replacing(#"\"pinRequired\":true"#, with: #"\"pinRequired\":\"maybe\""#)
      try session.run("UPDATE snapshot SET body = :body", ["body": .bytes(Array(body.utf8))])
    }
    for name in ["ios", "default"] { unlink(fixture.folder.file("tenant/policies/\(name).json")) }
    await fixture.write(Self.tenant(without: [Fixture.alice, Fixture.bob, Fixture.carol, Fixture.dave]))
    #expect(await fixture.host.checkIn().ids("policies") == ["T_ios"])
    #expect(fixture.lines.withLock { $0.contains { $0.contains("mambridge-tenant accept") } })
    #expect(try await fixture.store.heldRemovals().unreadable.contains("T_ios"))
    _ = try await fixture.store.acceptRemovals(by: "accept", at: fixture.clock.now)
    #expect(try await restarted(fixture)?.tenant.users.isEmpty == true)
  }

  @Test("A store of an older program compares removals with the version it serves")
  func upgrade() async throws {
    let fixture = try await Fixture()
    try await fixture.database.write { session throws(DatabaseError) in
      try session.run("DELETE FROM accepted_edition")
    }
    await fixture.write(Self.tenant(without: [Fixture.bob]))
    #expect(metric(fixture) == "1")
  }
}
