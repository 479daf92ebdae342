import Model
import Support
import Testing

@testable import MAM

/// A host that is told before management ends, and looks at what it could still read then.
private final class FarewellHost: Host {
  let told = Lock<[String?]>([])
  private let look: @Sendable () -> Void

  init(_ look: @escaping @Sendable () -> Void = {}) {
    self.look = look
  }

  var awaitsManagementEnd: Bool { true }

  func managementWillBeRemoved(of account: Account) async {
    look()
    told.withLock { $0.append(account.identity) }
  }
}

@Suite("Registration status of an account in Android's terms", .timeLimit(.minutes(5))) struct RegisteredStatusTests {
  let fixture = CoreFixture()

  private func status(
    of name: String, in core: Core, at level: SDKLevel = .sdk19
  ) throws -> RegisteredAccountStatus? {
    try core.refresh()
    return core.state.registeredStatus(RegistrationQuestion(about: .user(name), to: core, at: level))
  }

  @Test(
    "Each outcome of an enrollment has its Android status and its access",
    arguments: [
      ("alice", .enrollmentSucceeded, .allow), ("bob", .enrollmentSucceeded, .allow),
      ("carol", .enrollmentFailed, .unmanaged), ("dave", .notLicensed, .unmanaged),
      ("erin", .authorizationNeeded, .block), ("stranger", .authorizationNeeded, .block),
    ] as [(String, RegisteredAccountStatus, AccountAccess)])
  func ends(_ name: String, _ expected: RegisteredAccountStatus, _ access: AccountAccess) throws {
    let core = try fixture.core()
    #expect(try status(of: name, in: core) == nil)
    #expect(try core.checkIns.registerAndEnroll(.user(name)).access == access)
    #expect(try status(of: name, in: core) == expected)
    #expect(try core.source.status(of: .user(name)).accounts.first?.access == access)
  }

  @Test("An account is pending while it enrolls, and its access is wait")
  func pending() throws {
    let core = try fixture.core()
    core.parts.memory.ongoingEnrollments.begin(.user("alice"))
    #expect(try status(of: "alice", in: core) == .pending)
    #expect(try core.source.status(of: .user("alice")).accounts.first?.access == .wait)
    core.parts.memory.ongoingEnrollments.end(.user("alice"))
    #expect(try status(of: "alice", in: core) == nil)
  }

  @Test("A failed check-in keeps an enrolled account's access; only status 203 changes the Android status")
  func enrolled() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.tenant.folder.write("{", to: "tenant.json")
    #expect(try core.checkIns.checkIn(.user("alice")).map(\.access) == [.allow])
    #expect(try status(of: "alice", in: core) == .enrollmentSucceeded)
    fixture.tenant.writeTenant(users: [.init(name: "alice", isEnabled: false)])
    #expect(try core.checkIns.checkIn(.user("alice")).map(\.access) == [.allow])
    #expect(try status(of: "alice", in: core) == .authorizationNeeded)
  }

  @Test("A second user has the status wrongUser, except in an app that allows several accounts")
  func wrongUser() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 227)
    #expect(try status(of: "frank", in: core) == .wrongUser)
    #expect(try status(of: "frank", in: fixture.core("MultipleManagedAccounts=true")) == .enrollmentFailed)
  }

  @Test(
    "On Android, an account without a policy counts as a success at SDK level 21, but not at level 19",
    arguments: [19, 21])
  func noPolicy(_ level: Int) throws {
    let core = try fixture.core("sdkLevel=\(level)")
    _ = try core.hostDevice.store { $0.platform = .android }
    let (isSuccess, status) = (level == 21, try core.checkIns.registerAndEnroll(.user("carol")))
    #expect(status.statusCode == .licensedNotTargeted)
    #expect(status.access == .unmanaged)
    #expect(status.didSucceed == isSuccess)
    #expect((status.errorString == nil) == isSuccess)
    let again = try core.checkIns.registerAndEnroll(.user("carol"))
    #expect(again.statusCode == status.statusCode)
    #expect(again.access == status.access)
    #expect(again.didSucceed == isSuccess)
    #expect((again.errorString == nil) == isSuccess)
    #expect(try fixture.events().last?.body["didSucceed"]?.boolValue == isSuccess)
    #expect(try core.source.status(of: .user("carol")).accounts.first?.lastStatus == status)
    let expected: RegisteredAccountStatus = isSuccess ? .enrollmentSucceeded : .enrollmentFailed
    #expect(try self.status(of: "carol", in: core, at: core.sdkLevel) == expected)
    #expect(try core.account("carol")?.isEnrolled == false)
  }

  @Test("managementWillBeRemoved is called while the host can still read the account's data")
  func managementEnds() async throws {
    let core = try fixture.core("MultipleManagedAccounts=true")
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 100)
    let data = try core.protection.protect([1, 2, 3], for: .user("alice"))
    let read = Lock<[[UInt8]?]>([])
    let host = FarewellHost { [core] in
      let content = try? core.protection.unprotect(data)
      read.withLock { $0.append(content) }
    }
    core.host = host
    _ = try await core.enrollment.checkInAndFollowUp(nil)
    #expect(host.told.withLock { $0 } == [])
    fixture.tenant.writeTenant(users: [
      .init(name: "alice"), .init(name: "frank", groups: ["staff"]),
    ])
    #expect(try await core.enrollment.checkInAndFollowUp(nil).map(\.statusCode.sdkValue) == [103, 101])
    #expect(host.told.withLock { $0 } == [TenantFolder.upn("alice")])
    #expect(read.withLock { $0 } == [[1, 2, 3]])
    #expect(throws: MAMError.self) { try core.protection.unprotect(data) }
    _ = try await core.enrollment.deRegisterAndUnenroll(.user("frank"), withWipe: false)
    #expect(host.told.withLock { $0 } == [TenantFolder.upn("alice"), TenantFolder.upn("frank")])
    #expect(try fixture.events().filter { $0.type == "managementRemoved" }.count == 2)
  }

  @Test("managementWillBeRemoved is not called before a wipe or for an account without a policy")
  func wipes() async throws {
    let core = try fixture.core("MultipleManagedAccounts=true")
    let host = FarewellHost()
    core.host = host
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("bob") == 103)
    #expect(try await core.wipe("alice") == 104)
    _ = try await core.enrollment.deRegisterAndUnenroll(.user("bob"), withWipe: false)
    #expect(host.told.withLock { $0 } == [])
    #expect(try fixture.events().filter { $0.type == "managementRemoved" }.count == 1)
  }
}
