import Cryptography
import Glibc
import TestSupport
import Testing

@testable import Vault

@Suite struct EncryptedFileTests {
  let fixture: FileFixture
  static let page = FileLayout.dataSize

  init() throws {
    fixture = try FileFixture()
  }

  @Test(
    "An encrypted file of any length can be reopened and read",
    arguments: [
      0, 1, page - 1, page, page + 1, 3 * page, 64 * page, 64 * page + 1, 300_000,
    ])
  func lengths(_ count: Int) throws {
    var generator = SeededGenerator(state: UInt64(count))
    let bytes = generator.bytes(count)
    try fixture.write(bytes)
    #expect(try fixture.content() == bytes)
    #expect(fixture.disk().count == FileLayout.fileSize(UInt64(count)))
    #expect(fixture.disk().count.isMultiple(of: FileLayout.pageSize))
  }

  @Test("The header of an encrypted file has its owner, and no plain text is on the disk")
  func header() throws {
    let text = Array("the plain text of contoso".utf8)
    try fixture.write(text)
    #expect(try fixture.open()?.header.owner == .alice)
    #expect(!fixture.disk().contains(text))
  }

  @Test("A plain or empty file does not open as an encrypted file", arguments: ["", "x", "plain text"])
  func plain(_ text: String) throws {
    fixture.folder.write(text, to: "document")
    #expect(try fixture.open() == nil)
  }

  @Test(
    "An encrypted file agrees with a plain file through random reads, writes, appends and truncations",
    arguments: 1...4 as ClosedRange<UInt64>
  )
  func walk(_ seed: UInt64) throws {
    var walk = Walk(seed: seed)
    var file = try fixture.create()
    for step in 0..<150 {
      try walk.step(&file)
      if step.isMultiple(of: 50), let opened = try fixture.open() { file = opened }
    }
    #expect(try fixture.content() == walk.shadow, "seed \(seed)")
  }

  @Test("Two handles of one encrypted file see each other's changes")
  func pair() throws {
    var walk = Walk(seed: 99)
    var files = [try fixture.create(), try #require(try fixture.open())]
    for step in 0..<150 { try walk.step(&files[step % 2]) }
    #expect(try fixture.content() == walk.shadow)
  }

  @Test("Another app can read an encrypted file only if the file is shared")
  func scopes() throws {
    let other = FileKeys(store: try fixture.device.keys("com.example.other"))
    for isShared in [false, true] {
      let file = try fixture.create(isShared: isShared)
      #expect(try (other.key(of: file.header) != nil) == isShared)
      #expect(try fixture.keys.key(of: file.header) != nil)
    }
  }

  @Test("Bytes that a killed write left after the end are never read, and are cut off")
  func tail() throws {
    try fixture.write([1, 2, 3])
    fixture.change { $0 += [UInt8](repeating: 7, count: 10_000) }
    #expect(try fixture.content() == [1, 2, 3])
    var file = try #require(try fixture.open())
    try file.cutTail()
    #expect(fixture.disk().count == 2 * FileLayout.pageSize)
    try file.truncate(to: 9000)
    #expect(try fixture.content() == [1, 2, 3] + [UInt8](repeating: 0, count: 8997))
  }

  @Test("An open file reserves seals in advance and returns unused ones when it is released")
  func writeCount() throws {
    var file = try fixture.create()
    #expect(file.record.writeCount == EncryptedFile.reservation)
    try file.write([1])
    try file.release()
    let released = try fixture.open()?.record.writeCount ?? 0
    #expect((1..<10).contains(released))
    try file.write([2])
    #expect(try fixture.open()?.record.writeCount ?? 0 > EncryptedFile.reservation)
  }

  @Test("A file whose key has sealed the maximum refuses writes")
  func wornOut() throws {
    var file = try fixture.create()
    file.reserved = 0
    try file.replaceRecord { $0.writeCount = EncryptedFile.maximumWrites - EncryptedFile.reservation }
    #expect(code { try file.write([1]) } == .fileUnavailable)
  }

  @Test("Files over 2^40 bytes work, and offsets beyond the maximum fail with EFBIG")
  func far() throws {
    let length: UInt64 = 1 << 40 + 100
    var file = try fixture.create()
    try file.replaceRecord { $0.length = length - 5000 }
    #expect(truncate(fixture.path, FileLayout.fileSize(length - 5000)) == 0)
    #expect(code { try file.write([1], at: length - 5000) } == .fileDamaged)
    let start = FileLayout.range(ofPage: FileLayout.pageCount(length), length: .max).lowerBound
    try file.replaceRecord { $0.length = start }
    try file.write([1, 2, 3], at: start)
    #expect(try file.read(10, at: start) == [1, 2, 3])
    #expect(file.length == start + 3)
    #expect(code { _ = try file.read(1, at: 1 << 39) } == .fileDamaged)
    for offset in [EncryptedFile.maximumLength, 1 << 53, FileLayout.maximumLength, UInt64(Int64.max), .max] {
      for error in [
        failure { try file.write([1], at: offset) },
        failure { try file.truncate(to: offset + (offset == .max ? 0 : 1)) },
      ] {
        #expect(error?.fault?.number == EFBIG, "\(offset)")
        #expect(error?.message.contains("too large") == true, "\(offset)")
      }
    }
    #expect(try file.read(1, at: .max) == [])
  }

  @Test(
    "A shrunk file contains no removed data, even after its pages are salvaged",
    arguments: [1, 4063, 4065, 5000])
  func shrunk(length: Int) throws {
    let fixture = try FileFixture()
    try fixture.write([UInt8](repeating: 0xAB, count: 9000))
    var file = try #require(try fixture.open())
    try file.refresh()
    try file.truncate(to: UInt64(length))
    fixture.change { $0[FileLayout.recordOffset + 20] ^= 1 }
    var salvaged = try #require(try fixture.open(isSalvaging: true))
    #expect(salvaged.isSalvaged)
    let bytes = try salvaged.read()
    #expect(bytes.count.isMultiple(of: FileLayout.dataSize))
    #expect(bytes.count >= length)
    #expect(bytes[..<length].allSatisfy { $0 == 0xAB })
    #expect(bytes[length...].allSatisfy { $0 == 0 })
  }

  @Test("Creating an encrypted file over an old one empties it and leaves a valid header")
  func emptied() throws {
    let fixture = try FileFixture()
    try fixture.write([UInt8](repeating: 0xAB, count: 9000))
    let other = try fixture.create(.alice)
    #expect(try other.file.size() == FileLayout.pageSize)
    #expect(try fixture.content() == [])
  }
}
