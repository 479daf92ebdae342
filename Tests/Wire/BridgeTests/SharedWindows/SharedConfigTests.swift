import JSON
import TestSupport
import Testing

/// The app configuration of several accounts.
@Suite("App configuration of several accounts", .ownThreads)
struct SharedConfigTests {
  private static let first: JSONValue = "listed@fabrikam.example"
  private static let second: JSONValue = "configured@fabrikam.example"

  private func host(mdm: String = "null") throws -> TestHost {
    let host = try TestHost(
      tenantFolder: TenantFolder(mdm: mdm), flags: ["MultiManagedIdentities=true"])
    try host.enroll(Self.first)
    try host.enroll(Self.second)
    return host
  }

  private func texts(_ host: TestHost, _ accounts: [JSONValue], _ key: String) throws -> JSONValue {
    try host.call("appConfig.allStringsForKey", ["key": .string(key), "accounts": .array(accounts)])
  }

  @Test("appConfig.fullData joins the configurations of several accounts in the order of the accounts")
  func joined() throws {
    let host = try host()
    let first = try host.call("appConfig.fullData", ["account": Self.first]).arrayValue ?? []
    let second = try host.call("appConfig.fullData", ["account": Self.second]).arrayValue ?? []
    #expect(first.count == 3)
    #expect(second.count == 2)
    for (accounts, data) in [
      ([Self.first, Self.second], first + second), ([Self.second, Self.first], second + first),
      ([Self.first, "eve@home.example", "", .string(TenantFolder.listedId)], first), (["eve@home.example"], []),
      ([], []),
    ] as [([JSONValue], [JSONValue])] {
      #expect(try host.call("appConfig.fullData", ["accounts": .array(accounts)]) == .array(data))
    }
    #expect(try texts(host, [Self.second, Self.first], "same") == [Self.second, Self.second, Self.first, Self.first])
  }

  @Test("appConfig.hasConflict and the query types min and max compare the values of all accounts")
  func competing() throws {
    let host = try host()
    let both: JSONValue = [Self.first, Self.second]
    for (accounts, isConflict) in [(both, true), ([Self.first], false)] as [(JSONValue, Bool)] {
      let answer = try host.call("appConfig.hasConflict", ["key": "same", "accounts": accounts])
      #expect(answer == .bool(isConflict))
    }
    for (type, value) in [("min", Self.second), ("max", Self.first), ("any", Self.first)] {
      let params: JSONValue = ["key": "same", "queryType": .string(type), "accounts": both]
      #expect(try host.call("appConfig.stringValueForKey", params) == value)
    }
  }

  @Test("Only the MDM user has the app configuration from the device's management")
  func device() throws {
    let host = try host(mdm: #"{"user": "listed@fabrikam.example", "appConfig": {"device": "managed"}}"#)
    #expect(try texts(host, [Self.first], "device") == ["managed"])
    #expect(try texts(host, [Self.second], "device") == [])
    #expect(try texts(host, [Self.second, Self.first], "device") == ["managed"])
  }
}
