import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct CoreStateTests {
  let fixture = CoreFixture()

  @Test("The first enrolled account is the primary account, even if others were registered before")
  func primary() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("carol") == 225)
    #expect(core.state.primaryAccount == nil)
    #expect(try core.enroll("bob") == 103)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 100)
    #expect(core.state.primaryAccount?.account.accountId == TenantFolder.id("bob"))
    #expect(core.state.accounts.map(\.account.accountId) == ["carol", "bob", "alice", "frank"].map(TenantFolder.id))
    #expect(core.state.enrolledAccounts.count == 3)
    #expect(core.state.managedAccounts.count == 2)
    fixture.tenant.writeTenant(users: TenantFolder.users.map { .init(name: $0.name, groups: ["staff"]) })
    #expect(try core.checkIn() == [100, 100, 101, 101])
    #expect(core.state.primaryAccount?.account.accountId == TenantFolder.id("bob"))
    #expect(try core.unenroll("bob") == 104)
    #expect(core.state.primaryAccount?.account.accountId == TenantFolder.id("alice"))
  }

  @Test("policySource is mdm for the user of a managed device, mam for others, and other without a policy")
  func policySource() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("bob") == 103)
    #expect(core.state.policySource == .other)
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.policySource == .mam)
    #expect(try core.unenroll("alice") == 104)
    #expect(try core.unenroll("bob") == 104)
    fixture.tenant.writeTenant(
      more: #""mdm": {"user": "\#(TenantFolder.id("alice"))", "appConfig": {"device": "managed"}},"#)
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.policySource == .mdm)
    #expect(core.state.appConfig(of: .user("alice")).string("device", .any) == "managed")
    fixture.tenant.writeTenant()
    #expect(try core.checkIn() == [101])
    #expect(core.state.policySource == .mam)
  }

  @Test("Without an account, policy questions are about the enrolled account, or nobody with MultiIdentity")
  func effectiveAccount() throws {
    let (single, multi) = (try fixture.core(), try fixture.core("MultiIdentity=true"))
    #expect(try single.enroll("alice") == 100)
    try multi.refresh()
    #expect(try single.state.questions(about: nil).account == .some(AccountReference(TenantFolder.id("alice"))))
    #expect(try single.state.questions(about: .noUser).policy == nil)
    #expect(try multi.state.questions(about: nil).policy == nil)
    #expect(multi.state.effectiveAccount == nil)
    #expect(try multi.state.questions(about: .user("alice")).policy?.isPINRequired == true)
  }

  @Test(
    "After a check-in, a process has the same policy that another process reads from the store",
    arguments: [DevicePlatform.ios, .android])
  func inForceAsStored(_ platform: DevicePlatform) throws {
    let core = try fixture.core(tenant: .sample)
    _ = try core.hostDevice.store { $0.platform = platform }
    #expect(try core.enroll("alice") == 100)
    let mine = try #require(try core.account("alice"))
    let stored = try #require(try fixture.core(tenant: .sample).account("alice"))
    #expect(mine.isManaged)
    #expect(mine.policy !== stored.policy)
    #expect(mine.policy?.effective == stored.policy?.effective)
    #expect(!mine.appConfig.isEmpty)
    #expect(mine.appConfig == stored.appConfig)
    #expect(mine.certificatePins == stored.certificatePins)
    #expect(mine.warnings == stored.warnings)
  }

  @Test("A policy is compiled only when a check-in brings a different one")
  func compiledOnce() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("alice") == 100)
    let policy = try #require(try core.account("alice")?.policy)
    #expect(try core.enroll("carol") == 225)
    #expect(try core.account("alice")?.policy === policy)
    #expect(try core.checkIn("alice") == [101])
    #expect(try core.account("alice")?.policy === policy)
    fixture.tenant.writePolicy(#""pinRequired": false"#)
    #expect(try core.checkIn("alice") == [100])
    #expect(try core.account("alice")?.policy !== policy)
    #expect(try !core.requiresPIN("alice"))
  }

  @Test("With MAMPolicyRequired, calls fail with policyRequired until an account has a policy")
  func policyRequired() throws {
    let core = try fixture.core("MAMPolicyRequired=true", "MultiManagedIdentities=true")
    let required = MAMError(.policyRequired, "")
    #expect(try core.enroll("bob") == 103)
    #expect(core.state.isManagementEnabled)
    for account in [nil, AccountReference.user("bob"), .noUser] {
      #expect(throws: required) { try core.state.questions(about: account) }
      #expect(throws: required) { try core.state.report(about: account) }
    }
    #expect(throws: required) { try core.protection.protect([1], for: .user("bob")) }
    #expect(throws: required) { try core.protection.unprotect([1]) }
    #expect(try core.enroll("alice") == 100)
    #expect(try core.state.questions(about: .user("bob")).policy == nil)
    #expect(try core.protection.unprotect([1]) == [1])
  }

  @Test("Questions about an account that is not enrolled are answered as unmanaged, without an error")
  func unmanaged() throws {
    let core = try fixture.core()
    #expect(try core.enroll("carol") == 225)
    #expect(!core.state.isManagementEnabled)
    for account in [nil, AccountReference.user("carol"), .user("stranger"), .noUser] {
      #expect(try core.state.questions(about: account).policy == nil)
    }
  }

  @Test("The app configuration of an account exists from its enrollment until it is unenrolled")
  func appConfig() throws {
    let core = try fixture.core()
    #expect(core.state.appConfig(of: .user("bob")).fullData.isEmpty)
    #expect(try core.enroll("bob") == 103)
    #expect(core.state.appConfig(of: .user("bob")).string("greeting", .any) == "Hello bob@contoso.example")
    #expect(core.state.appConfig(of: nil).isEmpty)
    #expect(core.state.appConfig(of: .noUser).isEmpty)
    #expect(core.state.appConfig(of: .user("alice")).isEmpty)
    #expect(try core.unenroll("bob") == 104)
    #expect(core.state.appConfig(of: .user("bob")).isEmpty)
  }
}
