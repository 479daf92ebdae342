import Glibc
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct EnrolledElsewhereTests {
  private func world(isForDevelopment: Bool) async throws -> SourceWorld {
    let world = SourceWorld()
    world.source.isForDevelopment = isForDevelopment
    world.source.delivers("")
    #expect(try await world.enroll() == 100)
    return world
  }

  @Test("a state that a development tenant alone has enrolled may be marked")
  func development() async throws {
    let world = try await world(isForDevelopment: true)
    try world.fixture.state.markForDevelopment()
    try world.fixture.state.checkDevelopment()
  }

  @Test("a state that was enrolled elsewhere is refused, also after the account has left, and for other apps")
  func elsewhere() async throws {
    let world = try await world(isForDevelopment: false)
    let state = world.fixture.state
    try state.markForDevelopment()
    for state in [state, state.forApp("com.example.other")] {
      let error = #expect(throws: MAMError.self) { try state.checkDevelopment() }
      #expect(error?.description.contains("were enrolled in it elsewhere") == true)
    }
    _ = try world.core.checkIns.unenroll(.user("alice"))
    #expect(throws: MAMError.self) { try state.checkDevelopment() }
  }

  @Test("a state without accounts, and one whose source answered nothing, may be marked")
  func nothing() async throws {
    let world = SourceWorld()
    world.source.fails(.unreachable)
    _ = try await world.enroll()
    try world.fixture.state.checkDevelopment()
  }

  @Test("a state of a program that did not store it counts as enrolled elsewhere if it has an enrolled account")
  func migration() throws {
    for (enrolled, isElsewhere) in [(0, false), (1_700_000_000_000, true)] {
      let folder = TemporaryFolder()
      let connection = try Connection(path: folder.file("state.db"))
      try StateSchema.app.upTo(version: 13).apply(to: connection)
      try connection.run("INSERT INTO accounts (position, enrolled_at) VALUES (1, ?)", enrolled)
      try StateSchema.app.apply(to: connection)
      #expect(try (connection.fact("enrolledElsewhere") != nil) == isElsewhere)
    }
  }
}
