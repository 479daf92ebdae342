import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct LocationTests {
  private static let saveLocations = [
    "other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "localDrive", "cameraRoll",
    "accountDocument", "iManage", "egnyte",
  ]
  private static let openLocations = [
    "other", "oneDriveForBusiness", "sharePoint", "camera", "localStorage", "photos", "accountDocument", "box",
    "iManage", "egnyte",
  ]

  /// Who is asked about, whose the location is, and where saving is allowed.
  @Test(
    "isSaveToAllowedForLocation and getSaveToLocations allow exactly the locations of the policy",
    arguments: [
      (
        "sample", "alice@contoso.example", "alice@contoso.example",
        ["oneDriveForBusiness", "sharePoint", "localDrive", "accountDocument"]
      ),
      ("sample", "alice@contoso.example", nil, []),
      ("sample", "alice@contoso.example", "bob@contoso.example", []),
      ("sample", "bob@contoso.example", nil, saveLocations),
      ("folder", "listed@fabrikam.example", "listed@fabrikam.example", ["box", "localDrive", "accountDocument"]),
      ("folder", "listed@fabrikam.example", nil, ["localDrive", "cameraRoll"]),
      ("folder", "listed@fabrikam.example", "closed@fabrikam.example", []),
      ("folder", "closed@fabrikam.example", "closed@fabrikam.example", []),
      ("folder", "nobody@fabrikam.example", "closed@fabrikam.example", []),
      ("folder", "nobody@fabrikam.example", "nobody@fabrikam.example", saveLocations),
    ] as [(String, String, String?, [String])])
  func save(_ tenant: String, _ account: String, _ locationAccount: String?, _ allowed: [String]) throws {
    let host = try Self.host(tenant)
    let target: JSONObject = [
      "account": .string(account), "locationAccount": locationAccount.map(JSONValue.string) ?? .null,
    ]
    let all = try host.call("policy.getSaveToLocations", .object(target))
    #expect(all == Self.permissions(Self.saveLocations, allowed))
    for location in Self.saveLocations {
      var params = target
      params["location"] = .string(location)
      let answer = try host.call("policy.isSaveToAllowedForLocation", .object(params))
      #expect(answer == .bool(allowed.contains(location)), "\(location)")
    }
  }

  @Test(
    "isOpenFromAllowedForLocation and getOpenFromLocations allow exactly the locations of the policy",
    arguments: [
      ("sample", "alice@contoso.example", "alice@contoso.example", openLocations),
      ("sample", "alice@contoso.example", nil, openLocations),
      (
        "folder", "listed@fabrikam.example", "listed@fabrikam.example",
        ["sharePoint", "localStorage", "accountDocument"]
      ),
      ("folder", "listed@fabrikam.example", nil, ["camera"]),
      ("folder", "closed@fabrikam.example", "closed@fabrikam.example", []),
      ("folder", "nobody@fabrikam.example", "closed@fabrikam.example", []),
      ("folder", "nobody@fabrikam.example", nil, openLocations),
    ] as [(String, String, String?, [String])])
  func open(_ tenant: String, _ account: String, _ locationAccount: String?, _ allowed: [String]) throws {
    let host = try Self.host(tenant)
    let target: JSONObject = [
      "account": .string(account), "locationAccount": locationAccount.map(JSONValue.string) ?? .null,
    ]
    let all = try host.call("policy.getOpenFromLocations", .object(target))
    #expect(all == Self.permissions(Self.openLocations, allowed))
    for location in Self.openLocations {
      var params = target
      params["location"] = .string(location)
      let answer = try host.call("policy.isOpenFromAllowedForLocation", .object(params))
      #expect(answer == .bool(allowed.contains(location)), "\(location)")
    }
  }

  @Test("isSaveToAllowedForLocation accepts params by position and the SDK's integer for a location")
  func positions() throws {
    let host = try TestHost()
    try host.enroll()
    let alice: JSONValue = "alice@contoso.example"
    #expect(try host.call("policy.isSaveToAllowedForLocation", ["sharePoint", alice, alice]) == true)
    #expect(try host.call("policy.isSaveToAllowedForLocation", [2, alice, alice]) == true)
    #expect(try host.call("policy.isSaveToAllowedForLocation", ["sharePoint"]) == false)
    #expect(try host.call("policy.getSaveToLocations", [alice, ""])["other"] == true)
  }

  private static func host(_ tenant: String) throws -> TestHost {
    guard tenant == "folder" else {
      let host = try TestHost()
      try host.enroll()
      return host
    }
    let host = try TestHost(tenantFolder: TenantFolder(), flags: ["MultiManagedIdentities=true"])
    try host.enroll("listed@fabrikam.example")
    try host.enroll("closed@fabrikam.example")
    return host
  }

  private static func permissions(_ locations: [String], _ allowed: [String]) -> JSONValue {
    .object(JSONObject(locations.map { ($0, .bool(allowed.contains($0))) }))
  }
}
