import JSON
import TestSupport
import Testing

@Suite("Identities", .timeLimit(.minutes(5)), .ownThreads)
struct IdentityTests {
  private static let alice: JSONValue = .string(TestHost.alice)
  private static let nobody: JSONValue = ["accountId": "", "identity": ""]

  private static func multi(_ flags: String...) throws -> TestHost {
    let host = try TestHost(flags: ["MultiIdentity=true"] + flags)
    try host.enroll()
    _ = try host.call("pin.set", ["account": alice, "pin": "2580"])
    return host
  }

  /// Whose policy `policyManager.policy` tells.
  private func effective(_ host: TestHost, _ target: JSONObject = [:]) throws -> JSONValue? {
    try host.call("policyManager.policy", .object(target))["identity"]
  }

  @Test("In a single-identity app, the process identity is the enrolled account until the host sets another")
  func process() throws {
    let host = try TestHost()
    #expect(try host.call("policyManager.getProcessIdentity") == .null)
    try host.enroll()
    #expect(try host.call("policyManager.getProcessIdentity")["identity"] == Self.alice)
    #expect(try host.call("policyManager.setProcessIdentity", [""]) == .null)
    #expect(try host.call("policyManager.getProcessIdentity") == Self.nobody)
    #expect(try host.call("policy.isPINRequired") == false)
    #expect(try effective(host) == "")
    #expect(try host.call("policyManager.setProcessIdentity", ["account": .null]) == .null)
    #expect(try host.call("policy.isPINRequired") == true)
    #expect(try effective(host) == Self.alice)
  }

  @Test("A multi-identity app starts without an identity; getProcessIdentity returns both id and name")
  func multiIdentity() throws {
    let host = try Self.multi()
    for getter in [
      "policyManager.getProcessIdentity", "policyManager.getUIPolicyIdentity",
      "policyManager.getCurrentThreadIdentity", "policyManager.getIdentityForCurrentActivity",
    ] {
      #expect(try host.call(getter) == .null)
    }
    #expect(try effective(host) == .null)
    #expect(try host.call("policy.isPINRequired") == false)
    _ = try host.call("policyManager.setProcessIdentity", ["ALICE@contoso.example"])
    #expect(try host.call("policyManager.getProcessIdentity")["identity"] == Self.alice)
    #expect(try host.call("policyManager.getProcessIdentity")["accountId"]?.stringValue?.isEmpty == false)
    #expect(try effective(host) == Self.alice)
    #expect(try host.call("policy.isPINRequired") == true)
  }

  @Test("A thread's identity applies to its questions and files, and setting another one returns it")
  func threads() throws {
    let host = try Self.multi()
    _ = try host.call("policyManager.setProcessIdentity", [""])
    #expect(
      try host.call("policyManager.setCurrentThreadIdentity", ["account": Self.alice, "thread": "upload"]) == .null)
    #expect(try host.call("policyManager.getCurrentThreadIdentity", ["upload"])["identity"] == Self.alice)
    #expect(try effective(host, ["thread": "upload"]) == Self.alice)
    #expect(try effective(host) == "")
    #expect(try effective(host, ["window": "inbox"]) == "")

    for (thread, owner) in [("upload", Self.alice), ("main", "")] as [(JSONValue, JSONValue)] {
      let params: JSONObject = ["path": .string(host.folder.file("by \(thread)")), "thread": thread]
      let opened = try host.call("file.create", .object(params))
      #expect(opened["isEncrypted"] == .bool(owner == Self.alice))
      #expect(try host.call("file.protectionInfo", [opened["handle"] ?? .null])["identity"] == owner)
    }
    let replaced = try host.call("policyManager.setCurrentThreadIdentity", ["", "upload"])
    #expect(replaced["identity"] == Self.alice)
    #expect(try host.call("policyManager.setCurrentThreadIdentity", [.null, "upload"]) == Self.nobody)
  }

  @Test("A window's identity applies to calls for that window unless thread main has an identity")
  func windows() throws {
    let host = try Self.multi()
    let set: JSONObject = ["account": Self.alice, "window": "inbox"]
    #expect(try host.call("policyManager.setUIPolicyIdentity", .object(set)) == "success")
    #expect(try host.call("policyManager.getUIPolicyIdentity", ["inbox"])["identity"] == Self.alice)
    #expect(try host.call("policyManager.getUIPolicyIdentity") == .null)
    #expect(try effective(host, ["window": "inbox"]) == Self.alice)
    #expect(try effective(host, ["window": "other"]) == .null)
    #expect(try effective(host) == .null)
    #expect(try host.call("policy.isPINRequired", ["window": "inbox"]) == true)
    let save: JSONObject = ["location": "dropbox", "window": "inbox"]
    #expect(try host.call("policy.isSaveToAllowedForLocation", .object(save)) == false)
    #expect(try host.call("policy.isSaveToAllowedForLocation", ["dropbox"]) == true)
    _ = try host.call("policyManager.setCurrentThreadIdentity", [""])
    #expect(try effective(host, ["window": "inbox"]) == "")
  }

  @Test("Without MultiManagedIdentities, a window cannot show another user of the enrolled user's tenant")
  func notAllowed() throws {
    let other: JSONValue = ["account": "bob@contoso.example"]
    #expect(try Self.multi().call("policyManager.setUIPolicyIdentity", other) == "notAllowed")
    #expect(
      try Self.multi("MultiManagedIdentities=true").call("policyManager.setUIPolicyIdentity", other) == "success")
    #expect(try Self.multi().call("policyManager.setUIPolicyIdentity", ["eve@home.example"]) == "success")
  }

  @Test("setUIPolicyIdentity fails with 4001 while a required policy is missing")
  func policyRequired() throws {
    let host = try TestHost(flags: ["MAMPolicyRequired=true"])
    #expect(try host.error("policyManager.setUIPolicyIdentity", [Self.alice])["code"] == 4001)
  }

  @Test("Identities of threads and windows belong to one connection, the process identity to all")
  func connections() throws {
    let server = try Self.multi()
    let (one, other) = (EventHost(server.bridge), EventHost(server.bridge))
    _ = try one.call("policyManager.setCurrentThreadIdentity", [Self.alice])
    _ = try one.call("policyManager.setUIPolicyIdentity", [Self.alice])
    #expect(try other.call("policyManager.getCurrentThreadIdentity") == .null)
    #expect(try other.call("policyManager.policy", ["window": "main"])["identity"] == .null)
    _ = try one.call("policyManager.setProcessIdentity", [Self.alice])
    #expect(try other.call("policyManager.policy", ["window": "main"])["identity"] == Self.alice)
  }

  @Test("Each of several pipelined calls uses the thread identity that the call before it has set")
  func pipelined() throws {
    let server = try Self.multi()
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", [:])
    var opened: [Int] = []
    for (number, account) in ([Self.alice, "", Self.alice, .null] as [JSONValue]).enumerated() {
      host.send("policyManager.setCurrentThreadIdentity", [account])
      opened.append(host.send("file.create", ["path": .string(server.folder.file("\(number)"))]))
    }
    let encrypted = try opened.map { try host.reply(to: $0)["result"]?["isEncrypted"] }
    #expect(encrypted == [true, false, true, false])
  }

  @Test("Methods that set an identity or a web view policy refuse a name of over 4 KiB, with a hint")
  func names() throws {
    let host = try TestHost()
    let name = JSONValue.string(String(repeating: "x", count: 4097))
    for (method, params) in [
      ("policyManager.setCurrentThreadIdentity", ["", name]), ("policyManager.setUIPolicyIdentity", ["", name]),
      ("policyManager.setWebViewPolicy", [name, "unmanaged"]),
      ("policyManager.setWebViewPolicyDelegate", [name, true]),
    ] as [(String, JSONValue)] {
      let error = try host.error(method, params)
      #expect(error["code"] == 4002, "\(method)")
      #expect(error["data"]?["hint"] != nil, "\(method)")
    }
  }
}
