import Model
import SQLite
import TestSupport
import Testing

@testable import MAM
@testable import Policy

/// What is logged and kept about a wipe.
@Suite(.timeLimit(.minutes(5))) struct LastWipeTests {
  let world: WipeFixture

  init() throws {
    world = try WipeFixture()
  }

  private func lastWipe(of core: Core? = nil) throws -> LastWipe? {
    try (core ?? world.core).refresh().store.read { connection throws(SQLiteError) in try connection.lastWipe }
  }

  private func begun(_ text: String) throws -> Int {
    try world.core.refresh().log.query(LogQuery(text: "begun; " + text)).count
  }

  @Test("The record of the last wipe has cause, times and number of files, but no names")
  func host() async throws {
    #expect(try lastWipe() == nil)
    #expect(try await world.core.wipe("alice") == 104)
    let wipe = try #require(try lastWipe())
    #expect(wipe.cause == .host)
    #expect(wipe.accountId == TenantFolder.id("alice"))
    #expect(wipe.files == 3)
    #expect(wipe.begunAt == world.core.now)
    #expect(wipe.endedAt == world.core.now)
    #expect(!wipe.isRemovedByHost)
    #expect(try begun("the host unenrolls the account") == 1)
    let text = wipe.jsonText
    for name in [TenantFolder.upn("alice"), "alice app", "alice renamed"] { #expect(!text.contains(name)) }
    #expect(try lastWipe(of: world.newCore()) == wipe)
  }

  @Test("The record of an administrator's wipe says what was requested and when", arguments: ["wipe", "wipeAndBlock"])
  func administrator(kind: String) async throws {
    world.writeOperation(kind, requested: "2026-01-02T00:00:00Z")
    _ = try await world.core.enrollment.checkInAndFollowUp(.user("alice"))
    let wipe = try #require(try lastWipe())
    #expect(wipe.cause == (kind == "wipe" ? .administrator : .administratorBlock))
    #expect(wipe.files == 3)
    #expect(wipe.text.hasSuffix(": \(kind) in every app, requested 2026-01-02T00:00:00Z"))
    #expect(try begun("an administrator") == 1)
    // A check-in that finds nothing to wipe changes nothing.
    _ = try await world.core.enrollment.checkInAndFollowUp(.user("frank"))
    #expect(try lastWipe() == wipe)
  }

  @Test("The record of a rule's wipe has the setting, the device's value, and the policy with its file")
  func rule() async throws {
    world.fixture.tenant.writePolicy(#""minimumWipeOsVersion": "17.0""#)
    _ = try await world.core.enrollment.checkInAndFollowUp(.user("alice"))
    _ = try world.core.hostDevice.store { $0.osVersion = "16.0" }
    _ = try await world.core.conditionalLaunch.evaluate(of: .user("alice"), window: nil, in: LaunchSession())
    let wipe = try #require(try lastWipe())
    #expect(wipe.cause == .policy)
    #expect(wipe.endedAt != nil)
    for part in ["minimumWipeOsVersion: ", "16.0", "(policy \"iOS\" (T_1), policies/ios.json)"] {
      #expect(wipe.text.contains(part), "\(wipe.text)")
    }
    #expect(try begun("the policy requires the wipe: minimumWipeOsVersion") == 1)
  }

  @Test("The record of a disabled user's wipe says that the user is disabled or deleted")
  func disabled() async throws {
    world.fixture.tenant.writePolicy(#""appActionIfUnableToAuthenticateUser": "wipe""#)
    _ = try await world.core.enrollment.checkInAndFollowUp(.user("alice"))
    let users = ["alice", "frank"].map { TenantFolder.User(name: $0, isEnabled: $0 != "alice", groups: ["staff"]) }
    world.fixture.tenant.writeTenant(users: users)
    _ = try await world.core.enrollment.checkInAndFollowUp(.user("alice"))
    let wipe = try #require(try lastWipe())
    #expect(wipe.text.contains("appActionIfUnableToAuthenticateUser: "))
    #expect(wipe.text.contains("disabled or deleted"))
    #expect(try begun("the policy requires the wipe: appActionIfUnableToAuthenticateUser") == 1)
  }

  @Test("Marking an account for a wipe again is not logged and keeps the first cause")
  func twice() throws {
    _ = try world.core.wipes.mark(.user("alice"), .host)
    _ = try world.core.wipes.mark(.user("alice"), .administrator())
    #expect(try begun("") == 1)
    let wipe = try #require(try lastWipe())
    #expect(wipe.cause == .host)
    #expect(wipe.endedAt == nil)
  }
}
