import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads) struct ServerTests {
  @Test("versionInfo.sdkVersion returns 21.7.1")
  func version() throws {
    #expect(try TestHost().call("versionInfo.sdkVersion") == "21.7.1")
    #expect(try TestHost().call("versionInfo.sdkVersion", []) == "21.7.1")
  }

  @Test("rpc.discover returns the OpenRPC document without the methods of a sandbox")
  func discover() throws {
    let document = try TestHost().call("rpc.discover")
    #expect(document == .object(OpenRPC.document(serverVersion: "1.2.3", for: .server)))
    let printed = OpenRPC.document(serverVersion: "1.2.3")["methods"]?.arrayValue ?? []
    #expect(document["methods"]?.arrayValue == printed.filter { $0["x-sandbox"] != true })
    #expect(document["methods"]?.arrayValue?.count == API.methods.count)
  }

  @Test("Outside a sandbox, sandbox methods fail with -32601, and the hint names `mambridge sandbox`")
  func sandboxMethods() throws {
    for name in API.sandboxMethods.map({ $0.name }) + ["sandbox.unknown"] {
      let error = try TestHost().reply(name, nil)["error"]
      #expect(error?["code"] == -32601)
      #expect(error?["data"]?["hint"]?.stringValue?.contains("`mambridge sandbox`") == true, "\(name)")
    }
  }

  @Test("authenticate accepts any token if the server needs none")
  func authenticate() throws {
    #expect(try TestHost().call("authenticate", ["token": "0000"]) == .null)
  }

  @Test("shutdown replies with null and ends the server")
  func shutdown() throws {
    let count = Lock(0)
    let host = try TestHost(onShutdown: { count.withLock { $0 += 1 } })
    #expect(try host.call("shutdown") == .null)
    #expect(count.withLock { $0 } == 1)
  }

  @Test(
    "An unknown method fails with -32601, and the hint names the nearest method",
    arguments: [
      ("policy.isPinRequired", "policy.isPINRequired"), ("isPINRequired", "policy.isPINRequired"),
      ("policyManager.isPINRequired", "policy.isPINRequired"), ("tenant.statsu", "tenant.status"),
      ("enrollmentManager.registerAndEnrolAccount", "enrollmentManager.registerAndEnrollAccount"),
    ])
  func nearest(_ name: String, _ method: String) throws {
    let error = try TestHost().error(name)
    #expect(error["code"] == -32601)
    #expect(error["data"]?["hint"]?.stringValue?.contains("Did you mean \(method)?") == true)
  }

  @Test("The hint for a name unlike any method is rpc.discover", arguments: ["", "x", "completely.different.thing"])
  func far(_ name: String) throws {
    #expect(try TestHost().error(name)["data"]?["hint"] == "rpc.discover lists all methods")
  }

  @Test(
    "Params that do not fit a method fail with -32602, and the error names their path",
    arguments: [
      ("versionInfo.sdkVersion", ["anything": 1], "/anything"), ("versionInfo.sdkVersion", [1], "/0"),
      ("policy.isPINRequired", ["account": 7], "/account"), ("policy.isPINRequired", [7], "/account"),
      ("policy.isSaveToAllowedForLocation", [:], "/location"),
      ("policy.isSaveToAllowedForLocation", ["location": "moon"], "/location"),
      ("policy.isSaveToAllowedForLocation", ["location": 3], "/location"),
      ("enrollmentManager.deRegisterAndUnenrollAccount", [.null, .null], "/withWipe"),
      ("appConfig.stringValueForKey", ["key", "any", .null, [], 1], "/4"),
    ] as [(String, JSONValue, JSONValue)])
  func wrongParams(_ method: String, _ params: JSONValue, _ path: JSONValue) throws {
    let error = try TestHost().error(method, params)
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == path)
  }

  @Test("If the state folder cannot be used, calls that need it fail with 6001, and other calls work")
  func noStateFolder() throws {
    let host = try TestHost(state: "file")
    host.folder.write("no folder", to: "file")
    for method in ["enrollmentManager.registeredAccounts", "tenant.status", "diagnosticsLog.query"] {
      let error = try host.error(method)
      #expect(error["code"] == 6001)
      #expect(error["data"]?["name"] == "storeUnavailable")
      #expect(error["data"]?["path"]?.stringValue?.hasPrefix(host.folder.file("file")) == true)
      #expect(error["data"]?["hint"]?.stringValue?.contains("--state") == true)
      #expect(error["data"]?["retryable"] == true)
    }
    #expect(try host.call("versionInfo.sdkVersion") == "21.7.1")
  }
}
