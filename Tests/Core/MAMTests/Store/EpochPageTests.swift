import Glibc
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct EpochPageTests {
  private let fixture = CoreFixture()

  @Test("After the epoch page is truncated, all cores still see each other's changes", arguments: [0, 4, 100])
  func truncated(size: off_t) throws {
    let cores = try (0..<3).map { _ in try fixture.core("MultiManagedIdentities=true") }
    #expect(try cores[0].enroll("alice") == 100)
    for core in cores { try core.refresh() }
    for round in 0..<3 {
      #expect(truncate(fixture.state.epochPage, size) == 0)
      let writer = cores[round]
      #expect(writer.currentState == nil || size > 0)
      #expect(try (round % 2 == 0 ? writer.enroll("frank") : writer.unenroll("frank")) == (round % 2 == 0 ? 100 : 104))
      for core in cores {
        #expect(try core.account("frank") == nil || round % 2 == 0)
        #expect(try core.account("frank") != nil || round % 2 == 1)
        #expect(core.currentState != nil)
      }
    }
    var status = stat()
    #expect(stat(fixture.state.epochPage, &status) == 0)
    #expect(status.st_size == 4096 || size == 100)
  }

  @Test("Keys destroyed while the epoch page was truncated are not used by any core")
  func keys() async throws {
    let world = try WipeFixture()
    let other = try world.newCore()
    #expect(world.isReadable(in: other))
    #expect(truncate(world.fixture.state.epochPage, 0) == 0)
    #expect(try await world.core.wipe("alice") == 104)
    #expect(!world.isReadable(in: other))
  }

  @Test("A recreated epoch page has a higher value than the one before")
  func anew() throws {
    let path = fixture.folder.file("epoch")
    let page = try EpochPage(path: path)
    for _ in 0..<1000 { page.raise() }
    #expect(truncate(path, 0) == 0)
    #expect(page.value == 0)
    #expect(page.isLost)
    let next = try EpochPage(path: path)
    #expect(!next.isLost)
    #expect(next.value > 1000)
    page.raise()
    #expect(page.isLost)
  }

  @Test("A read-only epoch page sees changes of others and counts its own changes for its process only")
  func reading() throws {
    let path = fixture.folder.file("epoch")
    let missing = EpochPage(reading: path)
    let value = missing.value
    #expect(missing.raise() == value + 1)
    #expect(access(path, F_OK) != 0)
    let page = try EpochPage(path: path)
    let reader = EpochPage(reading: path)
    let (before, shared) = (reader.value, page.value)
    page.raise()
    reader.raise()
    #expect(reader.value == before + 2)
    #expect(page.value == shared + 1)
    #expect(truncate(path, 0) == 0)
    #expect(reader.value != before + 2)
    #expect(reader.isLost)
  }
}
