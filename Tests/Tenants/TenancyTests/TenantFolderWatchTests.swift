import Glibc
import JSON
import Tenancy
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TenantFolderWatchTests {
  private let folder = TemporaryFolder(inMemory: true)
  private let tenant =
    #"{"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "assignments": [{"policy": "more/a.json"}]}"#

  private func make(_ name: String = "tenant") {
    folder.write(tenant, to: "\(name)/tenant.json")
    let type = ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true"##
    folder.write("\u{FEFF}" + #"{"id": "b", "displayName": "B", \#(type)}"#, to: "\(name)/policies/b.json")
    folder.write(#"[{"displayName": "A", \#(type)}, {"id": "b", \#(type)}]"#, to: "\(name)/more/a.json")
    let context =
      "https://graph.microsoft.com/v1.0/$metadata#deviceAppManagement/targetedManagedAppConfigurations/$entity"
    folder.write(
      #"{"@odata.context": "\#(context)", "id": "c", "customSettings": []}"#, to: "\(name)/configurations/c.json")
  }

  private func files(_ watch: TenantFolderWatch) throws -> TenantFileSet? {
    guard case .whole(let files)? = try watch.read() else { return nil }
    return files
  }

  @Test("A tenant folder is read once, and again only when something in it changes")
  func changes() throws {
    make()
    let watch = TenantFolderWatch(path: folder.file("tenant"))
    #expect(try files(watch)?.texts.count == 4)
    #expect(try watch.read() == nil)
    for (name, text) in [
      ("tenant.json", tenant + " "), ("policies/b.json", "[]"), ("policies/new.json", "[]"), ("more/a.json", "[]"),
    ] {
      folder.write(text, to: "tenant/" + name)
      #expect(try files(watch)?.texts[name] == text, "\(name)")
      #expect(try watch.read() == nil, "\(name)")
    }
    unlink(folder.file("tenant/policies/new.json"))
    #expect(try files(watch)?.texts.count == 4)
    watch.readAgain()
    #expect(try watch.read() != nil)
  }

  @Test("A folder that replaces the tenant folder is read")
  func exchange() throws {
    make()
    make("next")
    folder.write("[]", to: "next/policies/b.json")
    let watch = TenantFolderWatch(path: folder.file("tenant"))
    #expect(try watch.read() != nil)
    rename(folder.file("tenant"), folder.file("old"))
    rename(folder.file("next"), folder.file("tenant"))
    #expect(try files(watch)?.texts["policies/b.json"] == "[]")
  }

  @Test("A tenant folder that stays damaged is reported again at every 31st call", arguments: ["", "damaged"])
  func stillDamaged(_ text: String) throws {
    if !text.isEmpty { folder.write(text, to: "tenant/tenant.json") }
    let watch = TenantFolderWatch(path: folder.file("tenant"))
    for _ in 0..<2 {
      #expect(throws: TenantError.self) { try watch.read() }
      for _ in 0..<30 { #expect(try watch.read() == nil) }
    }
  }

  @Test("A damaged tenant folder is reported once and read again after its repair")
  func damage() throws {
    make()
    let watch = TenantFolderWatch(path: folder.file("tenant"))
    #expect(try watch.read() != nil)
    folder.write("{", to: "tenant/tenant.json")
    #expect(throws: TenantError.self) { try watch.read() }
    #expect(try watch.read() == nil)
    folder.write(tenant, to: "tenant/tenant.json")
    #expect(try watch.read() != nil)
  }

  @Test("If a policy cannot be read, a new tenant.json is used with the old policies and assignments")
  func damagedPolicy() throws {
    make()
    let watch = TenantFolderWatch(path: folder.file("tenant"))
    let before = try #require(try files(watch))
    folder.write("{", to: "tenant/policies/b.json")
    folder.write(#"{"tenantId": "t", "assignments": [{"policy": "policies/gone.json"}]}"#, to: "tenant/tenant.json")
    guard case .tenantFile(let text, .unparsable("policies/b.json", _))? = try watch.read() else {
      return _ = Issue.record("the damage is not told")
    }
    #expect(try watch.read() == nil)
    let kept = try before.withTenantFile(text)
    #expect(try kept.read().tenantId == "t")
    #expect(try kept.read().assignments == before.read().assignments)
    #expect(try kept.read().policies == before.read().policies)
    folder.write(tenant, to: "tenant/tenant.json")
    folder.write("[]", to: "tenant/policies/b.json")
    #expect(try files(watch)?.texts["policies/b.json"] == "[]")
  }

  @Test("A missing tenant folder is reported once and read once it exists")
  func missing() throws {
    let watch = TenantFolderWatch(path: folder.file("tenant"))
    #expect(throws: TenantError.self) { try watch.read() }
    #expect(try watch.read() == nil)
    make()
    #expect(try watch.read() != nil)
  }

  @Test("The error for a path that is not a folder says so and does not advise to create it")
  func reasons() throws {
    folder.write("{}", to: "file")
    let watch = TenantFolderWatch(path: folder.file("file"))
    let error = #expect(throws: TenantError.self) { try watch.read() }
    #expect(error?.description.contains("is not a folder") == true)
    #expect(error?.description.contains("Create") == false)
  }

  @Test("Stored tenant files read like the folder, with every object and its id")
  func stored() throws {
    make()
    let files = try #require(try files(TenantFolderWatch(path: folder.file("tenant"))))
    let again = try TenantFileSet(stored: files.stored)
    #expect(again == files)
    let direct = try FolderTenant(path: folder.file("tenant")).read()
    let snapshot = try again.read()
    #expect(snapshot.policies == direct.policies)
    #expect(snapshot.configurations == direct.configurations)
    #expect(direct.policyObjects.isEmpty)
    #expect(snapshot.policyObjects.map { $0["id"]?.stringValue } == snapshot.policies.map(\.id))
    #expect(snapshot.policyObjects.allSatisfy { $0["@odata.type"] == "#microsoft.graph.iosManagedAppProtection" })
    #expect(
      snapshot.configurationObjects.map { $0["@odata.type"] }
        == ["#microsoft.graph.targetedManagedAppConfiguration"])
  }

  @Test("Text that is not stored tenant files is refused", arguments: ["", "[]", "{}", #"{"files": {"a": 1}}"#])
  func foreign(text: String) {
    #expect(throws: TenantError.self) { try TenantFileSet(stored: Array(text.utf8)) }
  }
}
