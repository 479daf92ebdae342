import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite(.ownThreads) struct SDKLevelTests {
  @Test(
    "A connection has the SDK level that its host named, else that of the setting, else 19",
    arguments: [
      ([], nil, .sdk19), (["sdkLevel=21"], nil, .sdk21), ([], 21, .sdk21), (["sdkLevel=21"], 19, .sdk19),
    ] as [([String], JSONValue?, SDKLevel)])
  func connection(_ flags: [String], _ told: JSONValue?, _ expected: SDKLevel) async throws {
    let host = try TestHost(flags: flags)
    let connection = BridgeConnection(bridge: host.bridge, admission: nil)
    try host.bridge.core.refresh()
    if let told { connection.setSDKLevel(try #require(SDKLevel(told))) }
    #expect(connection.sdkLevel == expected)
    let core = host.bridge.core
    #expect(await connection.onItsBehalf { core.sdkLevel } == expected)
  }

  @Test("Work that the server does by itself has the SDK level of the setting, not that of a host")
  func background() throws {
    let host = try TestHost(flags: ["sdkLevel=21"])
    _ = try host.call("initialize", ["sdkLevel": 19])
    #expect(host.bridge.core.sdkLevel == .sdk21)
  }

  @Test("initialize refuses an unknown sdkLevel and names its path", arguments: [20, "21", 21.5] as [JSONValue])
  func unknown(_ level: JSONValue) throws {
    let error = try TestHost().error("initialize", ["sdkLevel": level])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/sdkLevel")
  }

  @Test("A new value of the setting sdkLevel applies at once to connections whose hosts named no level")
  func change() throws {
    let host = try TestHost()
    let (silent, told) = (
      BridgeConnection(bridge: host.bridge, admission: nil), BridgeConnection(bridge: host.bridge, admission: nil)
    )
    told.setSDKLevel(.sdk19)
    _ = try host.call("settings.set", ["values": ["sdkLevel": 21]])
    #expect(silent.sdkLevel == .sdk21)
    #expect(told.sdkLevel == .sdk19)
  }
}
