import Glibc
import JSON
import SourceProtocol
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

/// What takes effect while nobody knows the policies: what the source says about users.
@Suite(.timeLimit(.minutes(5))) struct DamagedPolicyTests {
  let fixture = CoreFixture()

  private static let damages = [
    "{", "{}", "[{}]", #"[{"id": "T_1"}]"#, ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection"}"##,
    ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": "maybe"}"##,
    ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "PinRequired": false, "SaveAsBlocked": false}"##,
    #"{"pinRequired": false}"#,
    ##"""
    {"@odata.context": "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/managedAppPolicies/$entity",
     "pinRequired": false}
    """##,
  ]

  private func damage(_ text: String = "{") { fixture.tenant.folder.write(text, to: "policies/ios.json") }

  private func write(_ users: [TenantFolder.User]? = nil, _ more: String = "") {
    fixture.tenant.writeTenant(users: users ?? TenantFolder.users, more: more)
  }

  @Test(
    "An invalid policy file keeps the last good policy, and the next check-in is in 30 minutes", arguments: damages
  )
  func policyStays(text: String) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.requiresPIN("alice"))
    damage(text)
    #expect(try core.checkIn() == [206])
    #expect(try core.requiresPIN("alice"))
    let account = try #require(try core.account("alice"))
    #expect(account.status?.errorString?.hasPrefix("policies/ios.json: ") == true)
    #expect(account.plan.checkIn == core.now.advanced(by: 30 * 60_000))
    #expect(try core.source.status(of: nil).error?.hasPrefix("policies/ios.json: ") == true)
    #expect(try core.source.status(of: nil).users.count == TenantFolder.users.count)
    let other = CoreFixture()
    #expect(try other.core(tenant: .folder(fixture.tenant.path)).enroll("alice") == 206)
    fixture.tenant.writePolicy()
    #expect(try core.checkIn() == [101])
  }

  @Test("A missing policies folder keeps the policy; an empty one removes it") func missingFolder() throws {
    fixture.tenant.folder.write(
      """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
       "users": [{"id": "\(TenantFolder.id("alice"))", "userPrincipalName": "\(TenantFolder.upn("alice"))"}]}
      """, to: "tenant.json")
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.requiresPIN("alice"))
    let folder = fixture.tenant.path + "/policies"
    #expect(rename(folder, folder + ".away") == 0)
    #expect(try core.checkIn() == [206])
    #expect(try core.requiresPIN("alice"))
    #expect(try core.account("alice")?.status?.errorString?.hasPrefix("policies: is missing; create ") == true)
    let findings = try TenantCheck(folder: fixture.tenant.path).findings
    #expect(findings.contains { $0.kind == .unreadable && $0.file == "policies" })
    let other = CoreFixture()
    #expect(try other.core(tenant: .folder(fixture.tenant.path)).enroll("alice") == 103)
    #expect(mkdir(folder, 0o700) == 0)
    #expect(try core.checkIn() == [103])
  }

  @Test("If the policy file is damaged, a requested wipe still takes effect", arguments: ["wipe", "wipeAndBlock"])
  func wipe(type: String) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    damage()
    write(nil, #""operations": [{"type": "\#(type)", "user": "\#(TenantFolder.upn("alice"))", "app": "*"}],"#)
    #expect(try core.checkIn() == [type == "wipe" ? 102 : 226])
  }

  @Test(
    "If the policy file is damaged, a disabled user is refused, and wiped if the last policy says so",
    arguments: [false, true])
  func disabled(wipes: Bool) throws {
    if wipes { fixture.tenant.writePolicy(#""pinRequired": true, "appActionIfUnableToAuthenticateUser": "wipe""#) }
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    damage()
    write([TenantFolder.User(name: "alice", isEnabled: false)])
    #expect(try core.checkIn() == [203])
    #expect(try core.account("alice")?.isWiping ?? true == wipes)
  }

  @Test("If the policy file is damaged, allowed accounts and licenses still take effect")
  func accounts() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    damage()
    write(nil, #""allowedAccounts": ["who@else.example"],"#)
    #expect(try core.checkIn() == [206])
    #expect(core.state.allowedAccounts == [Account(accountId: nil, identity: "who@else.example")])
    write([TenantFolder.User(name: "alice", isLicensed: false)])
    #expect(try core.checkIn() == [200])
    #expect(try core.requiresPIN("alice"))
  }

  @Test("If the policy file is damaged, a check-in on a managed Windows device ends with 206")
  func windows() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    damage()
    write(nil, #""mdm": {"user": "\#(TenantFolder.upn("alice"))"},"#)
    _ = try core.changeDevice { $0.platform = .windows }
    #expect(try core.checkIn() == [206])
  }

  @Test("An answer without valid policies still applies its user, wipes and allowed accounts")
  func answer() async throws {
    let world = SourceWorld()
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    func replies(_ more: String, _ outcome: SourceAnswer.Outcome = .delivered) throws {
      let user = #""user": {"id": "\#(TenantFolder.id("alice"))", "userPrincipalName": "\#(TenantFolder.upn("alice"))""#
      let text =
        #"{"outcome": "\#(outcome)", \#(user), "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f"}\#(more)}"#
      let tenant = try TenantSnapshot(SourceAnswer.decode(JSONDocument(parsing: text).root), outcome)
      world.source.replies(.news(SourceNews(tenant)))
    }
    try replies(#", "policies": null, "allowedAccounts": ["who@else.example"]"#)
    #expect(try await world.checkIn() == [206])
    #expect(try world.core.requiresPIN("alice"))
    #expect(try world.core.account("alice")?.status?.errorString?.contains("policies: is missing") == true)
    #expect(world.core.state.allowedAccounts?.map(\.identity) == ["who@else.example"])
    try replies(#", "policies": "none""#, .userDisabled)
    #expect(try await world.checkIn() == [203])
    #expect(try world.core.requiresPIN("alice"))
    #expect(world.core.state.allowedAccounts?.map(\.identity) == ["who@else.example"])
    try replies(#", "operations": [{"id": "o1", "type": "wipe"}]"#)
    #expect(try await world.checkIn() == [102])
  }
}
