import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads) struct ServerTests {
  @Test("the SDK level is three numbers")
  func version() throws {
    #expect(try TestHost().call("versionInfo.sdkVersion") == "21.7.1")
    #expect(try TestHost().call("versionInfo.sdkVersion", []) == "21.7.1")
  }

  @Test("discover returns the document that the schema command prints, without the methods of a sandbox")
  func discover() throws {
    let document = try TestHost().call("rpc.discover")
    #expect(document == .object(OpenRPC.document(serverVersion: "1.2.3", for: .server)))
    let printed = OpenRPC.document(serverVersion: "1.2.3")["methods"]?.arrayValue ?? []
    #expect(document["methods"]?.arrayValue == printed.filter { $0["x-sandbox"] != true })
    #expect(document["methods"]?.arrayValue?.count == API.methods.count)
  }

  @Test("a method of a sandbox does not exist elsewhere, and the hint says where it does")
  func sandboxMethods() throws {
    for name in API.sandboxMethods.map({ $0.name }) + ["sandbox.unknown"] {
      let error = try TestHost().reply(name, nil)["error"]
      #expect(error?["code"] == -32601)
      #expect(error?["data"]?["hint"]?.stringValue?.contains("`mambridge sandbox`") == true, "\(name)")
    }
  }

  @Test("where no token is needed, any is taken")
  func authenticate() throws {
    #expect(try TestHost().call("authenticate", ["token": "0000"]) == .null)
  }

  @Test("shutdown is answered, and the server is told to end")
  func shutdown() throws {
    let count = Lock(0)
    let host = try TestHost(onShutdown: { count.withLock { $0 += 1 } })
    #expect(try host.call("shutdown") == .null)
    #expect(count.withLock { $0 } == 1)
  }

  @Test(
    "an unknown method names the nearest",
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

  @Test("a name that is like none gets the way to the list", arguments: ["", "x", "completely.different.thing"])
  func far(_ name: String) throws {
    #expect(try TestHost().error(name)["data"]?["hint"] == "rpc.discover lists all methods")
  }

  @Test(
    "params that do not fit are refused with their place",
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

  @Test("a state folder that cannot be used is a named error with its place, and what needs no state goes on")
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
