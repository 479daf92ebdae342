import Database
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// Every version that was served is kept.
@Suite(.timeLimit(.minutes(5))) struct EditionTests {
  @Test("Each edition is kept with its actor and reads back unchanged", arguments: Engines.all)
  func kept(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await world.change("T_1", "minimumPinLength", 6)
    try await world.edit(.remove(.ios, id: "T_2"))
    let editions = try await world.store.editions()
    #expect(editions.map(\.number) == [3, 2, 1])
    #expect(editions.map(\.actor) == ["admin", "admin", engine == .sqlite ? "folder" : "publish"])
    let first = try await world.store.files(ofEdition: 1)
    #expect(first?.served.texts == EditedWorld.files)
    #expect(first?.source.texts == EditedWorld.files)
    #expect(try await world.store.files(ofEdition: 3)?.served == world.source())
    #expect(try await world.store.files(ofEdition: 4)?.served == nil)
  }

  @Test(
    "The audit lists changes member by member, with hashes instead of values of customSettings", arguments: Engines.all)
  func audit(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await world.change("T_1", "minimumPinLength", 6)
    try await world.change("T_1", "customSettings", [["name": "key", "value": "secret-1"]])
    try await world.change("T_1", "customSettings", [["name": "key", "value": "secret-2"]])
    let entries = try await world.store.auditEntries(limit: 100).map(\.entry).filter { $0.action == .edit }
    #expect(entries.allSatisfy { $0.actor == "admin" })
    #expect(entries.first?.outcome == #"policy "T_1": minimumPinLength: 4 -> 6"#, "\(entries)")
    let texts = entries.map(\.outcome).filter { $0.contains("customSettings") }
    #expect(texts.count == 2)
    #expect(texts.allSatisfy { $0.contains("sha256:") && !$0.contains("secret") })
    #expect(texts.first?.contains("not set -> sha256:") == true)
  }

  @Test("who joins and who leaves a group is in the audit, whoever has changed the folder")
  func groups() async throws {
    let world = try await EditedWorld(.sqlite)
    let file = (EditedWorld.files["tenant.json"] ?? "").replacing(
      #""bob@contoso.example", "groups": ["staff"]"#, with: #""bob@contoso.example", "groups": ["Guests", "Night"]"#)
    world.temporary.write(file, to: "tenant/tenant.json")
    await world.follow()
    func edits(by actor: String) async throws -> [String] {
      let entries = try await world.store.auditEntries(limit: 100).map(\.entry)
      return entries.filter { $0.action == .edit && $0.actor == actor }.map(\.outcome)
    }
    #expect(
      try await edits(by: "folder") == [
        "1 user changed", #"group "guests": 1 user joined"#, #"group "night": 1 user joined"#,
      ])
    // A group that a policy is assigned to loses nobody until somebody accepts it.
    _ = try await world.store.acceptRemovals(by: "accept", at: EditedWorld.start)
    #expect(try await edits(by: "accept") == ["1 user changed", #"group "staff": 1 user left"#])
  }

  @Test("While removals are held, an edition keeps the written files beside the served ones") func held() async throws {
    let world = try await EditedWorld(.sqlite)
    var texts = EditedWorld.files
    texts["policies/two.json"] = nil
    try await world.store.publish(TenantFileSet(texts: texts), by: "folder", at: EditedWorld.start)
    let files = try #require(try await world.store.files(ofEdition: 2))
    #expect(files.source.texts == texts)
    #expect(files.served != files.source)
  }

  private func publish(_ texts: [String: String], in world: EditedWorld) async throws(PublicationFailure) -> Int64 {
    try await world.store.publish(
      TenantFileSet(texts: texts), by: TenantStore.publisher, at: EditedWorld.start, keepsEdits: true
    ).generation
  }

  @Test(
    "publish refuses a folder that takes back changes of administrators and names the files",
    arguments: Engines.replicated)
  func edits(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    var folder = EditedWorld.files
    try await world.change("T_1", "minimumPinLength", 6)
    try await world.edit(.remove(.ios, id: "T_2"))
    folder["policies/assigned.json"] = EditedWorld.policy("T_assigned").replacing("4", with: "5")
    do throws(PublicationFailure) {
      _ = try await publish(folder, in: world)
      Issue.record("it was published")
    } catch {
      guard case .edited(let edits) = error else { throw error }
      #expect(edits.takenBack == ["policies/ios.json", "policies/two.json"])
      #expect(edits.published == 1)
      #expect(edits.served == 3)
      #expect(error.description.contains("policies/ios.json, policies/two.json"))
    }
    #expect(try await world.store.editions().count == 3)
    // What was changed is in the folder now, one file with other spaces.
    folder.merge(try await world.source().texts.filter { $0.key != "policies/assigned.json" }) { $1 }
    folder["policies/ios.json"]?.append("\n\n")
    #expect(try await publish(folder, in: world) == 4)
    // From here on, these files are the folder's again.
    folder["policies/ios.json"] = EditedWorld.policy("T_1")
    #expect(try await publish(folder, in: world) == 5)
    try await world.store.publish(
      TenantFileSet(texts: EditedWorld.files), by: TenantStore.publisher, at: EditedWorld.start, limit: nil)
    #expect(try await world.store.editions().first?.number == 6)
  }

  @Test(
    "publish makes an edition of a folder that contains exactly the changes of administrators",
    arguments: Engines.replicated)
  func confirmed(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await world.change("T_1", "minimumPinLength", 6)
    var folder = try await world.source().texts
    #expect(try await publish(folder, in: world) == 3)
    #expect(try await publish(folder, in: world) == 3)
    folder["policies/ios.json"] = EditedWorld.policy("T_1")
    #expect(try await publish(folder, in: world) == 4)
  }

  @Test("A store of an older program keeps the version it serves as an edition") func upgrade() async throws {
    let world = try await EditedWorld(.sqlite)
    try await world.store.database.write { session throws(DatabaseError) in try session.run("DELETE FROM edition") }
    try await world.change("T_1", "minimumPinLength", 6)
    #expect(try await world.store.editions().map(\.actor) == ["admin", "unknown"])
  }

  @Test("The store counts registrations by the edition they have", arguments: Engines.all)
  func registrations(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    try await world.store.database.write { session throws(DatabaseError) in
      for (number, edition) in [JSONValue.integer(2), .integer(2), .integer(1), .null].enumerated() {
        try session.enroll(
          Registration(
            id: "r\(number)", secretHash: [], tenantId: EditedWorld.tenantId, userId: EditedWorld.alice,
            appId: "com.contoso.mail", deviceTag: "device \(number)", facts: RegistrationFacts(["edition": edition]),
            created: EditedWorld.start, lastSync: EditedWorld.start))
      }
    }
    #expect(try await world.store.registrationsOfEditions() == [0: 1, 1: 1, 2: 2])
  }

  @Test("The oldest editions are deleted beyond the limit on their number") func limit() async throws {
    let world = try await EditedWorld(.sqlite)
    let count = EditionLimits.count
    try await world.store.database.write { session throws(DatabaseError) in
      for number in 2...count + 5 {
        let snapshot = StoredSnapshot(generation: number, digest: [], body: [1], published: EditedWorld.start)
        try session.keep(snapshot, by: "test", source: nil)
      }
      let large = StoredSnapshot(generation: count + 6, digest: [], body: [1], published: EditedWorld.start)
      try session.keep(large, by: "test", source: nil)
    }
    let numbers = try await world.store.editions(limit: 2000).map(\.number)
    #expect(numbers.first == count + 6)
    #expect(numbers.last == 7)
    #expect(numbers.count == Int(count))
  }

  @Test("The differences of two editions name decisions that change, but no users") func differences() throws {
    let old = TenantFileSet(texts: EditedWorld.files)
    let changes = [TenantMemberChange("pinRequired", true), TenantMemberChange("minimumPinLength", 6)]
    let edits = ["T_1", "T_2", "T_3", "T_assigned"].map { TenantFileEdit.change(.ios, id: $0, changes) }
    let differences = try EditionDifferences(from: old, to: try old.applying(edits))
    #expect(
      differences.lines.contains { $0.hasPrefix("tighter: 2 users, com.contoso.mail on ios: ") }, "\(differences.lines)"
    )
    #expect(differences.lines.allSatisfy { !$0.contains("alice") })
    #expect(!differences.destroys)
    #expect(try EditionDifferences(from: old, to: old).lines.isEmpty)
  }
}
