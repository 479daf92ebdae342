import Cryptography
import Glibc
import Model
import TestSupport
import Testing

@testable import MAM

/// What must lie on the disk before something else does.
@Suite struct WriteOrderTests {
  @Test("A file keeps its old length when its new pages cannot be written", .enabled(if: ChildProcess.isPossible))
  func recordAfterPages() throws {
    let fixture = try HandleFixture()
    let text = [UInt8](repeating: 7, count: 10_000)
    let file = try fixture.create()
    try file.write(text)
    file.close()
    let child = try #require(ChildProcess(.growOnFullDisk, fixture.fixture))
    #expect(child.waitForReport())
    _ = child.waitForEnd()
    #expect(try FileCheck(fixture.core.surveyFile(fixture.path())).damage.isEmpty)
    #expect(try fixture.open(.readOnly).content() == text)
  }

  @Test(
    "A shrunk file holds nothing of what it lost, also when its record is lost and its pages are salvaged",
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
    #expect(bytes.count.isMultiple(of: FileLayout.dataSize) && bytes.count >= length)
    #expect(bytes[..<length].allSatisfy { $0 == 0xAB } && bytes[length...].allSatisfy { $0 == 0 })
  }

  @Test("A handle that is closed gives back the seals that it counted ahead, so that opening often wears no key out")
  func reserve() throws {
    let fixture = try HandleFixture()
    for count in 1...3 {
      let file = try count == 1 ? fixture.create() : fixture.open(.readWrite)
      try file.write([1], at: 0)
      file.close()
    }
    let disk = try DiskFile(path: fixture.fixture.folder.file("document"), flags: O_RDONLY)
    let content = try fixture.core.refresh().files.content(of: disk)
    #expect(content.sealCount > 0 && content.sealCount < 100)
  }

  @Test("A file that is emptied and made encrypted is never without a header, and loses what it held")
  func emptied() throws {
    let fixture = try FileFixture()
    try fixture.write([UInt8](repeating: 0xAB, count: 9000))
    let other = try fixture.create(.alice)
    #expect(try other.file.size() == FileLayout.pageSize && fixture.content() == [])
  }
}
