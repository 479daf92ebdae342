import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FileHandleTests {
  @Test(
    "A new file is encrypted if the policy requires it, and belongs to the account either way",
    arguments: [true, false])
  func protection(_ isEncrypting: Bool) throws {
    let files = try HandleFixture(encrypting: isEncrypting)
    let file = try files.create()
    let text = Array("for contoso only".utf8)
    try file.write(text)
    #expect(try file.isEncrypted() == isEncrypting)
    #expect(files.disk().contains(text) != isEncrypting)
    #expect(try file.protectionInfo()?.identity == TenantFolder.upn("alice"))
    let again = try files.open(.readOnly)
    #expect(try again.content() == text)
    #expect(try again.isEncrypted() == isEncrypting)
    #expect(try again.protectionInfo()?.accountId == TenantFolder.id("alice"))
    let foreign = try files.create("foreign", for: .user("bob"))
    #expect(try !foreign.isEncrypted())
    #expect(try foreign.protectionInfo()?.identity == TenantFolder.upn("bob"))
    #expect(try files.create("none", for: AccountReference("")).protectionInfo() == .noUser)
  }

  @Test("Writing to a file without an owner leaves it plain")
  func nobody() throws {
    let files = try HandleFixture()
    files.fixture.folder.write("plain", to: "document")
    let file = try files.open()
    #expect(try !file.isEncrypted())
    #expect(try file.protectionInfo() == nil)
    #expect(try file.content() == Array("plain".utf8))
    try file.write([1])
    #expect(files.disk() == [1] + Array("lain".utf8))
  }

  @Test("If a new file cannot get its owner, it is removed")
  func leftovers() throws {
    let files = try HandleFixture()
    let key = try #require(
      try files.core.account("alice").flatMap { KeyName(DataOwner($0.account), .app("com.example.host")) })
    let id = try files.core.refresh().keys.newestKey(key).id
    for path in try files.keyFiles() where readFile(path).map({ Array($0[16..<32]) }) == id.bytes {
      #expect(chmod(path, 0o644) == 0)
    }
    let core = try files.fixture.core()
    #expect(code { _ = try files.open(.readWrite, .create, core: core) } == .wrongPermissions)
    #expect(try FileLocation(files.path()).status() == nil)
  }

  @Test("Files in the state folder can be read, but not created or changed")
  func stateFolder() throws {
    let files = try HandleFixture()
    let database = try #require(AbsolutePath(files.fixture.state.database))
    let new = try #require(AbsolutePath(files.fixture.state.root + "/apps/../new"))
    #expect(code { _ = try files.core.files.open(database, [.readWrite, .truncate]) } == .unsuitableFile)
    #expect(code { _ = try files.core.files.open(new, [.readOnly, .create]) } == .unsuitableFile)
    #expect(try FileLocation(new).status() == nil)
    #expect(try files.core.files.open(database, [.readOnly]).size() > 0)
  }

  @Test("Reads and writes move the file position, and seek sets it", arguments: [true, false])
  func position(_ isEncrypting: Bool) throws {
    let files = try HandleFixture(encrypting: isEncrypting)
    let file = try files.create()
    try file.write([1, 2, 3, 4])
    #expect(try file.tell() == 4)
    #expect(try file.read(10) == [])
    try file.seek(to: 1)
    #expect(try file.read(2) == [2, 3])
    #expect(try file.tell() == 3)
    try file.write([9], at: 0)
    #expect(try file.read(9, at: 0) == [9, 2, 3, 4])
    #expect(try file.tell() == 3)
    try file.seek(to: 6)
    try file.write([7])
    #expect(try file.content() == [9, 2, 3, 4, 0, 0, 7])
    #expect(try file.tell() == 7)
    try file.truncate(to: 2)
    #expect(try file.size() == 2)
    #expect(try file.tell() == 7)
    #expect(try file.read(1) == [])
    try file.sync(dataOnly: true)
    try file.sync(dataOnly: false)
    #expect(failure { try file.seek(to: .max) } == nil)
    #expect(failure { try file.write([1]) }?.fault?.number == EFBIG)
  }

  @Test("Several handles of one file agree with a plain file through 200 random steps", arguments: [true, false])
  func walk(_ isEncrypting: Bool) throws {
    let files = try HandleFixture(encrypting: isEncrypting)
    let handles = [try files.create(), try files.open(), try files.open(core: files.fixture.core())]
    var walk = Walk(seed: isEncrypting ? 5 : 6)
    for index in 0..<200 { try walk.step(handles[index % handles.count]) }
    #expect(try files.open().content() == walk.shadow)
  }

  @Test("Appends of several handles follow each other", arguments: [true, false])
  func append(_ isEncrypting: Bool) throws {
    let files = try HandleFixture(encrypting: isEncrypting)
    let first = try files.open(.append, .create)
    let second = try files.open(.append)
    for _ in 0..<3 {
      try first.write([1])
      try second.write([2, 2])
    }
    #expect(try first.content() == [1, 2, 2, 1, 2, 2, 1, 2, 2])
    #expect(try second.tell() == 9)
  }

  @Test("A file handle allows only what its flags permit")
  func flags() throws {
    let files = try HandleFixture()
    #expect(failure { _ = try files.open() }?.fault?.number == ENOENT)
    try files.open(.writeOnly, .create, .exclusive).write([1, 2])
    #expect(failure { _ = try files.open(.create, .exclusive) }?.fault?.number == EEXIST)
    let reader = try files.open(.readOnly)
    #expect(failure { try reader.write([1]) }?.fault?.number == EBADF)
    #expect(failure { try reader.truncate(to: 0) }?.fault?.number == EBADF)
    let writer = try files.open(.writeOnly)
    #expect(failure { _ = try writer.read(1) }?.fault?.number == EBADF)
    #expect(try reader.content() == [1, 2])
    try files.open(.truncate).close()
    #expect(try reader.content() == [])
    for flags in [[.readOnly, .writeOnly], [.readOnly, .truncate], [.exclusive]] as [[FileFlag]] {
      #expect(failure { _ = try files.core.files.open(files.path(), flags) }?.fault?.number == EINVAL)
    }
  }

  @Test("Opening anything but a regular file fails with its errno and a hint")
  func kinds() throws {
    let files = try HandleFixture()
    let folder = files.fixture.folder
    folder.write("x", to: "sub/file")
    symlink(folder.file("sub/file"), folder.file("link"))
    mkfifo(folder.file("pipe"), 0o600)
    folder.write("x", to: "locked")
    for (name, number) in [("sub", EISDIR), ("link", ELOOP), ("pipe", ENXIO), ("sub/file/x", ENOTDIR)] {
      let error = failure { _ = try files.open(name: name) }
      #expect(error?.code == .fileUnavailable, "\(name): \(error as Any)")
      #expect(error?.fault?.number == number, "\(name): \(error as Any)")
      #expect(error?.hint != nil)
      #expect(error?.path == folder.file(name))
    }
  }

  @Test(
    "An offset beyond the largest file fails with EFBIG, for encrypted and plain files", arguments: [true, false],
    [1 << 53, 1 << 60, UInt64.max])
  func tooLarge(_ isEncrypting: Bool, _ offset: UInt64) throws {
    let files = try HandleFixture(encrypting: isEncrypting)
    let file = try files.create()
    try file.write([1, 2, 3])
    let errors = [
      failure { try file.write([1], at: offset) },
      failure { try file.truncate(to: offset == 1 << 53 ? offset + 1 : offset) },
    ]
    for error in errors {
      #expect(error?.fault?.number == EFBIG)
      #expect(error?.message.hasPrefix("the file would be too large") == true)
      #expect(error?.hint != nil)
      #expect(error?.path == file.path)
    }
    #expect(try file.content() == [1, 2, 3])
  }

  @Test("Opening a file reports whether the file, its folder or the target of a link is missing")
  func missing() throws {
    let files = try HandleFixture()
    let folder = files.fixture.folder
    symlink(folder.file("nowhere"), folder.file("dangling"))
    for (name, message) in [
      ("none/file", "the folder of the file does not exist"),
      ("dangling/file", "the folder of the file is a symbolic link that leads nowhere"),
    ] {
      let error = failure { _ = try files.open(.create, name: name) }
      #expect(error?.message == message)
      #expect(error?.fault?.number == ENOENT)
      #expect(error?.path == folder.file(String(name.prefix { $0 != "/" })))
    }
    #expect(failure { _ = try files.open(name: "none") }?.message == "the file is missing: No such file or directory")
    #expect(failure { _ = try files.open(name: "a\u{FFFD}b") }?.message.contains("not UTF-8") == true)
  }

  @Test("A new file has the mode that was requested")
  func mode() throws {
    let files = try HandleFixture()
    let file = try files.core.files.open(files.path(), [.create], mode: 0o640, for: nil)
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_mode & 0o777 & ~0o640 == 0)
    #expect(status.st_mode & 0o600 == 0o600)
  }

  @Test("A closed file handle fails with noFileHandle")
  func closed() throws {
    let files = try HandleFixture()
    let file = try files.create()
    file.close()
    file.close()
    #expect(code { _ = try file.size() } == .noFileHandle)
  }

  @Test("After a file is replaced, its open handles use the new file, encrypted or not")
  func replaced() throws {
    let files = try HandleFixture()
    let handle = try files.create()
    try handle.write([1, 2, 3])
    files.fixture.folder.write("plain", to: "other")
    #expect(rename(files.fixture.folder.file("other"), handle.path) == 0)
    #expect(try handle.read(9, at: 0) == Array("plain".utf8))
    #expect(try handle.size() == 5)
    #expect(try !handle.isEncrypted())
    try handle.write([0x50], at: 0)
    #expect(files.disk() == Array("Plain".utf8))
    try files.open(.truncate).write([7])
    #expect(try handle.content() == [7])
    #expect(try handle.isEncrypted())
    let bobs = try files.create(for: .user("bob"))
    try bobs.write([8, 8])
    #expect(try handle.content() == [8, 8])
    #expect(try !handle.isEncrypted())
    try handle.write([9], at: 5)
    #expect(try bobs.content() == [8, 8, 0, 0, 0, 9])
  }

  @Test("A deleted file remains usable through its open handle")
  func unlinked() throws {
    let files = try HandleFixture()
    let file = try files.create()
    try file.write([1, 2])
    #expect(unlink(file.path) == 0)
    try file.write([3])
    #expect(try file.content() == [1, 2, 3])
  }

  @Test(
    "After unenrollment or a wipe, open handles of the account's files fail with noFileKey", arguments: [true, false])
  func keysGone(_ withWipe: Bool) async throws {
    let files = try HandleFixture()
    let file = try files.create()
    try file.write([1, 2])
    let other = try files.open(core: files.fixture.core())
    _ = try await files.core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: withWipe)
    for handle in [file, other] {
      #expect(code { _ = try handle.content() } == .noFileKey)
      #expect(code { try handle.write([1]) } == .noFileKey)
    }
    #expect(code { _ = try files.open() } == (withWipe ? .fileUnavailable : .noFileKey))
    #expect(try files.core.enroll("alice") == 100)
    #expect(code { _ = try files.open() } == (withWipe ? .fileUnavailable : nil))
  }

  @Test("Bytes of an encrypted file from another device can be written and read unchanged")
  func foreign() throws {
    let foreign = try HandleFixture()
    let file = try foreign.create()
    try file.write([1, 2, 3])
    file.close()
    let files = try HandleFixture()
    let copy = try files.create(for: .user("bob"))
    for start in stride(from: 0, to: foreign.disk().count, by: 1000) {
      try copy.write(Array(foreign.disk()[start..<min(start + 1000, foreign.disk().count)]))
    }
    #expect(try copy.content() == foreign.disk())
  }
}

extension Walk {
  mutating func step(_ file: FileHandle) throws {
    let step = next()
    let expected = apply(step)
    switch step {
    case .read(let count, let offset):
      #expect(try file.read(count, at: UInt64(offset)) == expected, "seed \(seed), \(count) bytes at \(offset)")
    case .write(let bytes, let offset): try file.write(bytes, at: UInt64(offset))
    case .truncate(let length): try file.truncate(to: UInt64(length))
    }
  }
}
