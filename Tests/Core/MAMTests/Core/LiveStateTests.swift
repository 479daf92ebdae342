import Testing

@testable import MAM

@Suite struct LiveStateTests {
  @Test("Protection, events and other parts of a core do not retain it and work after its release")
  func withoutCore() throws {
    let fixture = CoreFixture()
    var core: Core? = try fixture.core()
    #expect(try core?.enroll("alice") == 100)
    let (protection, events, log) = (core?.protection, core?.events, core?.live)
    let rooms: [(any Sendable)?] = [
      core?.files, core?.clipboard, core?.receiving, core?.webNavigation, core?.screens, core?.blocks, core?.alerts,
      core?.pinning, core?.providerOwners, core?.policyOverrides, core?.settingOverrides, core?.activities, core?.trace,
      core?.registrations, core?.reports, core?.managedUser, core?.wipes, core?.sourceWatch, core?.enrollment,
      core?.checkIns, core?.questions, core?.login, core?.scheduler, core?.tokens, core?.challenges, core?.pins,
      core?.conditionalLaunch, core?.compliance, core?.windows, core?.appStart, core?.diagnostics, core?.dueTimes,
      core?.hostDevice, core?.restarts, core?.makeIdentities(), core?.roomsForAnswers(asking: NoHost()),
    ]
    weak let gone = core
    core = nil
    #expect(gone == nil)
    #expect(rooms.allSatisfy { $0 != nil })
    let sealed = try #require(try protection?.protect([1, 2, 3], for: .user("alice")))
    #expect(try protection?.unprotect(sealed) == [1, 2, 3])
    #expect(try events?.list(EventQuery(after: 0, stream: nil, types: nil, limit: 10)).events.isEmpty == false)
    #expect(log?.state.accounts.count == 1)
  }
}
