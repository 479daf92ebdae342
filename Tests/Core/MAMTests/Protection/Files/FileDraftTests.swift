import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FileDraftTests {
  private func draft(_ documents: DocumentFixture, for user: String = "alice") throws -> FileDraft {
    try documents.core.files.draft(documents.path(), for: .user(user))
  }

  @Test("Committing a draft replaces the file and its owner, and keeps its mode")
  func commit() throws {
    let documents = try DocumentFixture()
    try documents.protect(for: "frank")
    chmod(documents.path().text, 0o604)
    let draft = try draft(documents)
    try draft.append(Array("new ".utf8))
    try draft.append(Array("text".utf8))
    #expect(try documents.content() == DocumentFixture.text)
    try draft.commit()
    #expect(try documents.content() == "new text")
    #expect(try documents.owner() == TenantFolder.upn("alice"))
    #expect(documents.status()?.permissions == 0o604)
    #expect(try documents.names() == ["document"])
    #expect(try documents.number("SELECT count(*) FROM owned_files") == 1)
    #expect(try documents.number("SELECT count(*) FROM temporary_files") == 0)
  }

  @Test("Abandoning a draft leaves the file unchanged and removes the draft")
  func abandon() throws {
    let documents = try DocumentFixture()
    try documents.protect()
    do {
      let draft = try draft(documents, for: "frank")
      try draft.append(Array("new".utf8))
      #expect(try documents.names().count == 2)
    }
    #expect(try documents.content() == DocumentFixture.text)
    #expect(try documents.owner() == TenantFolder.upn("alice"))
    #expect(try documents.names() == ["document"])
    #expect(try documents.number("SELECT count(*) FROM owned_files") == 1)
    #expect(try documents.number("SELECT count(*) FROM temporary_files") == 0)
  }

  @Test("A draft is not committed if the file got a second name or is open for writing")
  func meanwhile() throws {
    let documents = try DocumentFixture()
    let draft = try draft(documents)
    link(documents.path().text, documents.folder.file("second"))
    #expect(code { try draft.commit() } == .unsuitableFile)
    unlink(documents.folder.file("second"))
    let file = try DiskFile(path: documents.path().text, flags: O_RDWR)
    #expect(code { try draft.commit() } == .fileInUse)
    withExtendedLifetime(file) {}
    #expect(documents.disk() == DocumentFixture.text)
  }

  @Test("A draft of a new file does not replace a file that was created meanwhile")
  func appeared() throws {
    let documents = try DocumentFixture()
    let survey = try documents.core.files.survey(documents.path())
    let draft = try documents.core.files.draftCopy(of: survey, at: documents.path("copy"))
    documents.write("another's", to: "copy")
    #expect(code { _ = try documents.core.files.draftCopy(of: survey, at: documents.path("copy")) } == .fileUnavailable)
    #expect(code { try draft.commit() } == .fileUnavailable)
    #expect(documents.disk("copy") == "another's")
  }
}
