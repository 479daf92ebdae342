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

  @Test("If its state folder is removed, a core fails every change until the folder is put back")
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

  @Test("An empty folder in place of a removed state folder starts a new state")
  func madeAnew() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    rename(fixture.state.root, away)
    try expectGone(core)
    mkdir(fixture.state.root, 0o700)
    #expect(try core.enroll("alice") == 100)
    #expect(try fixture.core().enroll("alice") == 208)
  }

  @Test("Another state in place of the state folder is used from the next call to the store")
  func replaced() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    rename(fixture.state.root, away)
    let other = try fixture.core()
    #expect(try other.refresh().store.newestEvent() == 0)
    #expect(try core.live.withStore { store throws(MAMError) in try store.newestEvent() } == 0)
    #expect(try core.enroll("alice") == 100)
    #expect(try other.enroll("alice") == 208)
  }
}
