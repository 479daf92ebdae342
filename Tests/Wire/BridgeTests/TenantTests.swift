import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct TenantTests {
  @Test("tenant.status lists the sample tenant's four users, and shows that no policy applies to bob")
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

  @Test("tenant.status returns 1,000 users a page unless limit is set, and for an account only its user")
  func pages() throws {
    let tenant = TenantFolder()
    let users = (0..<2_500).map { #"{"userPrincipalName": "user\#($0)@contoso.example"}"# }
    tenant.write(#"{"users": [\#(users.joined(separator: ","))]}"#, to: "tenant.json")
    let host = try TestHost(tenantFolder: tenant)
    var (names, sizes, after): ([JSONValue?], [Int], JSONValue) = ([], [], 0)
    repeat {
      let page = try host.call("tenant.status", ["after": after])
      #expect(page["userCount"] == 2_500)
      let found = page["users"]?.arrayValue ?? []
      sizes.append(found.count)
      names += found.map { $0["identity"] }
      after = page["next"] ?? .null
    } while after != .null
    #expect(sizes == [1_000, 1_000, 500])
    #expect(names == (0..<2_500).map { .string("user\($0)@contoso.example") })
    let last = try host.call("tenant.status", ["after": 2_498, "limit": 2])
    #expect(last["users"]?.arrayValue?.count == 2)
    #expect(last["next"] == .null)
    let beyond = try host.call("tenant.status", ["after": 9_007_199_254_740_992])
    #expect(beyond["users"] == [])
    #expect(beyond["next"] == .null)
    #expect(beyond["userCount"] == 2_500)
    let one = try host.call("tenant.status", ["account": "USER2400@contoso.example"])
    #expect(one["users"]?.arrayValue?.map { $0["identity"] } == ["user2400@contoso.example"])
    #expect(one["next"] == .null)
    #expect(one["userCount"] == 2_500)
    let nobody = try host.call("tenant.status", ["account": "nobody@contoso.example"])
    #expect(nobody["users"] == [])
    #expect(nobody["next"] == .null)
    for params in [["limit": 0], ["limit": 10_001], ["after": -1]] as [JSONValue] {
      #expect(try host.error("tenant.status", params)["code"] == -32602)
    }
  }

  @Test("A broken tenant file is named by check-in and tenant.status, and the last policy stays in force")
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

  @Test("tenant.checkIn ends with status 213 for an account that is not registered")
  func unregistered() throws {
    let statuses = try TestHost().call("tenant.checkIn", ["account": "alice@contoso.example"])
    #expect(statuses.arrayValue?.map { $0["statusCode"] } == [213])
  }
}
