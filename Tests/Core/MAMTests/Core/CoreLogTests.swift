import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite struct CoreLogTests {
  let fixture = CoreFixture()

  @Test("A conflict between two policies is logged once per process, however often the state is read")
  func mergeWarnings() throws {
    fixture.tenant.writePolicy(#""customBrowserProtocol": "one""#)
    fixture.tenant.folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_2", "customBrowserProtocol": "two"}"##,
      to: "policies/second.json")
    let (core, other) = (try fixture.core("MultiManagedIdentities=true"), try fixture.core())
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 100)
    #expect(core.state.warnings.count == 1)
    for _ in 0..<3 { #expect(try core.checkIn() == [101, 101]) }
    #expect(try fixture.warnings("customBrowserProtocol", in: core).count == 1)
    for _ in 0..<3 {
      #expect(try other.enroll("stranger") == 203)
      #expect(try other.unenroll("stranger") == 104)
      try core.refresh()
    }
    // Once by each process that reads it.
    #expect(try fixture.warnings("customBrowserProtocol", in: core).count == 2)
  }

  @Test("The log contains the outcome of each request, but no names or object ids of users")
  func outcomes() throws {
    fixture.tenant.writeTenant(more: #""allowedAccounts": null, "alice@contoso.example": 1,"#)
    let core = try fixture.core()
    for name in ["alice", "alice", "dave", "stranger"] { _ = try core.enroll(name) }
    _ = try core.checkIn()
    _ = try core.unenroll("alice")
    _ = try core.unenroll("nobody")
    let lines = try core.refresh().log.query(LogQuery(limit: 1000, order: .oldest)).map(\.message)
    let expected = [
      "newPoliciesReceived (100)", "nothing was tried", "accountNotLicensed (200)", "authRequired (203)",
      "policiesHaveNotChanged (101)", "unenrollmentSuccess (104)", "appNotEnrolled (213)",
    ]
    for text in expected { #expect(lines.contains { $0.contains(text) }, "\(text)") }
    let log = String(decoding: readFile(fixture.state.logs + "/intune.log") ?? [], as: UTF8.self)
    for name in ["alice@", "dave@", "stranger@", "nobody@", TenantFolder.id("alice")] {
      #expect(!log.contains(name), "\(name)")
    }
  }

  @Test("tenant.status says whether each policy applies, and which file of the source is damaged")
  func tenantStatus() throws {
    let core = try fixture.core()
    #expect(try core.enroll("bob") == 103)
    #expect(try core.enroll("stranger") == 203)
    let status = try core.source.status(of: nil)
    #expect(status.source == .folder)
    #expect(status.path == fixture.tenant.path)
    #expect(status.error == nil)
    #expect(status.users.map(\.identity) == TenantFolder.users.map { TenantFolder.upn($0.name) })
    #expect(status.accounts.map(\.isEnrolled) == [true, false])
    #expect(status.accounts.map(\.isManaged) == [false, false])
    #expect(status.accounts.map(\.lastStatus?.statusCode) == [.noPolicyReceived, .authRequired])
    #expect(status.accounts.first?.policies.map(\.id) == ["T_1", "A_1"])
    #expect(status.accounts.first?.policies.map(\.applied) == [false, true])
    #expect(status.accounts.last?.policies.isEmpty == true)
    #expect(try core.source.status(of: .user("stranger")).accounts.count == 1)
    fixture.tenant.remove("tenant.json")
    let damaged = try core.source.status(of: nil)
    #expect(damaged.error?.contains("tenant.json") == true)
    #expect(damaged.users.isEmpty)
    #expect(damaged.accounts.count == 2)
  }

  @Test("Diagnostic information names the settings that are set, except ValuesToScrubFromLogging")
  func diagnosticInformation() throws {
    let core = try fixture.core("MultiIdentity=true", "ValuesToScrubFromLogging=secret one")
    #expect(try core.enroll("alice") == 100)
    let information = try core.diagnostics.information(version: "1", sdkVersion: "21.7.1")
    #expect(information.settings.names == ["MultiIdentity"])
    #expect(information.isManagementEnabled)
    #expect(information.accounts.count == 1)
    #expect(information.time == CoreFixture.start)
    #expect(!information.logPaths.isEmpty)
  }
}
