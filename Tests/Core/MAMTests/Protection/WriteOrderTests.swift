import Cryptography
import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// What must lie on the disk before something else does.
@Suite struct WriteOrderTests {
  @Test("A file keeps its old length if its new pages cannot be written", .enabled(if: ChildProcess.isPossible))
  func recordAfterPages() throws {
    let fixture = try HandleFixture()
    let text = [UInt8](repeating: 7, count: 10_000)
    let file = try fixture.create()
    try file.write(text)
    file.close()
    let child = try #require(ChildProcess(.growOnFullDisk, fixture.fixture))
    #expect(child.waitForReport())
    _ = child.waitForEnd()
    #expect(try FileCheck(fixture.core.files.survey(fixture.path())).damage.isEmpty)
    #expect(try fixture.open(.readOnly).content() == text)
  }

  @Test("Closing a handle returns unused seals, so that repeated opening does not wear out the key")
  func reserve() throws {
    let fixture = try HandleFixture()
    for count in 1...3 {
      let file = try count == 1 ? fixture.create() : fixture.open(.readWrite)
      try file.write([1], at: 0)
      file.close()
    }
    let disk = try DiskFile(path: fixture.fixture.folder.file("document"), flags: O_RDONLY)
    let content = try fixture.core.refresh().files.content(of: disk)
    #expect(content.sealCount > 0)
    #expect(content.sealCount < 100)
  }
}
