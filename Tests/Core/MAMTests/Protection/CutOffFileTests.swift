import Glibc
import Model
import SQLite
import TestSupport
import Testing

@testable import MAM

/// Encrypted files that somebody has cut off so far that nothing in them tells what they were.
@Suite struct CutOffFileTests {
  private let fixture: HandleFixture

  init() throws {
    fixture = try HandleFixture()
    let file = try fixture.create()
    try file.write([UInt8](repeating: 7, count: 10_000))
    file.close()
  }

  private var disk: String { fixture.fixture.folder.file("document") }

  @Test("An encrypted file cut to 0, 1 or 7 bytes is reported as truncated and is not changed", arguments: [0, 1, 7])
  func cutOff(size: Int) throws {
    // Whoever has looked at it since has not made anybody forget.
    #expect(try fixture.core.files.protectionInfo(fixture.path())?.isEncrypted == true)
    #expect(truncate(disk, size) == 0)
    for flags in [[.readOnly], [.readWrite], [.readWrite, .create]] as [[FileFlag]] {
      let error = #expect(throws: MAMError.self) { try fixture.core.files.open(fixture.path(), flags) }
      #expect(error?.code == .fileTruncated)
      #expect(error?.path == disk)
    }
    let core = fixture.core
    for change: () throws -> Void in [
      { try core.files.protect(fixture.path(), for: .user("alice")) },
      { try core.files.encrypt(fixture.path(), for: .user("alice")) },
      { try core.files.decrypt(fixture.path(), to: nil) }, { _ = try core.files.survey(fixture.path()) },
    ] {
      #expect(#expect(throws: MAMError.self) { try change() }?.code == .fileTruncated)
    }
    #expect(readFile(disk)?.count == size)
  }

  @Test("An open handle reports that its file was truncated")
  func openHandle() throws {
    let file = try fixture.open(.readWrite)
    #expect(truncate(disk, 0) == 0)
    #expect(#expect(throws: MAMError.self) { try file.content() }?.code == .fileTruncated)
    #expect(#expect(throws: MAMError.self) { try file.write([1], at: 0) }?.code == .fileTruncated)
  }

  @Test("A truncated encrypted file can be created anew, and a wipe removes it")
  func begun() async throws {
    #expect(truncate(disk, 0) == 0)
    let file = try fixture.create()
    try file.write([1, 2])
    #expect(try file.isEncrypted())
    #expect(try fixture.open(.readOnly).content() == [1, 2])
    file.close()
    #expect(truncate(disk, 0) == 0)
    #expect(try await fixture.core.wipe("alice") == 104)
    #expect(access(disk, F_OK) != 0)
  }

  @Test("An empty file is not reported as truncated if a removed encrypted file had its inode number")
  func reusedInode() throws {
    #expect(truncate(disk, 0) == 0)
    // File systems choose the numbers, so the known file gets another time of birth instead.
    try fixture.core.refresh().store.note { connection throws(SQLiteError) in
      try connection.execute("UPDATE owned_files SET born = born + 1")
    }
    #expect(try fixture.open(.readWrite).content() == [])
  }

  @Test("An empty file that is not encrypted can be opened")
  func plain() throws {
    try fixture.core.files.decrypt(fixture.path(), to: nil)
    #expect(truncate(disk, 0) == 0)
    #expect(try fixture.open(.readWrite).content() == [])
    fixture.fixture.folder.write("", to: "other")
    #expect(try fixture.open(.readWrite, name: "other").content() == [])
  }
}
