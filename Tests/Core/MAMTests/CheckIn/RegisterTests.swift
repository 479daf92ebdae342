import JSON
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

@Suite(.timeLimit(.minutes(5))) struct RegisterTests {
  let fixture = CoreFixture()

  @Test(
    "registerAndEnrollAccount reports the status of each kind of user once, before the change events",
    arguments: [
      ("alice", 100, ["policyDidChange", "didChange"]), ("bob", 103, ["didChange"]), ("carol", 225, []),
      ("dave", 200, []), ("erin", 203, []), ("frank", 100, ["policyDidChange"]), ("stranger", 203, []),
    ])
  func statusOfUser(name: String, code: Int, changes: [String]) throws {
    let core = try fixture.core()
    let status = try core.checkIns.registerAndEnroll(.user(name))
    #expect(status.statusCode.sdkValue == code)
    #expect((status.errorString == nil) == status.didSucceed)
    let events = try fixture.events()
    #expect(events.map(\.summary) == ["enrollmentRequestWithStatus \(code)"] + changes)
    #expect(events.first?.body.jsonText == status.jsonText)
    #expect(events.map(\.seq) == Array(1...events.count))
    #expect(events.allSatisfy { $0.time == CoreFixture.start })
    let account = try #require(try core.account(name))
    #expect(account.isEnrolled == status.didSucceed)
    #expect(account.isManaged == (code == 100))
    #expect(account.appConfig.isEmpty == !changes.contains("didChange"))
    #expect(account.status == status)
    #expect(account.checkedInAt == CoreFixture.start)
    #expect(account.account.identity == TenantFolder.upn(name))
    #expect(account.account.accountId == (name == "stranger" ? nil : TenantFolder.id(name)))
  }

  @Test(
    "Registering or unenrolling without naming an account sends status 207 and registers nothing",
    arguments: [nil, AccountReference.noUser])
  func nobody(reference: AccountReference?) throws {
    let core = try fixture.core()
    #expect(try core.checkIns.registerAndEnroll(reference).statusCode == .nilAccount)
    #expect(try core.checkIns.unenroll(reference).statusCode == .nilAccount)
    #expect(
      try fixture.events().map(\.summary) == ["enrollmentRequestWithStatus 207", "unenrollRequestWithStatus 207"])
    #expect(core.state.accounts.isEmpty)
  }

  @Test("Enrolling ends with 204 without a policy source and with 206 if it is damaged, and says what to do")
  func sources() throws {
    let none = try fixture.core(tenant: TenantLocation.none)
    let status = try none.checkIns.registerAndEnroll(.user("alice"))
    #expect(status.statusCode == .locationServiceFailure)
    #expect(status.errorString == "there is no policy source. Name one with --tenant.")
    let missing = try fixture.core(tenant: .folder(fixture.folder.file("missing")))
    #expect(try missing.enroll("bob") == 204)
    fixture.tenant.folder.write("{", to: "policies/broken.json")
    let broken = try fixture.core().checkIns.registerAndEnroll(.user("carol"))
    #expect(broken.statusCode == .parsingFailure)
    #expect(broken.errorString?.contains("policies/broken.json") == true)
    fixture.tenant.remove("tenant.json")
    #expect(try fixture.core().enroll("dave") == 206)
    #expect(try fixture.events().map(\.status) == [204, 204, 206, 206])
  }

  /// The order of the table at `EnrollmentDecision`.
  @Test(
    "For a second account, 203 and 200 take precedence over 227, the limit of one account",
    arguments: [
      ("stranger", 203, 203), ("erin", 203, 203), ("dave", 200, 200), ("carol", 227, 225), ("bob", 227, 103),
      ("frank", 227, 100),
    ])
  func secondAccount(name: String, single: Int, multiple: Int) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll(name) == single)
    #expect(try core.account(name)?.isEnrolled == false)
    #expect(try core.unenroll(name) == 104)
    let lenient = try fixture.core("MultiManagedIdentities=true")
    #expect(try lenient.enroll(name) == multiple)
  }

  @Test(
    "On a device managed for one user, other users cannot enroll",
    arguments: [("stranger", 203), ("erin", 203), ("dave", 210), ("carol", 210), ("alice", 100)])
  func managedDevice(name: String, code: Int) throws {
    fixture.tenant.writeTenant(more: #""mdm": {"user": "\#(TenantFolder.upn("alice"))"},"#)
    #expect(try fixture.core().enroll(name) == code)
  }

  @Test("On a device managed for a user whom the tenant does not list, enrolling ends with 210")
  func unlistedDeviceUser() throws {
    fixture.tenant.writeTenant(more: #""mdm": {"user": "eve@contoso.example"},"#)
    #expect(try fixture.core().enroll("alice") == 210)
  }

  @Test("Registering an enrolled account again ends with 208 and changes nothing")
  func again() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let before = try fixture.events()
    fixture.tenant.writePolicy(#""pinRequired": false"#)
    let status = try core.checkIns.registerAndEnroll(.user("ALICE"))
    #expect(status.statusCode == .alreadyEnrolled)
    #expect(status.access == .allow)
    #expect(
      try core.checkIns.registerAndEnroll(AccountReference(TenantFolder.id("alice"))).statusCode.sdkValue == 208)
    #expect(try fixture.events() == before)
    #expect(try core.requiresPIN("alice"))
    #expect(try fixture.warnings("already registered", in: core).count == 2)
  }

  @Test("An account registered by name is known by its object id once the source reports the id")
  func learntLater() throws {
    let core = try fixture.core()
    fixture.tenant.folder.write("{", to: "policies/ios.json")
    #expect(try core.enroll("carol") == 206)
    fixture.tenant.writePolicy()
    #expect(try core.enroll("alice") == 100)
    let status = try core.checkIns.registerAndEnroll(AccountReference(TenantFolder.id("carol")))
    #expect(status.statusCode.sdkValue == 206)
    #expect(core.state.accounts.count == 2)
  }

  @Test("Registering a registered account again repeats its status and says that nothing was tried")
  func againAfterFailure() throws {
    let core = try fixture.core()
    let first = try core.checkIns.registerAndEnroll(.user("carol"))
    fixture.tenant.writeTenant(users: [TenantFolder.User(name: "carol", groups: ["staff"])])
    fixture.clock.advance(byMilliseconds: 3_600_000)
    var again = try core.checkIns.registerAndEnroll(.user("carol"))
    let text = try #require(again.errorString)
    #expect(text.hasPrefix("Nothing was tried"))
    #expect(text.contains("at \(CoreFixture.start) ended with status 225"))
    #expect(text.contains("The next check-in is due at "))
    #expect(text.contains("in 11 hours. tenant.checkIn tries at once"))
    again.errorString = first.errorString
    #expect(again == first)
    fixture.clock.advance(byMilliseconds: 11 * 3_600_000)
    #expect(
      try core.checkIns.registerAndEnroll(.user("carol")).errorString?.contains("check-in is due at once.") == true)
    #expect(try fixture.events().count == 1)
    #expect(try fixture.warnings("already registered", in: core).count == 2)
    #expect(try core.checkIn() == [100])
  }
}
