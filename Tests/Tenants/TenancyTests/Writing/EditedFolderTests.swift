import Glibc
import Tenancy
import TestSupport
import Testing

@Suite struct EditedFolderTests {
  private let folder = TemporaryFolder()
  private let texts = ["tenant.json": "{}", "policies/a.json": "[]", "policies/b.json": "[]"]

  /// The folder with these files, opened for an edit.
  private func opened() async throws -> EditedFolder {
    for (name, text) in texts { folder.write(text, to: "above/tenant/\(name)") }
    return try await EditedFolder.open(folder.file("above/tenant"))
  }

  private func text(_ name: String) -> String? {
    readFile(folder.file("above/tenant/\(name)")).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "An edit writes no file outside of the tenant's folder",
    arguments: ["../c.json", "policies/../../c.json", "../above/c.json", "/c.json", "..", "policies/.."])
  func outside(_ name: String) async throws {
    let edited = try await opened()
    let new = TenantFileSet(texts: texts.merging([name: "[]"]) { $1 })
    let refusal = EditedFolder.Refusal.unsuitable("\(name) is not in the tenant's folder. Change the file itself.")
    #expect(throws: refusal) { _ = try edited.write(new, over: TenantFileSet(texts: texts)) }
    #expect(readFile(folder.file("above/c.json")) == nil)
    for (name, text) in texts { #expect(self.text(name) == text) }
  }

  @Test("If others have changed one file of an edit, all of its files are as they were", arguments: ["changed", nil])
  func half(_ others: String?) async throws {
    let edited = try await opened()
    if let others {
      folder.write(others, to: "above/tenant/policies/b.json")
    } else {
      unlink(folder.file("above/tenant/policies/b.json"))
    }
    let new = TenantFileSet(
      texts: ["tenant.json": "{ }", "policies/a.json": "[ ]", "policies/aa.json": "[ ]", "policies/b.json": "[ ]"])
    #expect(try edited.write(new, over: TenantFileSet(texts: texts)) == false)
    #expect(text("tenant.json") == "{}")
    #expect(text("policies/a.json") == "[]")
    #expect(text("policies/aa.json") == nil)
    #expect(text("policies/b.json") == others)
  }
}
