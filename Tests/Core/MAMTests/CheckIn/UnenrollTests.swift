import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct UnenrollTests {
  let fixture = CoreFixture()

  @Test(
    "Unenrolling an account by any of its names removes it, its policy and its app configuration",
    arguments: [TenantFolder.upn("alice"), "ALICE@CONTOSO.EXAMPLE", TenantFolder.id("alice").uppercased()])
  func leaves(name: String) throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let status = try core.checkIns.unenroll(AccountReference(name))
    #expect(status.statusCode == .unenrollmentSuccess)
    #expect(status.didSucceed)
    #expect(status.accountId == TenantFolder.id("alice"))
    #expect(status.identity == TenantFolder.upn("alice"))
    #expect(core.state.accounts.isEmpty)
    #expect(!core.state.isManagementEnabled)
    #expect(core.state.appConfig(of: .user("alice")).fullData.isEmpty)
    let events = try fixture.events().dropFirst(3)
    #expect(
      events.map(\.summary) == ["unenrollRequestWithStatus 104", "policyDidChange", "managementRemoved", "didChange"])
    #expect(events.first?.body.jsonText == status.jsonText)
  }

  @Test("Unenrolling an account that is only registered sends nothing but unenrollRequestWithStatus")
  func registeredOnly() throws {
    let core = try fixture.core()
    #expect(try core.enroll("carol") == 225)
    #expect(try core.unenroll("carol") == 104)
    #expect(
      try fixture.events().map(\.summary) == ["enrollmentRequestWithStatus 225", "unenrollRequestWithStatus 104"])
  }

  @Test("Unenrolling or checking in an unregistered account ends with 214, or 213 if nobody is enrolled")
  func notThere() throws {
    let core = try fixture.core()
    #expect(try core.unenroll("alice") == 213)
    #expect(try core.checkIn("alice") == [213])
    #expect(try core.enroll("carol") == 225)
    #expect(try core.unenroll("alice") == 213)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.unenroll("bob") == 214)
    #expect(try core.checkIn("bob") == [214])
    #expect(try core.unenroll("alice") == 104)
    #expect(try core.unenroll("alice") == 213)
    #expect(try core.unenroll("carol") == 104)
    let told = try fixture.events().filter { $0.type == "unenrollRequestWithStatus" }.map(\.status)
    #expect(told == [213, 213, 214, 104, 213, 104])
  }

  @Test("An unenrolled account can enroll again as if for the first time")
  func comesBack() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.unenroll("alice") == 104)
    #expect(try core.enroll("alice") == 100)
    #expect(try fixture.events().count == 10)
  }

  @Test("An object id does not have to be a GUID")
  func idWithoutForm() throws {
    fixture.tenant.folder.write(
      #"{"users": [{"id": "Number-7", "userPrincipalName": "alice@contoso.example", "groups": ["staff"]}]}"#,
      to: "tenant.json")
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.checkIns.registerAndEnroll("number-7").statusCode == .alreadyEnrolled)
    #expect(core.state.directory.areEqual("NUMBER-7", "alice@contoso.example"))
    #expect(try core.unenroll("alice") == 104)
    #expect(core.state.accounts.isEmpty)
  }
}
