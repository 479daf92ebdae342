import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FileSurveyTests {
  let files: HandleFixture
  static let text = (0..<100 * FileLayout.dataSize + 17).map { UInt8(truncatingIfNeeded: $0 / 11) }

  init() throws {
    files = try HandleFixture()
    try files.create().write(Self.text)
  }

  private func checked() throws -> FileCheck { try FileCheck(try files.core.files.survey(try files.path())) }

  private func change(_ body: (inout [UInt8]) -> Void) {
    var bytes = files.disk()
    body(&bytes)
    write(bytes, to: files.fixture.folder.file("document"))
  }

  @Test("Whole pieces and lost pages together are the text, in its order")
  func pieces() throws {
    for page in [0, 63, 64, 65, 100] as [UInt64] { change { $0[FileLayout.offset(ofPage: page) + 20] ^= 1 } }
    var survey = try files.core.files.survey(try files.path())
    var (offset, lost) = (UInt64(0), [UInt64]())
    while let piece = try survey.next() {
      switch piece {
      case .whole(let bytes):
        #expect(bytes == Array(Self.text[Int(offset)..<Int(offset) + bytes.count]))
        offset += UInt64(bytes.count)
      case .lost(let damage):
        let range = try #require(damage.bytes)
        #expect(range.lowerBound == offset)
        lost.append(offset / UInt64(FileLayout.dataSize))
        offset = range.upperBound
      }
    }
    #expect(offset == UInt64(Self.text.count) && lost == [0, 63, 64, 65, 100])
  }

  @Test("Neighbouring pages are told together, across what is read at once")
  func neighbours() throws {
    for page in [62, 63, 64, 65, 100] as [UInt64] { change { $0[FileLayout.offset(ofPage: page) + 20] ^= 1 } }
    let size = UInt64(FileLayout.dataSize)
    #expect(
      try checked().damage == [
        .pages(62...65, bytes: 62 * size..<66 * size),
        .pages(100...100, bytes: 100 * size..<UInt64(Self.text.count)),
      ])
  }

  @Test("Of a file that was cut off within a page and has a damaged one before, both are told")
  func truncated() throws {
    change { bytes in
      bytes.removeLast(bytes.count - FileLayout.offset(ofPage: 70) - 100)
      bytes[FileLayout.offset(ofPage: 66)] ^= 1
    }
    let size = UInt64(FileLayout.dataSize)
    let check = try checked()
    #expect(
      check.damage == [
        .pages(66...66, bytes: 66 * size..<67 * size), .end(page: 70, bytes: 70 * size..<UInt64(Self.text.count)),
      ])
    #expect(check.readable == 69 * size)
    #expect(check.length == UInt64(Self.text.count))
  }

  @Test("A file whose text is said to have 2^40 bytes, nearly all of them cut off, is checked at once")
  func hugeLoss() throws {
    var file = try #require(
      try files.core.files.environment(files.core.files.protection()).content(
        of: DiskFile(path: files.path().text, flags: O_RDWR)) as? EncryptedFile)
    try file.replaceRecord { $0.length = 1 << 40 }
    let check = try checked()
    let kept = 101 * UInt64(FileLayout.dataSize)
    #expect(check.readable == kept)
    #expect(check.damage == [.end(page: 101, bytes: kept..<1 << 40)])
  }

  @Test("A file that is written and truncated all the time is never damaged")
  func besideAWriter() async throws {
    let path = try files.path()
    let core = files.core
    let isDone = Lock(false)
    async let failures = Task.detached { () throws -> [FileDamage] in
      var damage: [FileDamage] = []
      while !isDone.withLock({ $0 }) { damage += try FileCheck(try core.files.survey(path)).damage }
      return damage
    }.value
    let handle = try files.open(.readWrite)
    for round in 0..<60 {
      try handle.write(Array(Self.text.reversed()), at: UInt64(round * 100))
      try handle.truncate(to: UInt64(round * 5000))
    }
    isDone.withLock { $0 = true }
    #expect(try await failures == [])
  }

  @Test("Nothing tells whether a plain file is as it was; one that lost only its magic is known by the rest")
  func plain() throws {
    change { $0[0] ^= 1 }
    #expect(code { _ = try checked() } == .fileDamaged)
    change { $0[8] ^= 1 }
    let check = try checked()
    #expect(!check.isEncrypted)
    #expect(check.damage.isEmpty)
    #expect(check.length == check.readable)
  }
}
