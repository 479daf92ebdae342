import JSON
import TestSupport
import Testing

@Suite("Receiving data from other apps", .timeLimit(.minutes(5)), .ownThreads)
struct ReceiveTests {
  private static let user = "listed@fabrikam.example"
  private static let policy = """
    {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
     "allowedOutboundDataTransferDestinations": "managedApps", "allowedInboundDataTransferSources": "managedApps",
     "allowedOutboundClipboardSharingLevel": "managedAppsWithPasteIn", "managedBrowserToOpenLinksRequired": true,
     "appDataEncryptionType": "whenDeviceLocked"}
    """
  private static let question = "policyDelegate.identitySwitchRequired"
  private static let managed: JSONValue = ["account": .string(user), "managed": true]
  private static let unmanaged: JSONValue = ["managed": false]

  private static func host(_ flags: [String] = ["MultiIdentity=true"]) throws -> (TestHost, EventHost) {
    let folder = TenantFolder()
    folder.write(policy, to: "policies/listed.json")
    let server = try TestHost(tenantFolder: folder, flags: flags)
    try server.enroll(.string(user))
    let host = EventHost(server.bridge)
    _ = try host.call("initialize", ["delegates": [.string(question), "webViewPolicyDelegate.isExternalURL"]])
    return (server, host)
  }

  @Test(
    "enforcement.receive asks the host once to switch the window to the account of the managed source",
    arguments: [[], ["VerboseLoggingEnabled=true"]])
  func url(flags: [String]) throws {
    let (server, host) = try Self.host(["MultiIdentity=true"] + flags)
    defer { withExtendedLifetime(server) {} }
    let call = host.send("enforcement.receive", ["source": Self.managed, "url": "contoso:x", "window": "inbox"])
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(Self.question))
    #expect(question["params"]?["identity"] == JSONValue.string(Self.user))
    #expect(question["params"]?["reason"] == "openURL")
    #expect(question["params"]?["window"] == "inbox")
    #expect(try host.call("policyManager.setUIPolicyIdentity", [JSONValue.string(Self.user), "inbox"]) == "success")
    host.answer(question, ["result": "success"])
    let result = try host.reply(to: call)["result"]
    #expect(result?["allowed"] == true)
    #expect(result?["account"]?["identity"] == JSONValue.string(Self.user))
    #expect(
      try host.call("policyManager.getIdentityForCurrentActivity", ["inbox"])["identity"] == JSONValue.string(Self.user)
    )
    #expect(try host.call("policyManager.getIdentityForCurrentActivity") == .null)

    // The window shows it now: nobody is asked again. The activity ends with the window's identity.
    let again = try host.call("enforcement.receive", ["source": Self.managed, "url": "contoso:y", "window": "inbox"])
    #expect(again["allowed"] == true)
    _ = try host.call("policyManager.setUIPolicyIdentity", [JSONValue.string(Self.user), "inbox"])
    #expect(try host.call("policyManager.getIdentityForCurrentActivity", ["inbox"]) == .null)
  }

  @Test(
    "enforcement.receive blocks data if the host does not switch the identity",
    arguments: [["result": "failed"], ["error": ["code": 1, "message": "no"]]] as [JSONObject])
  func blocked(answer: JSONObject) throws {
    let (server, host) = try Self.host()
    let path = server.folder.write("plain", to: "plain")
    _ = try host.call("policyManager.setUIPolicyIdentity", [JSONValue.string(Self.user)])
    let call = host.send("enforcement.receive", ["source": Self.unmanaged, "paths": [.string(path)]])
    let question = try host.nextQuestion()
    #expect(question["params"]?["identity"] == "")
    #expect(question["params"]?["reason"] == "documentImport")
    host.answer(question, answer)
    #expect(try host.reply(to: call)["result"]?["allowed"] == false)
    #expect(try host.call("policyManager.getIdentityForCurrentActivity") == .null)
  }

  @Test("protectInboundDataFromUnknownSources makes the user of a managed device the owner of received data")
  func unknownData() throws {
    let folder = TenantFolder(mdm: #"{"user": "\#(Self.user)"}"#)
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
       "allowedInboundDataTransferSources": "allApps", "protectInboundDataFromUnknownSources": true}
      """, to: "policies/listed.json")
    let server = try TestHost(tenantFolder: folder, flags: ["MultiIdentity=true"])
    try server.enroll(.string(Self.user))
    let host = EventHost(server.bridge)
    _ = try host.call("policyManager.setUIPolicyIdentity", [JSONValue.string(Self.user)])
    let path = server.folder.write("plain", to: "plain")
    let stranger: JSONValue = ["account": "eve@home.example", "managed": false]
    for source in [Self.unmanaged, stranger] {
      let params: JSONValue = ["source": source, "paths": [.string(path)]]
      let plain = try host.call("policy.explain", ["query": "enforcement.receive", "params": params])["verdict"]
      let answer = try host.call("enforcement.receive", params)
      #expect(answer["allowed"] == true)
      #expect(answer["account"]?["identity"] == JSONValue.string(Self.user))
      #expect(plain == answer)
      let owner = try host.call("file.protectionInfoForFileAtPath", [.string(path)])
      #expect(owner["identity"] == JSONValue.string(Self.user))
    }
    // Data of an account that is managed elsewhere has an owner, who is not this user.
    let other = server.folder.write("plain", to: "other")
    let known: JSONValue = ["source": ["account": "eve@home.example", "managed": true], "paths": [.string(other)]]
    let answer = try host.call("enforcement.receive", known)
    #expect(answer["allowed"] == true)
    #expect(answer["account"]?["identity"] == "")
    #expect(try host.call("file.protectionInfoForFileAtPath", [.string(other)]) == .null)
  }

  @Test("An unprotected document from a managed app is encrypted for that app's account")
  func files() throws {
    let (server, host) = try Self.host()
    let path = server.folder.write("plain", to: "plain")
    _ = try host.call("policyManager.setProcessIdentity", [JSONValue.string(Self.user)])
    let params: JSONValue = ["source": Self.managed, "paths": [.string(path)]]
    #expect(try host.call("enforcement.receive", params)["allowed"] == true)
    let info = try host.call("file.protectionInfoForFileAtPath", [.string(path)])
    #expect(info["identity"] == JSONValue.string(Self.user))
    #expect(info["isEncrypted"] == true)
  }

  @Test("In a single-identity app, enforcement.receive allows or blocks data without a request to the host")
  func singleIdentity() throws {
    let (server, host) = try Self.host([])
    let path = server.folder.write("plain", to: "plain")
    let plain: JSONValue = ["source": Self.unmanaged, "paths": [.string(path)]]
    #expect(try host.call("enforcement.receive", plain)["allowed"] == false)
    let own = try host.call("enforcement.receive", ["source": Self.managed, "itemProvider": ["data": "AQ=="]])
    #expect(own["allowed"] == true)
    #expect(own["account"]?["identity"] == JSONValue.string(Self.user))
    #expect(host.arrivedPushes().isEmpty)
  }

  @Test("enforcement.receive refuses all documents if one of them may not be received")
  func severalOwners() throws {
    let (server, host) = try Self.host([])
    let (plain, own) = (server.folder.write("plain", to: "plain"), server.folder.write("own", to: "own"))
    _ = try host.call("fileProtectionManager.protect", ["path": .string(own), "account": .string(Self.user)])
    for (paths, isAllowed) in [([own], true), ([plain], false), ([plain, own], false), ([own, plain], false)] {
      let params: JSONValue = ["source": Self.unmanaged, "paths": .array(paths.map { .string($0) })]
      #expect(try host.call("enforcement.receive", params)["allowed"] == .bool(isAllowed), "\(paths)")
    }
  }

  @Test(
    "receive takes exactly one item", arguments: [[:], ["url": "a:b", "paths": ["/x"]], ["paths": []]] as [JSONObject])
  func arguments(params: JSONObject) throws {
    var params = params
    params["source"] = Self.unmanaged
    #expect(try TestHost().error("enforcement.receive", .object(params))["code"] == 1101)
  }

  @Test("webViewNavigate applies the policy of the web view and the account of its window")
  func webViews() throws {
    let (server, host) = try Self.host()
    defer { withExtendedLifetime(server) {} }
    let navigate: (JSONValue) throws -> JSONValue = { try host.call("enforcement.webViewNavigate", ["help", $0]) }
    #expect(try navigate("https://x.example")["account"] == .null)
    _ = try host.call("policyManager.setUIPolicyIdentity", [JSONValue.string(Self.user)])
    let own = try navigate("https://x.example")
    #expect(own["action"] == "load")
    #expect(own["account"]?["identity"] == JSONValue.string(Self.user))
    #expect(try navigate("contoso:x")["action"] == "block")
    #expect(try navigate("about:blank")["action"] == "load")

    _ = try host.call("policyManager.setWebViewPolicyDelegate", ["help", true])
    for (isExternal, action) in [(true, "openInManagedBrowser"), (false, "load")] as [(JSONValue, JSONValue)] {
      let call = host.send("enforcement.webViewNavigate", ["help", "https://x.example"])
      host.answer(try host.nextQuestion(), ["result": isExternal])
      #expect(try host.reply(to: call)["result"]?["action"] == action)
    }
    _ = try host.call("policyManager.setWebViewPolicyDelegate", ["help", false])

    for (policy, upload, paste, owner) in [
      ("unmanaged", false, false, ""), ("currentIdentity", true, true, JSONValue.string(Self.user)),
      ("currentIdentityBlockUpload", false, false, JSONValue.string(Self.user)),
      (0, true, true, JSONValue.string(Self.user)),
    ] as [(JSONValue, JSONValue, JSONValue, JSONValue)] {
      _ = try host.call("policyManager.setWebViewPolicy", ["help", policy])
      let result = try navigate("https://x.example")
      #expect(result["uploadAllowed"] == upload, "\(policy)")
      #expect(result["pasteAllowed"] == paste, "\(policy)")
      #expect(result["account"]?["identity"] == owner)
    }
  }

  @Test("With TreatAllWebViewsAsUnmanaged, a web view is unmanaged until its own policy is set")
  func unmanagedWebViews() throws {
    let (server, host) = try Self.host(["MultiIdentity=true", "TreatAllWebViewsAsUnmanaged=true"])
    defer { withExtendedLifetime(server) {} }
    _ = try host.call("policyManager.setUIPolicyIdentity", [JSONValue.string(Self.user)])
    let navigate = { try host.call("enforcement.webViewNavigate", ["help", "contoso:x"]) }
    #expect(try navigate()["account"]?["identity"] == "")
    #expect(try navigate()["action"] == "load")
    _ = try host.call("policyManager.setWebViewPolicy", ["help", "currentIdentity"])
    #expect(try navigate()["action"] == "block")
  }
}
