import JSON
import MAM
import TestSupport
import Testing

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct EnrollmentTests {
  private static let alice: JSONValue = [
    "accountId": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "identity": "alice@contoso.example",
  ]

  @Test(
    "Enrolling alice, bob, carol and dave of the sample tenant ends with 100, 225, 200 and 203",
    arguments: [
      ("alice@contoso.example", 100), ("ALICE@contoso.EXAMPLE", 100), ("87D349ED-44D7-43E1-9A83-5F2406DEE5BD", 100),
      ("bob@contoso.example", 225), ("carol@contoso.example", 200), ("dave@contoso.example", 203),
      ("nobody@contoso.example", 203), ("", 207), (nil, 207),
    ] as [(String?, Int64)])
  func sample(_ account: String?, _ code: Int64) throws {
    let host = try TestHost()
    let status = try host.call(
      "enrollmentManager.registerAndEnrollAccount", ["account": account.map(JSONValue.string) ?? .null])
    #expect(status["statusCode"]?.integerValue == code)
    #expect(status["didSucceed"] == .bool(code == 100))
    #expect(status["error"]?["code"] == (code == 100 ? nil : .integer(code)))
    #expect(status["errorString"]?.isNull == (code == 100))
  }

  @Test("registerAndEnrollAccount without the parameter account fails with -32602")
  func missingAccount() throws {
    let error = try TestHost().error("enrollmentManager.registerAndEnrollAccount", [:])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/account")
  }

  @Test("An enrolled account is in every list of accounts until it is unenrolled")
  func lists() throws {
    let host = try TestHost()
    #expect(try host.call("enrollmentManager.enrolledAccount") == .null)
    try host.enroll()
    #expect(try host.enroll() == 208)
    for method in ["registeredAccounts", "enrolledAccounts"] {
      #expect(try host.call("enrollmentManager." + method) == [Self.alice])
    }
    #expect(try host.call("enrollmentManager.enrolledAccount") == Self.alice)
    #expect(try host.call("policyManager.primaryUser") == Self.alice)
    #expect(try host.call("policyManager.managedAccounts") == [Self.alice])

    let status = try host.call(
      "enrollmentManager.deRegisterAndUnenrollAccount", ["account": Self.alice["identity"] ?? .null])
    #expect(status["statusCode"] == 104)
    for method in ["enrollmentManager.registeredAccounts", "enrollmentManager.enrolledAccounts"] {
      #expect(try host.call(method) == [])
    }
    #expect(try host.call("policyManager.primaryUser") == .null)
  }

  @Test("Unenrolling fails with 213 if no account is registered, 214 if another one is, and 207 for null")
  func notThere() throws {
    let host = try TestHost()
    func unenroll(_ account: JSONValue) throws -> JSONValue? {
      try host.call("enrollmentManager.deRegisterAndUnenrollAccount", [account, false])["statusCode"]
    }
    #expect(try unenroll("bob@contoso.example") == 213)
    #expect(try host.enroll("bob@contoso.example") == 225)
    #expect(try unenroll("bob@contoso.example") == 104)
    try host.enroll()
    #expect(try unenroll("bob@contoso.example") == 214)
    #expect(try unenroll(.null) == 207)
  }

  @Test("Enrolling a registered account again returns its old status until a check-in succeeds")
  func registeredOnly() throws {
    let tenant = TenantFolder()
    let host = try TestHost(tenantFolder: tenant)
    tenant.write("{", to: "tenant.json")
    #expect(try host.enroll("listed@fabrikam.example") == 206)
    tenant.write(TenantFolder.tenant(mdm: "null"), to: "tenant.json")
    #expect(try host.enroll("listed@fabrikam.example") == 206)
    let statuses = try host.call("tenant.checkIn", ["account": "listed@fabrikam.example"])
    #expect(statuses.arrayValue?.map { $0["statusCode"] } == [100])
    #expect(try host.call("tenant.checkIn").arrayValue?.map { $0["statusCode"] } == [101])
  }

  @Test(
    "A second account can enroll only with MultiManagedIdentities",
    arguments: [([], 227), (["MultiManagedIdentities=true"], 100)] as [([String], Int64)])
  func second(_ flags: [String], _ code: Int64) throws {
    let host = try TestHost(tenantFolder: TenantFolder(), flags: flags)
    #expect(try host.enroll("listed@fabrikam.example") == 100)
    #expect(try host.enroll("closed@fabrikam.example") == code)
    let registered = try host.call("enrollmentManager.registeredAccounts").arrayValue
    #expect(registered?.map { $0["identity"] } == ["listed@fabrikam.example", "closed@fabrikam.example"])
  }

  @Test("An account with app configuration but no policy enrolls with status 103 and is unmanaged")
  func configurationOnly() throws {
    let host = try TestHost(tenantFolder: TenantFolder())
    #expect(try host.enroll("configured@fabrikam.example") == 103)
    #expect(try host.call("policyManager.isIdentityManaged", ["account": "configured@fabrikam.example"]) == false)
    #expect(try host.call("policyManager.isManagementEnabled") == false)
    #expect(try host.call("appConfig.fullData", ["account": "configured@fabrikam.example"]).arrayValue?.count == 2)
  }

  @Test("Without a policy source, enrolling an account ends with status 204")
  func noTenant() throws {
    #expect(try TestHost(.none).enroll() == 204)
    #expect(try TestHost(.folder("/nowhere/at/all")).enroll() == 204)
  }

  @Test("On a managed device, only the device's user can enroll, and the policy source is mdm")
  func managedDevice() throws {
    let host = try TestHost(tenantFolder: TenantFolder(mdm: #"{"user": "listed@fabrikam.example"}"#))
    #expect(try host.enroll("closed@fabrikam.example") == 210)
    #expect(try host.enroll("listed@fabrikam.example") == 100)
    #expect(try host.call("policyManager.mamPolicySource") == "mdm")
  }
}
