import JSON
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct ManagedUserTests {
  let fixture = CoreFixture()

  private func account(_ name: String) -> Account {
    Account(accountId: TenantFolder.id(name), identity: TenantFolder.upn(name))
  }

  private func manage(for name: String?) {
    let config = #"{"IntuneMAMUPN": "{{userprincipalname}}", "IntuneMAMOID": "{{userid}}"}"#
    fixture.tenant.writeTenant(
      more: name.map { #""mdm": {"user": "\#(TenantFolder.upn($0))", "appConfig": \#(config)},"# } ?? "")
  }

  /// The accounts of the events, in their order.
  private func told() throws -> [JSONValue] {
    try fixture.events().filter { $0.type == "mdmEnrolledAccountDidChange" }.map { $0.body["accountId"] ?? .null }
  }

  @Test("mdmEnrolledAccountDidChange reports the first user of the device, but not that there is none yet")
  func first() throws {
    let core = try fixture.core()
    #expect(core.managedUser.ask() == nil)
    #expect(core.state.mdmEnrolledAccount == nil)
    #expect(try told() == [])
    manage(for: "alice")
    #expect(core.managedUser.ask() == account("alice"))
    #expect(core.state.mdmEnrolledAccount == account("alice"))
    #expect(try told() == [.string(TenantFolder.id("alice"))])
  }

  @Test("Several processes report each change of the device's user once; the user survives a restart")
  func changes() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    let (alice, bob) = (JSONValue.string(TenantFolder.id("alice")), JSONValue.string(TenantFolder.id("bob")))
    manage(for: "alice")
    for asked in [core, other, core] { #expect(asked.managedUser.ask() == account("alice")) }
    #expect(try told() == [alice])
    manage(for: "bob")
    for asked in [other, core] { #expect(asked.managedUser.ask() == account("bob")) }
    #expect(try told() == [alice, bob])
    manage(for: nil)
    #expect(core.managedUser.ask() == nil)
    try other.refresh()
    #expect(other.state.mdmEnrolledAccount == nil)
    #expect(try told() == [alice, bob, .null])
    manage(for: "alice")
    #expect(core.managedUser.ask() == account("alice"))
    let restarted = try fixture.core()
    try restarted.refresh()
    #expect(restarted.state.mdmEnrolledAccount == account("alice"))
  }

  @Test("An enrollment or a check-in also stores the user of the device")
  func checkIns() throws {
    let core = try fixture.core()
    manage(for: "alice")
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.mdmEnrolledAccount == account("alice"))
    manage(for: "bob")
    #expect(try core.checkIn() == [210])
    #expect(core.state.mdmEnrolledAccount == account("bob"))
    #expect(try told().count == 2)
  }

  @Test("An unreadable source leaves the stored user of the device unchanged", arguments: ["{", ""])
  func damaged(text: String) throws {
    let core = try fixture.core()
    manage(for: "alice")
    #expect(core.managedUser.ask() == account("alice"))
    fixture.tenant.folder.write(text, to: "tenant.json")
    #expect(core.managedUser.ask() == nil)
    #expect(core.state.mdmEnrolledAccount == account("alice"))
    #expect(try told().count == 1)
  }

  @Test("After a wipe, the stored user of the device has only an object id, even if the source has a name")
  func wiped() async throws {
    let core = try fixture.core()
    manage(for: "alice")
    #expect(try core.enroll("alice") == 100)
    #expect(core.state.mdmEnrolledAccount == account("alice"))
    #expect(try await core.wipe("alice") == 104)
    let nameless = Account(accountId: TenantFolder.id("alice"), identity: nil)
    #expect(core.state.mdmEnrolledAccount == nameless)
    #expect(core.managedUser.ask() == account("alice"))
    #expect(core.state.mdmEnrolledAccount == nameless)
    #expect(try told().count == 1)
  }

  @Test("A background check finds a new user of the device, even among 100 checks requested at once")
  func background() async throws {
    let core = try fixture.core()
    try core.refresh()
    manage(for: "alice")
    for _ in 0..<100 { core.managedUser.check() }
    #expect(await eventually { core.state.mdmEnrolledAccount == account("alice") })
    manage(for: "bob")
    core.managedUser.check()
    #expect(await eventually { core.state.mdmEnrolledAccount == account("bob") })
    #expect(try told().count == 2)
  }
}
