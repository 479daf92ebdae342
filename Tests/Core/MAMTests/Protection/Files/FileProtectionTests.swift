import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FileProtectionTests {
  /// What a document is before it is protected.
  enum Before: CaseIterable { case plain, ofAlice, encryptedForAlice, sharedOfAlice, encryptedForFrank }

  @Test(
    "Protecting a file sets its owner and encrypts it as the policy requires, whatever it was before",
    arguments: Before.allCases)
  func transitions(_ before: Before) throws {
    let documents = try DocumentFixture()
    for encrypting in [true, false] {
      for user in ["alice", "frank", "bob", nil] as [String?] {
        let name = "\(encrypting) \(user ?? "nobody")"
        try make(before, name, documents)
        try documents.setPolicy(encrypting: encrypting, checkingIn: true)
        try documents.protect(name, for: user)
        let isManaged = user == "alice" || user == "frank"
        #expect(try documents.owner(name) == user.map(TenantFolder.upn) ?? "")
        #expect(try documents.isEncrypted(name) == (encrypting && isManaged))
        #expect(try documents.content(name) == DocumentFixture.text)
        #expect((documents.disk(name) == DocumentFixture.text) != (encrypting && isManaged))
      }
    }
    #expect(try documents.names().count == 9)
  }

  private func make(_ before: Before, _ name: String, _ documents: DocumentFixture) throws {
    try documents.setPolicy(encrypting: true, checkingIn: true)
    documents.write(DocumentFixture.text, to: name)
    switch before {
    case .plain: break
    case .ofAlice:
      try documents.protect(name)
      try documents.core.files.decrypt(documents.path(name), to: nil)
    case .encryptedForAlice: try documents.protect(name)
    case .sharedOfAlice: try documents.encrypt(name)
    case .encryptedForFrank: try documents.protect(name, for: "frank")
    }
  }

  @Test("Protecting a protected file rewrites it only if it must get another key")
  func idempotent() throws {
    let documents = try DocumentFixture()
    try documents.encrypt()
    let shared = documents.status()?.inode
    try documents.protect(renewsKey: false)
    #expect(documents.status()?.inode == shared)
    try documents.protect()
    let own = documents.status()?.inode
    #expect(own != shared)
    try documents.protect()
    #expect(documents.status()?.inode == own)
    try documents.encrypt()
    #expect(documents.status()?.inode != own)
  }

  @Test("A decrypted file keeps its owner and mode, in place or as a copy")
  func decrypt() throws {
    let documents = try DocumentFixture()
    chmod(documents.folder.file("document"), 0o640)
    try documents.protect()
    try documents.core.files.decrypt(documents.path(), to: documents.path("copy"))
    #expect(try documents.isEncrypted())
    #expect(documents.disk("copy") == DocumentFixture.text)
    #expect(documents.status("copy")?.permissions == 0o640)
    try documents.core.files.decrypt(documents.path(), to: nil)
    #expect(documents.disk() == DocumentFixture.text)
    for name in ["document", "copy"] {
      let info = try documents.core.files.protectionInfo(documents.path(name))
      #expect(info?.identity == TenantFolder.upn("alice"))
      #expect(info?.recordedIn == .attribute)
    }
    try documents.core.files.decrypt(documents.path(), to: nil)
    #expect(try documents.names() == ["copy", "document"])
  }

  @Test("Empty and long files can be encrypted and decrypted")
  func sizes() throws {
    let documents = try DocumentFixture()
    for text in ["", String(repeating: "0123456789abcdef", count: 80_000)] {
      documents.write(text)
      try documents.protect()
      #expect(try documents.isEncrypted())
      try documents.core.files.decrypt(documents.path(), to: nil)
      #expect(documents.disk() == text)
    }
  }

  @Test("A refused protection or decryption reports the cause and changes nothing")
  func refusals() throws {
    let documents = try DocumentFixture()
    let core = documents.core
    let copy = documents.path("copy")
    #expect(failure { try core.files.decrypt(documents.path(), to: nil) }?.code == .dataNotProtected)
    #expect(failure { try core.files.decrypt(documents.path(), to: copy) }?.code == .dataNotProtected)
    #expect(failure { try core.files.encrypt(documents.path(), for: nil) }?.code == .invalidArguments)
    #expect(failure { try documents.encrypt(for: "bob") }?.code == .failedToEncryptData)
    try documents.protect()
    documents.write("taken", to: "copy")
    let taken = failure { try core.files.decrypt(documents.path(), to: copy) }
    #expect(taken?.code == .fileUnavailable)
    #expect(taken?.fault?.number == EEXIST)
    #expect(failure { try documents.protect("nothing") }?.fault?.number == ENOENT)
    #expect(failure { try documents.protect("document/below") }?.fault?.number == ENOTDIR)
    #expect(try documents.names() == ["copy", "document"])
    #expect(documents.disk("copy") == "taken")
  }

  @Test("Decrypting to an existing path fails, and the error says what is there")
  func takenCopy() throws {
    let documents = try DocumentFixture()
    try documents.protect()
    documents.write("kept", to: "file")
    documents.write("kept", to: "sub/inner")
    link(documents.folder.file("file"), documents.folder.file("hard"))
    symlink(documents.folder.file("nowhere"), documents.folder.file("soft"))
    for (name, kind) in [
      ("file", "a file"), ("hard", "a file"), ("sub", "a folder"), ("soft", "a symbolic link"), ("document", "a file"),
    ] {
      let error = failure { try documents.core.files.decrypt(documents.path(), to: documents.path(name)) }
      #expect(error?.message == "the decrypted copy was not created: \(kind) already exists at its path")
      #expect(error?.fault?.number == EEXIST)
      #expect(error?.path == documents.folder.file(name))
      #expect(error?.hint?.contains("toPath") == true)
      #expect(error?.hint?.contains("exclusive") == false)
    }
    #expect(try documents.names() == ["document", "file", "hard", "soft", "sub"])
    #expect(documents.disk("hard") == "kept")
    #expect(try documents.isEncrypted())
  }

  @Test("Decrypting a link, pipe, folder or file with several names fails with the reason", arguments: [true, false])
  func undecryptable(_ isCopying: Bool) throws {
    let documents = try DocumentFixture()
    try documents.protect()
    link(documents.folder.file("document"), documents.folder.file("second"))
    symlink(documents.folder.file("document"), documents.folder.file("soft"))
    mkfifo(documents.folder.file("pipe"), 0o600)
    for (name, reason) in [
      ("document", "it has 2 names (hard links), and would change under one of them only"),
      ("second", "it has 2 names (hard links), and would change under one of them only"),
      ("soft", "it is a symbolic link"), ("pipe", "it is a pipe, a socket or a device"), ("", "it is a folder"),
    ] {
      let copy = isCopying ? documents.path("copy") : nil
      let error = failure { try documents.core.files.decrypt(documents.path(name), to: copy) }
      #expect(error?.code == .unsuitableFile, "\(name)")
      #expect(error?.message == "cannot decrypt the file: \(reason)", "\(name)")
      #expect(error?.hint != nil)
    }
    #expect(try documents.names() == ["document", "pipe", "second", "soft"])
  }

  @Test("Without a managed account, files can be neither protected nor decrypted")
  func notManaged() throws {
    let documents = try DocumentFixture(enrolling: ["alice"])
    try documents.protect()
    let state = documents.disk()
    _ = try documents.core.unenroll("alice")
    #expect(failure { try documents.protect() }?.code == .applicationNotManaged)
    #expect(failure { try documents.encrypt() }?.code == .applicationNotManaged)
    #expect(failure { try documents.core.files.decrypt(documents.path(), to: nil) }?.code == .applicationNotManaged)
    #expect(documents.disk() == state)
    #expect(try documents.owner() == TenantFolder.upn("alice"))
  }

  @Test("A file of an account that was unenrolled can be neither decrypted nor given to another account")
  func leftBehind() throws {
    let documents = try DocumentFixture()
    try documents.protect()
    _ = try documents.core.unenroll("alice")
    #expect(failure { try documents.core.files.decrypt(documents.path(), to: nil) }?.code == .failedToDecryptData)
    #expect(failure { try documents.protect(for: "frank") }?.code == .failedToDecryptData)
    #expect(try documents.owner() == TenantFolder.upn("alice"))
  }

  @Test("Protecting the state folder or a file in it is refused, by any path")
  func stateFolder() throws {
    let documents = try DocumentFixture()
    let state = documents.fixture.state
    for path in [state.database, state.app, state.root, state.root + "/apps/../apps"] {
      let place = try #require(AbsolutePath(path))
      let code = code { try documents.core.files.protectAll(place, for: .user("alice"), renewsKey: true) }
      #expect(code == .unsuitableFile)
    }
    #expect(try documents.core.checkIn().count == 2)
  }
}
