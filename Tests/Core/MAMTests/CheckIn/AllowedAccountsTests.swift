import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct AllowedAccountsTests {
  let fixture = CoreFixture()

  private func account(_ name: String) -> Account {
    Account(accountId: TenantFolder.id(name), identity: TenantFolder.upn(name))
  }

  private func tellings() throws -> Int { try fixture.events().count { $0.type == "allowedAccountsDidChange" } }

  @Test("A check-in updates the allowed accounts and sends one event per change; they survive a restart")
  func allowed() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.allowedAccounts == nil)
    #expect(try tellings() == 0)
    fixture.tenant.writeTenant(more: #""allowedAccounts": ["\#(TenantFolder.upn("alice"))", "who@else.example"],"#)
    #expect(try core.checkIn() == [101])
    let expected = [account("alice"), Account(accountId: nil, identity: "who@else.example")]
    #expect(core.state.allowedAccounts == expected)
    #expect(try tellings() == 1)
    #expect(try core.checkIn() == [101])
    #expect(try tellings() == 1)
    let restarted = try fixture.core()
    try restarted.refresh()
    #expect(restarted.state.allowedAccounts == expected)
    let event = try fixture.events().last { $0.type == "allowedAccountsDidChange" }
    #expect(event?.body["allowedAccounts"]?.arrayValue?.count == 2)
    fixture.tenant.writeTenant(more: #""allowedAccounts": [],"#)
    #expect(try core.checkIn() == [101])
    #expect(core.state.allowedAccounts == [])
    #expect(try tellings() == 2)
    fixture.tenant.writeTenant()
    #expect(try core.checkIn() == [101])
    #expect(core.state.allowedAccounts == nil)
    #expect(try tellings() == 3)
  }

  @Test("An unreadable tenant.json leaves the allowed accounts unchanged")
  func damaged() throws {
    fixture.tenant.writeTenant(more: #""allowedAccounts": ["\#(TenantFolder.upn("alice"))"],"#)
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.allowedAccounts == [account("alice")])
    fixture.tenant.folder.write("{", to: "tenant.json")
    #expect(try core.checkIn() == [206])
    #expect(core.state.allowedAccounts == [account("alice")])
    #expect(try tellings() == 1)
  }

  @Test(
    "IntuneMAMAllowedAccountsOnly=Enabled restricts the allowed accounts to the user of the device",
    arguments: [("Enabled", true), ("no", false)])
  func management(value: String, isRestricted: Bool) throws {
    let config = #"{"IntuneMAMUPN": "{{userprincipalname}}", "IntuneMAMAllowedAccountsOnly": "\#(value)"}"#
    fixture.tenant.writeTenant(
      more: #""mdm": {"user": "\#(TenantFolder.upn("alice"))", "appConfig": \#(config)},"#)
    let core = try fixture.core()
    #expect(core.managedUser.ask() == account("alice"))
    #expect(try core.enroll("bob") == 210)
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.allowedAccounts == (isRestricted ? [account("alice")] : nil))
    #expect(core.state.policySource == .mdm)
  }

  @Test("mdm.user alone does not name the device's user to the app; IntuneMAMOID in appConfig does")
  func managedUser() throws {
    let core = try fixture.core()
    #expect(core.managedUser.ask() == nil)
    fixture.tenant.writeTenant(more: #""mdm": {"user": "\#(TenantFolder.upn("alice"))", "appConfig": {}},"#)
    #expect(core.managedUser.ask() == nil)
    let id = TenantFolder.id("alice")
    fixture.tenant.writeTenant(
      more: #""mdm": {"user": "\#(id)", "appConfig": {"IntuneMAMOID": "\#(id.uppercased())"}},"#)
    #expect(core.managedUser.ask() == account("alice"))
    fixture.tenant.folder.write("{", to: "tenant.json")
    #expect(core.managedUser.ask() == nil)
  }

  @Test("Only MultiManagedIdentities allows several managed accounts; the first is the primary account")
  func several() throws {
    let one = try fixture.core()
    #expect(try one.enroll("alice") == 100)
    #expect(try one.enroll("frank") == 227)
    #expect(try one.enroll("bob") == 227)
    let many = try fixture.core("MultiManagedIdentities=true")
    #expect(try many.checkIn() == [101, 100, 103])
    #expect(many.state.enrolledAccounts.count == 3)
    #expect(many.state.managedAccounts.count == 2)
    #expect(many.state.primaryAccount?.account == account("alice"))
  }
}
