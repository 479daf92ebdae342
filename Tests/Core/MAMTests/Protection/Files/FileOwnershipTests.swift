import CGlibc
import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FileOwnershipTests {
  private func owned(_ documents: DocumentFixture, by user: String) throws -> [String] {
    let id = TenantFolder.id(user)
    return try documents.core.refresh().files.ownership.files { $0.accountId == id }.map(\.path)
  }

  @Test("A renamed file keeps its owner, encrypted or not", arguments: [true, false])
  func renamed(_ encrypting: Bool) throws {
    let documents = try DocumentFixture(encrypting: encrypting)
    try documents.protect()
    documents.write("", to: "folder/other")
    for (from, to) in [("document", "renamed"), ("renamed", "folder/moved")] {
      rename(documents.folder.file(from), documents.folder.file(to))
      #expect(try documents.owner(to) == TenantFolder.upn("alice"))
      #expect(try documents.owner(from) == nil)
      #expect(try owned(documents, by: "alice") == [documents.folder.file(to)])
    }
  }

  @Test("The files of an account include renamed ones, but not those that others own now")
  func unseen() throws {
    let documents = try DocumentFixture(encrypting: false)
    for name in ["a", "b", "c", "d"] {
      documents.write(name, to: name)
      try documents.protect(name)
    }
    rename(documents.folder.file("a"), documents.folder.file("e"))
    documents.write("of nobody", to: "a")
    try documents.protect("b", for: "frank")
    unlink(documents.folder.file("c"))
    let files = documents.folder
    #expect(try owned(documents, by: "alice") == [files.file("d"), files.file("e")])
    #expect(try owned(documents, by: "frank") == [files.file("b")])
  }

  @Test("A wipe does not remove a file that got another owner after the wipe had found it", arguments: [true, false])
  func givenAway(_ encrypting: Bool) throws {
    let documents = try DocumentFixture(encrypting: encrypting)
    try documents.protect()
    let ownership = try documents.core.refresh().files.ownership
    let id = TenantFolder.id("alice")
    let found = try #require(try ownership.files { $0.accountId == id }.first)
    try documents.protect(for: "frank")
    try ownership.remove(found) { $0.accountId == id }
    #expect(try documents.content() == DocumentFixture.text)
    #expect(try documents.owner() == TenantFolder.upn("frank"))
    try documents.protect()
    try ownership.remove(found) { $0.accountId == id }
    #expect(try documents.names() == [])
  }

  @Test("A plain file whose owner attribute was removed no longer has an owner")
  func unmarked() throws {
    let documents = try DocumentFixture(encrypting: false)
    try documents.protect()
    #expect(removexattr(documents.folder.file("document"), OwnerAttribute.name) == 0)
    #expect(try documents.owner() == nil)
    #expect(try owned(documents, by: "alice") == [])
  }

  @Test("Without extended attributes, the store records the owner of a plain file")
  func store() throws {
    let documents = try DocumentFixture(encrypting: false)
    guard let disk = PlainDisk(at: documents.folder.file("disk")) else { return }
    documents.write("text", to: "disk/one")
    try documents.protect("disk/one")
    let info = try documents.core.files.protectionInfo(documents.path("disk/one"))
    #expect(info?.identity == TenantFolder.upn("alice"))
    #expect(info?.recordedIn == .store)
    #expect(try owned(documents, by: "alice") == [documents.folder.file("disk/one")])
    try documents.encrypt("disk/one")
    #expect(try documents.core.files.protectionInfo(documents.path("disk/one"))?.recordedIn == .header)
    try documents.core.files.decrypt(documents.path("disk/one"), to: nil)
    #expect(try documents.core.files.protectionInfo(documents.path("disk/one"))?.recordedIn == .store)
    unlink(documents.folder.file("disk/one"))
    documents.write("of nobody", to: "disk/one")
    #expect(try documents.owner("disk/one") == nil)
    withExtendedLifetime(disk) {}
  }

  @Test("Reading the owner of a known file does not write to the store")
  func quiet() throws {
    let documents = try DocumentFixture()
    try documents.protect()
    let before = try documents.number("SELECT total_changes()")
    for _ in 0..<3 { _ = try documents.owner() }
    #expect(try documents.number("SELECT total_changes()") == before)
  }

  @Test("A temporary file of a running process is not removed by another process")
  func living() throws {
    let documents = try DocumentFixture()
    let files = try documents.core.refresh().files.temporary
    let replacement = try FileReplacement(of: FileLocation(documents.path()), files)
    try documents.fixture.core().refresh()
    #expect(try documents.names().count == 2)
    replacement.abandon()
    #expect(try documents.names() == ["document"])
  }

  @Test("Items and enumerators of a file provider keep their owner")
  func provider() throws {
    let documents = try DocumentFixture()
    let core = documents.core
    try core.providerOwners.setOwner(of: .item("1"), .user("alice"))
    try core.providerOwners.setOwner(of: .enumerator("1"), .user("frank"))
    let next = try documents.fixture.core()
    #expect(try next.providerOwners.protectionInfo(of: .item("1"))?.identity == TenantFolder.upn("alice"))
    #expect(try next.providerOwners.protectionInfo(of: .enumerator("1"))?.identity == TenantFolder.upn("frank"))
    #expect(try next.providerOwners.protectionInfo(of: .item("2")) == nil)
    #expect(code { try core.providerOwners.setOwner(of: .item("1"), nil) } == .invalidArguments)
    #expect(code { try core.providerOwners.setOwner(of: .item(""), .user("alice")) } == .invalidArguments)
  }
}

/// A file system in memory without extended attributes; only root can have one.
private final class PlainDisk {
  private let path: String

  init?(at path: String) {
    self.path = path
    guard mkdir(path, 0o700) == 0, mount("none", path, "ramfs", 0, nil) == 0 else { return nil }
  }

  deinit { umount2(path, 2) }
}
