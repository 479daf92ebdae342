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

  @Test("A file survey returns whole and lost pieces in order, and together they cover the text")
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

  @Test("A file check reports adjacent damaged pages as one range")
  func neighbours() throws {
    for page in [62, 63, 64, 65, 100] as [UInt64] { change { $0[FileLayout.offset(ofPage: page) + 20] ^= 1 } }
    let size = UInt64(FileLayout.dataSize)
    #expect(
      try checked().damage == [
        .pages(62...65, bytes: 62 * size..<66 * size),
        .pages(100...100, bytes: 100 * size..<UInt64(Self.text.count)),
      ])
  }

  @Test("A file check reports both a damaged page and a truncated end")
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

  @Test("A file check reports the lost range of a truncated file whose recorded length is 2^40 bytes")
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

  @Test("A file check reports no damage while another handle writes to the file and truncates it")
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

  @Test("A file without its magic is damaged if the rest of the header is intact, and plain otherwise")
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
