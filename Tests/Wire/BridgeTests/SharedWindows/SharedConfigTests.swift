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

  @Test("Configurations are joined in the order of the accounts; names of one account and unmanaged ones add nothing")
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

  @Test("All values of a key compete: a difference between two accounts is a conflict, and min and max are of all")
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

  @Test("The device's values are the MDM user's")
  func device() throws {
    let host = try host(mdm: #"{"user": "listed@fabrikam.example", "appConfig": {"device": "managed"}}"#)
    #expect(try texts(host, [Self.first], "device") == ["managed"])
    #expect(try texts(host, [Self.second], "device") == [])
    #expect(try texts(host, [Self.second, Self.first], "device") == ["managed"])
  }
}
