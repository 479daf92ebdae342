import Glibc
import Model
import TestSupport
import Testing

@testable import MAM

@Suite struct VanishedStateTests {
  private let fixture = CoreFixture()
  private var away: String { fixture.folder.file("away") }

  private func expectGone(_ core: Core) throws {
    for call in [{ try core.enroll("bob") }, { try core.unenroll("alice") }] {
      let error = try #require(#expect(throws: MAMError.self) { try call() })
      #expect(error.code == .storeUnavailable)
      #expect(error.path == fixture.state.root)
      #expect(error.message.contains("removed"))
      #expect(error.hint?.contains("Put the folder back") == true)
    }
    #expect(core.currentState == nil)
    #expect(!fixture.state.exists)
  }

  @Test("A state folder that is gone takes no change, and is not made anew; put back it is as it was")
  func putBack() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    rename(fixture.state.root, away)
    try expectGone(core)
    rename(away, fixture.state.root)
    #expect(try core.enroll("alice") == 208)
    #expect(try core.unenroll("alice") == 104)
    #expect(try fixture.core().enroll("alice") == 100)
  }

  @Test("An empty folder in its place begins without accounts, and what is done then stays")
  func madeAnew() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    rename(fixture.state.root, away)
    try expectGone(core)
    mkdir(fixture.state.root, 0o700)
    #expect(try core.enroll("alice") == 100)
    #expect(try fixture.core().enroll("alice") == 208)
  }

  @Test("Another state in its place counts from the next call that reads or writes the store")
  func replaced() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    rename(fixture.state.root, away)
    let other = try fixture.core()
    #expect(try other.refresh().store.newestEvent() == 0)
    #expect(try core.withStore { store throws(MAMError) in try store.newestEvent() } == 0)
    #expect(try core.enroll("alice") == 100)
    #expect(try other.enroll("alice") == 208)
  }
}
