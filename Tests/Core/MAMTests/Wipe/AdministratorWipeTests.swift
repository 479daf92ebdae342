import Glibc
import Model
import TestSupport
import Testing

@testable import MAM

@Suite(.timeLimit(.minutes(5))) struct AdministratorWipeTests {
  let world: WipeFixture

  init() throws {
    world = try WipeFixture()
  }

  private func checkIn() async throws -> [Int] {
    try await world.core.enrollment.checkInAndFollowUp(.user("alice")).map(\.statusCode.sdkValue)
  }

  private func enroll() async throws -> Int {
    try await world.core.enrollment.enrollAndFollowUp(.user("alice")).statusCode.sdkValue
  }

  @Test("A requested wipe ends a check-in with 102, once per user, app and time of the request")
  func once() async throws {
    let count = try world.fixture.events().count
    world.writeOperation("wipe")
    #expect(try await checkIn() == [102])
    #expect(
      try world.fixture.events().dropFirst(count).map(\.summary) == [
        "policyRequestWithStatus 102", "wipeDidComplete", "unenrollRequestWithStatus 104", "policyDidChange",
        "managementRemoved",
        "didChange",
      ])
    try world.expectGone(in: world.core)
    #expect(try await checkIn() == [101])
    #expect(try world.newCore().checkIn("alice") == [101])
    world.writeOperation("wipe", requested: "2026-01-02T00:00:00Z")
    #expect(try await checkIn() == [102])
    try world.expectTold(wipes: 2)
  }

  @Test("A requested wipe applies only to its app, whose id is compared without regard to case")
  func apps() async throws {
    world.writeOperation("wipe", app: "com.example.other")
    #expect(try await checkIn() == [101])
    world.writeOperation("wipe", app: "COM.example.HOST")
    #expect(try await checkIn() == [102])
  }

  @Test("A wipe requested before the enrollment runs at the first enrollment, and only once")
  func atEnrollment() async throws {
    #expect(try world.core.unenroll("alice") == 104)
    world.writeOperation("wipe")
    #expect(try await enroll() == 102)
    #expect(try world.core.account("alice") == nil)
    #expect(try world.files(of: "alice") == [])
    #expect(try await enroll() == 100)
    try world.expectOthers(in: world.core)
  }

  @Test("A wipe requested for a disabled, unlicensed user takes effect")
  func disabled() async throws {
    world.fixture.tenant.writeTenant(
      users: [.init(name: "alice", isLicensed: false, isEnabled: false)],
      more: #""operations": [{"type": "wipe", "app": "*", "user": "\#(TenantFolder.upn("alice"))"}],"#)
    #expect(try await checkIn() == [102])
    #expect(try world.files(of: "alice") == [])
    #expect(try await enroll() == 203)
  }

  @Test("wipeAndBlock ends check-ins with 226 and wipes any data they find, until it is removed")
  func block() async throws {
    world.writeOperation("wipeAndBlock")
    let count = try world.fixture.events().count
    #expect(try await checkIn() == [226])
    #expect(
      try world.fixture.events().dropFirst(count).map(\.summary) == [
        "policyRequestWithStatus 226", "wipeDidComplete", "policyDidChange", "managementRemoved", "didChange",
      ])
    let account = try #require(try world.core.account("alice"))
    #expect(account.life == .blocked)
    #expect(!account.isEnrolled)
    #expect(account.status?.statusCode == .deviceBlockedEnrollment)
    #expect(!world.isReadable(in: world.core))
    #expect(try world.files(of: "alice") == [])
    try world.expectOthers(in: world.core)

    #expect(try await checkIn() == [226])
    #expect(try world.fixture.events().count { $0.type == "wipeDidComplete" } == 1)
    world.documents.write("text", to: "alice plain")
    try world.own("alice plain", by: "alice")
    #expect(try await checkIn() == [226])
    #expect(try world.files(of: "alice") == [])

    world.fixture.tenant.writeTenant()
    #expect(try await checkIn() == [100])
    #expect(!world.isReadable(in: world.core))
  }

  @Test(
    "A wipe runs before wipeAndBlock, in any order of the operations: 102 first, then 226", arguments: [true, false])
  func both(isWipeFirst: Bool) async throws {
    let (wipe, block) = (world.operation("wipe"), world.operation("wipeAndBlock"))
    let operations = isWipeFirst ? [wipe, block] : [block, wipe]
    world.fixture.tenant.writeTenant(more: "\"operations\": [\(operations.joined(separator: ", "))],")
    #expect(try await checkIn() == [102])
    #expect(try world.core.account("alice") == nil)
    #expect(try world.files(of: "alice") == [])
    #expect(try await enroll() == 226)
    #expect(try await checkIn() == [226])
    try world.expectOthers(in: world.core)
  }

  @Test("Moving the clock runs the due check-in with its wipe, and the events keep their order")
  func due() async throws {
    world.writeOperation("wipe")
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 30 * 60_000)
    #expect(try world.core.account("alice") == nil)
    #expect(try world.files(of: "alice") == [])
    try world.expectTold()
    #expect(try world.fixture.events().map(\.seq) == Array(1...world.fixture.events().count))
  }

  @Test("Moving the clock far ahead runs a wipe at its due time, before later check-ins")
  func order() async throws {
    world.writeOperation("wipe")
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 3 * 3_600_000)
    let events = try world.fixture.events()
    let wipe = try #require(events.first { $0.type == "wipeDidComplete" })
    #expect(wipe.time == CoreFixture.start.advanced(by: 30 * 60_000))
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(events.last?.time == CoreFixture.start.advanced(by: 3 * 3_600_000))
  }

  @Test("An account that waits for an administrator's wipe does not prevent another from enrolling")
  func place() async throws {
    let fixture = CoreFixture()
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 227)
    _ = try core.wipes.mark(.user("alice"), .administrator())
    #expect(try core.checkIn("frank") == [100])
    #expect(core.state.primaryAccount?.account.identity == TenantFolder.upn("frank"))
  }
}
