import Support
import Testing

@testable import MAM
@testable import Model
@testable import Policy

@Suite(.timeLimit(.minutes(5))) struct UserClockTests {
  let fixture = CoreFixture()

  private func write(clock: String?, asks: Bool = true) {
    fixture.tenant.writePolicy(asks ? #""appActionIfAccountIsClockedOut": "block""# : #""pinRequired": true"#)
    let clock = clock.map { #", "clock": \#($0)"# } ?? ""
    fixture.tenant.folder.write(
      """
      {"users": [{"id": "\(TenantFolder.id("frank"))", "userPrincipalName": "\(TenantFolder.upn("frank"))"\(clock)}],
       "assignments": [{"policy": "policies/ios.json"}, {"policy": "configurations/mail.json"}]}
      """, to: "tenant.json")
  }

  private func entry(_ status: String, minutesAgo: Int64 = 0) -> String {
    let time = fixture.clock.now.advanced(by: -minutesAgo * 60_000)
    return #"{"status": "\#(status)", "updated": "\#(time)"}"#
  }

  private func status(_ core: Core) -> ClockStatus? { core.source.userStatus(of: .user("frank"))?.clockStatus }

  private func tellings() throws -> [Timestamp] {
    try fixture.events().filter { $0.type == "userStatusDidChange" }.map(\.time)
  }

  @Test(
    "clockStatus follows the user's time clock, is stale after an hour, and needs a policy that uses it",
    arguments: [
      ("clockedIn", 0, true, .clockedIn), ("clockedOut", 59, true, .clockedOut),
      ("clockedIn", 60, true, .clockedInStale),
      ("clockedOut", 600, true, .clockedOutStale), ("unknown", 600, true, .unknown), ("lunch", 0, true, .unknown),
      (nil, 0, true, .unknown), ("clockedIn", 0, false, .notConfigured),
    ] as [(String?, Int64, Bool, ClockStatus)])
  func forms(status: String?, minutesAgo: Int64, asks: Bool, expected: ClockStatus) throws {
    write(clock: status.map { entry($0, minutesAgo: minutesAgo) }, asks: asks)
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    #expect(self.status(core) == expected)
    #expect(core.source.userStatus(of: nil) == nil)
    #expect(core.source.userStatus(of: .user("nobody")) == nil)
  }

  @Test("userStatusDidChange is sent once per change: at the check-in, and when the status turns stale")
  func told() throws {
    write(clock: entry("clockedIn"))
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    #expect(try tellings() == [CoreFixture.start])
    try core.scheduler.advance(byMilliseconds: 59 * 60_000)
    #expect(try tellings().count == 1)
    #expect(status(core) == .clockedIn)
    try core.scheduler.advance(byMilliseconds: 5 * 3_600_000)
    #expect(status(core) == .clockedInStale)
    #expect(try tellings() == [CoreFixture.start, CoreFixture.start.advanced(by: 3_600_000)])
    write(clock: entry("clockedOut"))
    #expect(try core.checkIn() == [101])
    #expect(try core.checkIn() == [101])
    #expect(status(core) == .clockedOut)
    #expect(try tellings().count == 3)
  }

  @Test("Without a policy that uses the time clock, userStatusDidChange is never sent")
  func notConfigured() throws {
    write(clock: entry("clockedIn"), asks: false)
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    try core.scheduler.advance(byMilliseconds: 5 * 3_600_000)
    #expect(try tellings().isEmpty)
  }

  @Test("A test policy with or without the clock rule changes clockStatus and sends userStatusDidChange")
  func testPolicy() throws {
    write(clock: entry("clockedOut"), asks: false)
    let core = try fixture.core("DebugSettingsEnabled=true")
    #expect(try core.enroll("frank") == 100)
    #expect(try tellings().isEmpty)
    try core.policyOverrides.set(TestSettings([.appActionIfAccountIsClockedOut: .word("warn")]), of: nil)
    #expect(try tellings().count == 1)
    #expect(status(core) == .clockedOut)
    #expect(try core.checkIn() == [101])
    #expect(try tellings().count == 1)
    try core.policyOverrides.set(TestSettings([.pinRequired: .bool(false)]), of: nil)
    #expect(try tellings().count == 2)
    #expect(status(core) == .notConfigured)
    write(clock: entry("clockedIn"))
    #expect(try core.checkIn() == [100])
    #expect(try tellings().count == 2)
    try core.policyOverrides.clear(of: nil)
    #expect(try tellings().count == 3)
    #expect(status(core) == .clockedIn)
  }

  @Test("A change of the time clock takes effect only at the next check-in")
  func notBefore() throws {
    write(clock: entry("clockedIn"))
    let core = try fixture.core()
    #expect(try core.enroll("frank") == 100)
    write(clock: entry("clockedOut"))
    #expect(status(core) == .clockedIn)
  }
}
