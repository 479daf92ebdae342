import Cryptography
import Model
import TestSupport
import Testing

@testable import Vault

/// What a changed byte of each class does: which pages are lost, and how it is told.
@Suite struct TamperTests {
  let fixture: FileFixture
  static let content = (0..<5 * FileLayout.dataSize - 100).map { UInt8(truncatingIfNeeded: $0 / 7) }

  init() throws {
    fixture = try FileFixture()
    try fixture.write(Self.content)
  }

  @Test(
    "A changed byte in the header makes a file damaged",
    arguments: [
      8, 9, 10, 11, 12, 15, 32, 63, 64, 95, 96, 97, 98, 99, 150, 200, 1000, 2047, 2116, 4095,
    ])
  func header(_ offset: Int) throws {
    fixture.change { $0[offset] ^= 1 }
    #expect(code { _ = try fixture.open() } == .fileDamaged)
  }

  @Test(
    "A changed magic makes a file plain; with a changed key id or owner, there is no key for it",
    arguments: [
      (0, nil), (7, nil), (16, .noFileKey), (31, .noFileKey), (101, .noFileKey),
    ] as [(Int, ErrorCode?)])
  func identity(_ offset: Int, _ expected: ErrorCode?) throws {
    fixture.change { $0[offset] ^= 1 }
    var isPlain = false
    #expect(code { isPlain = try fixture.open() == nil } == expected)
    #expect(isPlain == (expected == nil))
  }

  @Test("A file whose owner was replaced by another valid owner does not open")
  func owner() throws {
    let other = try fixture.create(.bob, at: fixture.folder.file("other"))
    #expect(other.header.owner == .bob)
    fixture.change { bytes in
      guard let encoded = DataOwner.bob.encoded else { return }
      bytes.replaceSubrange(96..<400, with: encoded + [UInt8](repeating: 0, count: 304 - encoded.count))
    }
    #expect(code { _ = try fixture.open() } == .noFileKey)
  }

  @Test(
    "A file with a damaged record does not open, but its pages can be salvaged", arguments: [2048, 2060, 2090, 2115])
  func record(_ offset: Int) throws {
    fixture.change { $0[offset] ^= 1 }
    #expect(code { _ = try fixture.open() } == .fileDamaged)
    var salvaged = try #require(try fixture.open(isSalvaging: true))
    #expect(try Array(salvaged.read().prefix(Self.content.count)) == Self.content)
  }

  @Test(
    "A changed byte in a page makes only that page unreadable", arguments: [0, 11, 12, 4000, 4075, 4079, 4080, 4095])
  func page(_ offset: Int) throws {
    fixture.change { $0[FileLayout.offset(ofPage: 2) + offset] ^= 0x80 }
    try expectLost(2)
  }

  @Test("Swapped pages are unreadable")
  func order() throws {
    fixture.change { bytes in
      let (first, second) = (place(1), place(2))
      let kept = Array(bytes[first])
      bytes.replaceSubrange(first, with: bytes[second])
      bytes.replaceSubrange(second, with: kept)
    }
    try expectLost(1, 2)
  }

  @Test("A page copied from another file of the same owner is unreadable")
  func foreign() throws {
    var other = try fixture.create(at: fixture.folder.file("other"))
    try other.write(Self.content)
    let foreign = try FileFixture.bytes(at: fixture.folder.file("other"))[place(3)]
    fixture.change { $0.replaceSubrange(place(3), with: foreign) }
    try expectLost(3)
  }

  @Test("A truncated file can be read up to the cut, and the error has the lost range")
  func truncation() throws {
    fixture.change { $0.removeLast(FileLayout.pageSize + 1) }
    var file = try #require(try fixture.open())
    #expect(file.length == UInt64(Self.content.count))
    #expect(try file.read(3 * FileLayout.dataSize) == Array(Self.content[..<(3 * FileLayout.dataSize)]))
    let error = failure { _ = try file.read() }
    #expect(error?.code == .fileTruncated)
    #expect(error?.fault?.page == 3)
    #expect(error?.fault?.range == UInt64(3 * FileLayout.dataSize)..<UInt64(Self.content.count))
  }

  @Test("Extra bytes after the end of an encrypted file are ignored")
  func tail() throws {
    fixture.change { $0 += Array($0[place(0)]) + [1, 2, 3] }
    #expect(try fixture.content() == Self.content)
  }

  @Test("A half-written page is lost alone, and writing it completely repairs it")
  func torn() throws {
    fixture.change { bytes in
      let half = place(1).lowerBound..<place(1).lowerBound + 2048
      bytes.replaceSubrange(half, with: [UInt8](repeating: 0, count: 2048))
    }
    try expectLost(1)
    var file = try #require(try fixture.open())
    let range = FileLayout.range(ofPage: 1, length: file.length)
    #expect(code { try file.write([1], at: range.lowerBound + 5) } == .fileDamaged)
    try file.write(Array(Self.content[Int(range.lowerBound)..<Int(range.upperBound)]), at: range.lowerBound)
    #expect(try fixture.content() == Self.content)
  }

  @Test("An interrupted write of many pages leaves each page old or new")
  func tornRun() throws {
    let old = fixture.disk()
    var file = try #require(try fixture.open())
    let new = Self.content.map { ~$0 }
    try file.write(new)
    fixture.change { $0.replaceSubrange(place(2).lowerBound..., with: old[place(2).lowerBound...]) }
    let split = 2 * FileLayout.dataSize
    #expect(try fixture.content() == Array(new[..<split] + Self.content[split...]))
  }

  private func place(_ index: UInt64) -> Range<Int> {
    let start = FileLayout.offset(ofPage: index)
    return start..<start + FileLayout.pageSize
  }

  private func expectLost(_ lost: UInt64...) throws {
    var file = try #require(try fixture.open())
    for index in 0..<FileLayout.pageCount(file.length) {
      let range = FileLayout.range(ofPage: index, length: file.length)
      if lost.contains(index) {
        let error = failure { _ = try file.read(range.count, at: range.lowerBound) }
        #expect(error?.code == .fileDamaged)
        #expect(error?.fault?.page == index)
        #expect(error?.fault?.range == range)
        #expect(error?.hint != nil)
        #expect(error?.path == fixture.path)
      } else {
        let plain = try file.read(range.count, at: range.lowerBound)
        #expect(plain == Array(Self.content[Int(range.lowerBound)..<Int(range.upperBound)]))
      }
    }
  }
}
