import Database
import Glibc
import HTTP
import JSON
import Model
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// A tenant that administrators change, in a folder or in a database of replicas.
struct EditedWorld: Sendable {
  static let tenantId = "11111111-1111-4111-8111-111111111111"
  static let alice = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa"
  static let bob = "bbbbbbbb-1111-4111-8111-bbbbbbbbbbbb"
  static let start = Timestamp(milliseconds: 1_800_000_000_000)
  static let order = TenantEditOrder(actor: "admin", mayWipe: false)

  let temporary = TemporaryFolder(inMemory: true)
  let store: TenantStore
  let served: ServedTenant
  let editor: any TenantEditor
  private let engine: DatabaseEngine

  static let files: [String: String] = [
    "tenant.json": """
    {
      "tenantId": "\(tenantId)",
      "users": [
        {"id": "\(alice)", "userPrincipalName": "alice@contoso.example", "groups": ["staff"]},
        {"id": "\(bob)", "userPrincipalName": "bob@contoso.example", "groups": ["staff"]}
      ],
      "assignments": [{"policy": "policies/assigned.json", "groups": ["staff"]}]
    }

    """,
    "policies/ios.json": policy("T_1"), "policies/assigned.json": policy("T_assigned"),
    "policies/two.json": "[\(policy("T_2")),\n\(policy("T_3"))]",
  ]

  static func policy(_ id: String) -> String {
    """
    {
      "@odata.type": "#microsoft.graph.iosManagedAppProtection",
      "id": "\(id)", "kept":  {"a":1},
      "minimumPinLength": 4,
      "apps": [{"mobileAppIdentifier": {"bundleId": "com.contoso.mail"}}],
      "assignments": [{"target": {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "staff"}}]
    }
    """
  }

  init(
    _ engine: DatabaseEngine, settling: Duration = .zero, files: [String: String] = EditedWorld.files
  ) async throws {
    self.engine = engine
    for (name, text) in files { temporary.write(text, to: "tenant/\(name)") }
    store = try await TenantStore(Engines.open(engine, in: temporary))
    served = ServedTenant(store)
    switch engine {
    case .sqlite:
      editor = FolderEditor(
        folder: temporary.file("tenant"), store: store, served: served, clock: ManualClock(startingAt: Self.start),
        settling: settling)
    case .postgreSQL:
      editor = SnapshotEditor(store: store, served: served)
      try await store.publish(TenantFileSet(texts: files), by: "publish", at: Self.start)
    }
    await follow()
  }

  /// As the service does each second, or after a notice.
  func follow() async {
    if engine == .sqlite {
      _ = await served.follow(TenantFolderWatch(path: temporary.file("tenant")), at: Self.start)
    } else {
      try? await served.update()
    }
  }

  /// What is at the source now.
  func source() async throws -> TenantFileSet {
    guard engine == .sqlite else { return try #require(try await store.publishedFiles().files) }
    let content = try TenantFolderWatch(path: temporary.file("tenant")).read()
    guard case .whole(let files) = content else { throw DatabaseError(.failed, "the folder cannot be read") }
    return files
  }

  func edit(_ edits: TenantEdit...) async throws(GraphError) {
    try await editor.edit(Self.order) { _ in edits }
  }

  /// As an administrator's tool changes a member.
  func change(_ id: String, _ name: String, _ value: JSONValue) async throws(GraphError) {
    try await editor.edit(Self.order) { tenant throws(GraphError) in
      guard let policy = tenant.policy(id) else { throw .notFound(id) }
      var object = policy.object
      object[name] = value
      return [.set(policy.list, object)]
    }
  }

  func status(_ body: () async throws(GraphError) -> Void) async -> Int {
    do throws(GraphError) { try await body() } catch { return error.status }
    return 200
  }

  var policies: [String] { served.edition?.tenant.policies.map(\.id) ?? [] }

  func pinLength(_ id: String) -> JSONValue? {
    served.edition.flatMap { GraphTenant($0.tenant).policy(id)?.object["minimumPinLength"] }
  }
}

/// What an order changes, wherever the tenant is.
@Suite(.timeLimit(.minutes(5))) struct EditorTests {
  @Test(
    "An edit is served at once, audited under its actor, and changes no other byte of the files", arguments: Engines.all
  )
  func change(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await world.change("T_1", "minimumPinLength", 6)
    #expect(world.pinLength("T_1") == 6)
    var files = EditedWorld.files
    files["policies/ios.json"] = EditedWorld.policy("T_1").replacing(
      #""minimumPinLength": 4"#, with: #""minimumPinLength": 6"#)
    #expect(try await world.source().texts == files)
    let entries = try await world.store.auditEntries(limit: 100).map(\.entry)
    #expect(entries.last { $0.action == .publish }?.actor == "admin")
    let generation = world.served.edition?.generation
    await world.follow()
    #expect(world.served.edition?.generation == generation)
  }

  @Test("the core apps that Graph shows are not written into the file of a policy")
  func coreApps() async throws {
    var files = EditedWorld.files
    let text = """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_core", "minimumPinLength": 4,
       "appGroupType": "allCoreMicrosoftApps", "apps": [], "assignments": []}
      """
    files["policies/core.json"] = text
    let world = try await EditedWorld(.sqlite, files: files)
    try await world.editor.edit(EditedWorld.order) { tenant throws(GraphError) in
      guard let policy = tenant.policy("T_core"), policy.apps.count == 11, var object = policy.stored else {
        throw .notFound("T_core")
      }
      object["minimumPinLength"] = 6
      return [.set(.ios, object)]
    }
    let written = try await world.source().texts["policies/core.json"]
    #expect(written == text.replacing(#""minimumPinLength": 4"#, with: #""minimumPinLength": 6"#))
  }

  @Test("An edit that changes nothing makes no new edition", arguments: Engines.all)
  func nothing(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    let generation = world.served.edition?.generation
    try await world.change("T_assigned", "minimumPinLength", 4)
    // As the file has it, which is not how Graph shows it.
    for id in ["T_1", "T_assigned"] {
      let object = try #require(try JSONValue(parsing: EditedWorld.policy(id)).objectValue)
      try await world.edit(.set(.ios, object))
    }
    try await world.edit()
    #expect(world.served.edition?.generation == generation)
  }

  @Test("A new policy and a new user are served at once, and the policy is assigned to nobody", arguments: Engines.all)
  func add(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    let object: JSONObject = [
      "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_new", "displayName": "New",
      "isAssigned": false, "pinRequired": true, "apps": [], "assignments": [],
    ]
    let user: JSONObject = ["id": "cccccccc-1111-4111-8111-cccccccccccc", "userPrincipalName": "c@contoso.example"]
    try await world.edit(.set(.ios, object), .setUser(user))
    #expect(world.policies.contains("T_new"))
    #expect(world.served.edition?.tenant.users.count == 3)
    #expect(try await world.source().texts["policies/T_new.json"]?.contains("isAssigned") == false)
    #expect(GraphTenant(try #require(world.served.edition).tenant).policy("T_new")?.assignments == [])
  }

  @Test(
    "A deletion by an administrator is carried out, even of the last policy",
    arguments: Engines.all)
  func remove(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    for id in ["T_1", "T_assigned", "T_2", "T_3"] {
      try await world.edit(.remove(.ios, id: id))
      #expect(!world.policies.contains(id))
    }
    try await world.edit(.removeUser(id: EditedWorld.bob))
    #expect(world.policies.isEmpty)
    #expect(world.served.edition?.tenant.users.count == 1)
    #expect(world.served.edition?.held.isEmpty == true)
    #expect(try await world.source().texts.keys.sorted() == ["tenant.json"])
    await world.follow()
    #expect(world.served.edition?.held.isEmpty == true)
  }

  @Test("An edit that assigns a policy to nobody is carried out", arguments: Engines.all)
  func nobody(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    for id in ["T_1", "T_2", "T_3"] { try await world.change(id, "assignments", []) }
    let tenant = GraphTenant(try #require(world.served.edition).tenant)
    #expect(["T_1", "T_2", "T_3"].allSatisfy { tenant.policy($0)?.assignments == [] })
    #expect(world.served.edition?.held.isEmpty == true)
  }

  @Test(
    "Policies missing from the files are still held when an administrator deletes another policy",
    arguments: Engines.all)
  func held(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    var files = EditedWorld.files
    files["policies/two.json"] = nil
    if engine == .sqlite {
      unlink(world.temporary.file("tenant/policies/two.json"))
    } else {
      try await world.store.publish(TenantFileSet(texts: files), by: "publish", at: EditedWorld.start)
    }
    try await world.edit(.remove(.ios, id: "T_1"))
    #expect(world.policies == ["T_2", "T_3", "T_assigned"])
    #expect(world.served.edition?.held.policies == ["T_2", "T_3"])
    await world.follow()
    #expect(world.policies == ["T_2", "T_3", "T_assigned"])
  }

  @Test("A refused edit changes nothing", arguments: Engines.all)
  func refusals(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    let before = (try await world.source(), world.served.edition?.generation)
    let status = await [
      world.status { () async throws(GraphError) in try await world.change("T_assigned", "assignments", []) },
      world.status { () async throws(GraphError) in try await world.edit(.remove(.ios, id: "T_none")) },
      world.status { () async throws(GraphError) in try await world.change("T_1", "minimumPinLength", "four") },
      world.status { () async throws(GraphError) in
        try await world.editor.edit(EditedWorld.order) { _ throws(GraphError) in throw .badRequest("no") }
      },
      // The second part fails, so the first is not done either.
      world.status { () async throws(GraphError) in
        try await world.edit(.remove(.ios, id: "T_1"), .remove(.ios, id: "T_none"))
      },
    ]
    #expect(status == [409, 404, 400, 400, 404])
    #expect(try await world.source() == before.0)
    #expect(world.served.edition?.generation == before.1)
  }

  /// Registers a host of each user. Alice's system is older than Bob's.
  private func register(in world: EditedWorld) async throws {
    try await world.store.database.write { session throws(DatabaseError) in
      for (user, version) in [(EditedWorld.alice, "16.0"), (EditedWorld.bob, "18.0")] {
        try session.enroll(
          Registration(
            id: "r-\(user)", secretHash: [], tenantId: EditedWorld.tenantId, userId: user, appId: "com.contoso.mail",
            deviceTag: "device 1", facts: RegistrationFacts(["platform": "ios", "osVersion": .string(version)]),
            created: EditedWorld.start, lastSync: EditedWorld.start))
      }
    }
  }

  private func preview(
    _ members: JSONObject, in world: EditedWorld
  ) async throws -> [String: Int64] {
    let preview = try await world.editor.preview(EditedWorld.order) { tenant throws(GraphError) in
      guard let policy = tenant.policy("T_1") else { throw .notFound("T_1") }
      var object = policy.object
      for member in members.members { object[member.name] = member.value }
      return [.set(.ios, object)]
    }
    let counts = ["registrations", "wiped", "blocked", "freed"].map { name in
      (name, preview[name]?.integerValue ?? preview[name]?["count"]?.integerValue ?? -1)
    }
    return Dictionary(uniqueKeysWithValues: counts)
  }

  @Test(
    "A preview counts the devices that a change would wipe, block or free, and changes nothing",
    arguments: Engines.all)
  func previews(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await register(in: world)
    let generation = world.served.edition?.generation
    let none = ["registrations": 2, "wiped": 0, "blocked": 0, "freed": 0] as [String: Int64]
    #expect(try await preview(["minimumPinLength": 6], in: world) == none)
    #expect(
      try await preview(["minimumWipeOsVersion": "17.0"], in: world)
        == none.merging(["wiped": 1]) { $1 })
    #expect(
      try await preview(["minimumRequiredOsVersion": "19.0"], in: world)
        == none.merging(["blocked": 2]) { $1 })
    #expect(world.served.edition?.generation == generation)
    try await world.change("T_1", "minimumRequiredOsVersion", "17.0")
    #expect(
      try await preview(["minimumRequiredOsVersion": "16.0"], in: world)
        == none.merging(["freed": 1]) { $1 })
  }

  @Test("A change that would wipe a registered device needs the right to wipe", arguments: Engines.all)
  func wiping(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await register(in: world)
    let status = await world.status { () async throws(GraphError) in
      try await world.change("T_1", "minimumWipeOsVersion", "17.0")
    }
    #expect(status == 403)
    let source = try await world.source()
    #expect(source.texts == EditedWorld.files)
    let order = TenantEditOrder(actor: "admin", mayWipe: true)
    try await world.editor.edit(order) { tenant throws(GraphError) in
      guard let policy = tenant.policy("T_1") else { throw .notFound("T_1") }
      var object = policy.object
      object["minimumWipeOsVersion"] = "17.0"
      return [.set(.ios, object)]
    }
    // What would be wiped anyway is no reason to refuse another change.
    try await world.change("T_1", "minimumPinLength", 6)
    #expect(world.pinLength("T_1") == 6)
  }

  @Test(
    "A change that could wipe a device later needs the right to wipe",
    arguments: [
      ("appActionIfDeviceComplianceRequired", "wipe", 403), ("appActionIfDeviceComplianceRequired", "block", 200),
      ("appActionIfMaximumPinRetriesExceeded", "Wipe", 403), ("mobileThreatDefenseRemediationAction", "wipe", 403),
      ("minimumWipeAppVersion", "0.0.1", 403), ("minimumWipeOsVersion", nil, 200),
      ("periodOfflineBeforeWipeIsEnforced", "PT1M", 403), ("periodOfflineBeforeWipeIsEnforced", "P89D", 403),
      ("periodOfflineBeforeWipeIsEnforced", "P90D", 200), ("periodOfflineBeforeWipeIsEnforced", "P365D", 200),
      ("periodOfflineBeforeWipeIsEnforced", "P0D", 200), ("periodOfflineBeforeWipeIsEnforced", nil, 200),
      ("periodOfflineBeforeAccessCheck", "PT1M", 200),
    ] as [(String, JSONValue?, Int)])
  func latent(name: String, value: JSONValue?, expected: Int) async throws {
    let world = try await EditedWorld(.sqlite)
    let status = await world.status { () async throws(GraphError) in
      try await world.change("T_1", name, value ?? .null)
    }
    #expect(status == expected)
    var object = try #require(try JSONValue(parsing: EditedWorld.policy("T_2")).objectValue)
    object["id"] = "T_new"
    object[name] = value ?? .null
    let added = await world.status { () async throws(GraphError) in try await world.edit(.set(.ios, object)) }
    #expect(added == expected)
  }

  @Test(
    "Shortening the offline wipe period or disabling a user needs the right to wipe",
    arguments: [
      ("P45D", "P30D", 403), ("P45D", "P45D", 200), ("P45D", "P0D", 200), ("P0D", "P365D", 403), ("P365D", nil, 403),
    ] as [(JSONValue, JSONValue?, Int)])
  func shortened(before: JSONValue, after: JSONValue?, expected: Int) async throws {
    let world = try await EditedWorld(.sqlite)
    try await world.editor.edit(TenantEditOrder(actor: "admin", mayWipe: true)) { tenant throws(GraphError) in
      guard var object = tenant.policy("T_1")?.object else { throw .notFound("T_1") }
      object["periodOfflineBeforeWipeIsEnforced"] = before
      return [.set(.ios, object)]
    }
    let status = await world.status { () async throws(GraphError) in
      try await world.change("T_1", "periodOfflineBeforeWipeIsEnforced", after ?? .null)
    }
    #expect(status == expected)
    let user: JSONObject = ["id": .string(EditedWorld.bob), "accountEnabled": false]
    let disabled = await world.status { () async throws(GraphError) in try await world.edit(.setUser(user)) }
    #expect(disabled == 403)
  }

  @Test("An edit that makes a file of the tenant folder too large is refused with 409") func excess() async throws {
    let world = try await EditedWorld(.sqlite)
    let status = await world.status { () async throws(GraphError) in
      try await world.change("T_1", "description", .string(String(repeating: "x", count: TenantFileLimits.largestFile)))
    }
    #expect(status == 409)
    #expect(try await world.source().texts == EditedWorld.files)
  }

  @Test("Concurrent edits of the same policy are all applied", arguments: Engines.all)
  func together(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in ["a", "b", "c", "d"] {
        group.addTask { try await world.change("T_1", name, 1) }
      }
      try await group.waitForAll()
    }
    let object = GraphTenant(try #require(world.served.edition).tenant).policy("T_1")?.object
    #expect(["a", "b", "c", "d"].allSatisfy { object?[$0] == 1 })
  }
}
