import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct AppConfigTests {
  private static let account: JSONValue = "listed@fabrikam.example"

  private func host() throws -> TestHost {
    let host = try TestHost(tenantFolder: TenantFolder())
    try host.enroll(Self.account)
    return host
  }

  @Test("appConfig.fullData returns one object per policy, in the order of their ids, and marks the default")
  func fullData() throws {
    let host = try host()
    let first: JSONValue = ["flag": "yes", "number": "7", "text": "zeta", "same": "listed@fabrikam.example"]
    let second: JSONValue = ["flag": "0", "number": "2.5", "text": "alpha", "same": "listed@fabrikam.example"]
    let fallback: JSONValue = ["text": "hidden", "only.default": "shown", "__IsDefault": true]
    #expect(try host.call("appConfig.fullData", ["account": Self.account]) == [first, second, fallback])
    #expect(try host.call("appConfig.fullData") == [])
    #expect(try host.call("appConfig.fullData", [""]) == [])
  }

  @Test(
    "An app configuration query chooses one of the targeted values by queryType",
    arguments: [
      ("appConfig.boolValueForKey", "flag", nil, true), ("appConfig.boolValueForKey", "flag", "any", true),
      ("appConfig.boolValueForKey", "flag", "or", true), ("appConfig.boolValueForKey", "flag", "and", false),
      ("appConfig.boolValueForKey", "text", "any", .null), ("appConfig.boolValueForKey", "FLAG", "any", .null),
      ("appConfig.numberValueForKey", "number", nil, 7), ("appConfig.numberValueForKey", "number", "any", 7),
      ("appConfig.numberValueForKey", "number", "min", 2.5), ("appConfig.numberValueForKey", "number", "max", 7),
      ("appConfig.numberValueForKey", "text", "max", .null),
      ("appConfig.stringValueForKey", "text", nil, "zeta"), ("appConfig.stringValueForKey", "text", "any", "zeta"),
      ("appConfig.stringValueForKey", "text", "min", "alpha"), ("appConfig.stringValueForKey", "text", "max", "zeta"),
      ("appConfig.stringValueForKey", "only.default", "any", "shown"),
      ("appConfig.stringValueForKey", "nothing", "any", .null),
    ] as [(String, String, String?, JSONValue)])
  func query(_ method: String, _ key: String, _ queryType: String?, _ value: JSONValue) throws {
    var params: JSONObject = ["key": .string(key), "account": Self.account]
    params["queryType"] = queryType.map(JSONValue.string)
    let host = try host()
    #expect(try host.call(method, .object(params)) == value)
    params["account"] = nil
    #expect(try host.call(method, .object(params)) == .null)
  }

  @Test("appConfig.all…ForKey returns the targeted values of a key in the order of their policies")
  func allValues() throws {
    let host = try host()
    func all(_ method: String, _ key: String) throws -> JSONValue {
      try host.call(method, ["key": .string(key), "account": Self.account])
    }
    #expect(try all("appConfig.allBoolsForKey", "flag") == [true, false])
    #expect(try all("appConfig.allNumbersForKey", "number") == [7, 2.5])
    #expect(try all("appConfig.allStringsForKey", "text") == ["zeta", "alpha"])
    #expect(try all("appConfig.allStringsForKey", "only.default") == ["shown"])
    #expect(try all("appConfig.allStringsForKey", "nothing") == [])
  }

  @Test(
    "appConfig.hasConflict is true only if the targeted values of a key differ",
    arguments: [("text", true), ("same", false), ("only.default", false)])
  func conflict(_ key: String, _ differs: Bool) throws {
    #expect(try host().call("appConfig.hasConflict", [.string(key), Self.account]) == .bool(differs))
  }

  @Test("An app configuration query refuses an unsupported queryType and names the supported ones")
  func wrongQueryType() throws {
    let error = try host().error("appConfig.boolValueForKey", ["key": "flag", "queryType": "max"])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/queryType")
    #expect(error["message"]?.stringValue?.contains("\"and\"") == true)
  }

  @Test("Tokens in the sample tenant's app configuration are replaced with the user's values")
  func tokens() throws {
    let host = try TestHost()
    try host.enroll()
    func text(_ key: String) throws -> JSONValue {
      try host.call("appConfig.stringValueForKey", ["key": .string(key), "account": .string(TestHost.alice)])
    }
    #expect(try text("example.greeting") == "Hello Alice Adams")
    #expect(try text("example.account") == "alice@contoso.example")
    #expect(
      try text("example.supportReference")
        == "87d349ed-44d7-43e1-9a83-5f2406dee5bd@6babcaad-604b-40ac-a9d7-9fd97c0b779f")
  }
}
