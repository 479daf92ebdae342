import Model
import Testing

@testable import MAM

@Suite(.timeLimit(.minutes(5))) struct AuxiliaryDataTests {
  let world: WipeFixture

  init() throws {
    world = try WipeFixture()
  }

  @Test("wipeAuxiliaryDataForAccount is called once, and the core removes the account's files")
  func wiped() async throws {
    let host = AuxiliaryHost([true])
    world.core.host = host
    #expect(try await world.core.wipe("alice") == 104)
    #expect(host.asked.withLock { $0 } == 1)
    try world.expectGone(in: world.core)
  }

  @Test("A wipe ends only after wipeAuxiliaryDataForAccount succeeds, and is retried until then")
  func retried() async throws {
    let host = AuxiliaryHost([false, true])
    world.core.host = host
    let status = try await world.core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: true)
    #expect(status.statusCode == .failedToClearMamData)
    #expect(status.access == .block)
    #expect(status.errorString?.contains("not in files") == true)
    #expect(try world.files(of: "alice") == [])
    #expect(try world.core.account("alice")?.isWiping == true)
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 120_000)
    #expect(host.asked.withLock { $0 } == 2)
    try world.expectTold()
    try world.expectGone(in: world.core)
  }
}
