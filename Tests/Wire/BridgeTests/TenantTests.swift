import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct TenantTests {
  @Test("the sample tenant lists its four users and why bob has no policy")
  func sample() throws {
    let host = try TestHost()
    try host.enroll("bob@contoso.example")
    try host.enroll()
    let status = try host.call("tenant.status")
    #expect(status["source"] == "sample")
    #expect(status["path"] == .null)
    #expect(status["displayName"] == "Contoso")
    #expect(status["error"] == .null)
    #expect(
      status["users"]?.arrayValue?.map { $0["identity"] } == [
        "alice@contoso.example", "bob@contoso.example", "carol@contoso.example", "dave@contoso.example",
      ])
    #expect(status["accounts"]?.arrayValue?.map { $0["isManaged"] } == [false, true])

    let bob = try host.call("tenant.status", ["account": "bob@contoso.example"])["accounts"]?.arrayValue
    #expect(bob?.count == 1)
    #expect(bob?.first?["lastStatus"]?["statusCode"] == 225)
    #expect(bob?.first?["policies"]?.arrayValue?.contains { $0["applied"] == true } == false)
    #expect(bob?.first?["checkedInAt"] == .string(TestHost.start.description))
  }

  @Test("a folder that breaks is told, and the last good policy stays in force")
  func broken() throws {
    let tenant = TenantFolder()
    let host = try TestHost(tenantFolder: tenant)
    try host.enroll("closed@fabrikam.example")
    tenant.write("{\"id\": ", to: "policies/closed.json")
    let statuses = try host.call("tenant.checkIn").arrayValue
    #expect(statuses?.map { $0["statusCode"] } == [206])
    #expect(statuses?.first?["errorString"]?.stringValue?.contains("closed.json") == true)
    let status = try host.call("tenant.status")
    #expect(status["path"] == .string(tenant.path))
    #expect(status["error"]?.stringValue?.contains("closed.json") == true)
    #expect(try host.call("policy.isPINRequired", ["account": "closed@fabrikam.example"]) == true)
  }

  @Test("an account that is not registered has nothing to check in")
  func unregistered() throws {
    let statuses = try TestHost().call("tenant.checkIn", ["account": "alice@contoso.example"])
    #expect(statuses.arrayValue?.map { $0["statusCode"] } == [213])
  }
}
