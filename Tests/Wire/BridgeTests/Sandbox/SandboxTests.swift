import JSON
import MAM
import Model
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import Tenancy

/// A host of a sandbox that begins with the sample tenant.
func sandboxHost(_ folder: TemporaryFolder = TemporaryFolder(), flags: [String] = []) throws -> TestHost {
  var home = SandboxFolder(root: folder.path, appId: "com.example.test", trustsParents: true)
  try home.begin(at: TestHost.start) { path throws(TenantWriteError) in try TenantWriter(sampleAt: path) }
  return try TestHost(
    .folder(home.tenant.path), flags: flags, folder: folder, sandbox: Sandbox(home))
}

@Suite(.ownThreads) struct SandboxTests {
  private static let dropbox: JSONValue = ["location": "dropbox", "account": "erin@contoso.example"]

  @Test("A sandbox user gets a policy at the check-in after setPolicy, and loses it after removePolicy")
  func policies() throws {
    let host = try sandboxHost()
    let erin: JSONValue = ["account": "erin@contoso.example"]
    _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example", "groups": ["testers"]])
    #expect(
      try host.call("enrollmentManager.registerAndEnrollAccount", erin)["status"] == "licensedNotTargeted")
    _ = try host.call(
      "sandbox.setPolicy",
      ["audience": "erin@contoso.example", "settings": ["saveAsBlocked": true, "pinRequired": true], "name": "Tight"])
    #expect(try host.call("policy.isPINRequired", erin) == false)
    _ = try host.call("tenant.checkIn", erin)
    #expect(try host.call("policy.isPINRequired", erin) == true)
    #expect(try host.call("policyManager.policy", erin)["policies"]?.arrayValue?.map { $0["displayName"] } == ["Tight"])
    _ = try host.call(
      "sandbox.setPolicy", ["audience": "testers", "settings": ["saveAsBlocked": true], "name": "Tight"])
    _ = try host.call("tenant.checkIn", erin)
    #expect(try host.call("policy.isPINRequired", erin) == false)
    #expect(try host.call("policy.isSaveToAllowedForLocation", Self.dropbox) == false)
    _ = try host.call("sandbox.removePolicy", ["name": "Tight"])
    _ = try host.call("tenant.checkIn", erin)
    #expect(try host.call("policy.isSaveToAllowedForLocation", Self.dropbox) == true)
  }

  @Test("sandbox.setUser keeps the members that it is not given, and keeps a user's policy if groups change")
  func users() throws {
    let host = try sandboxHost()
    let name: JSONValue = "erin@contoso.example"
    _ = try host.call("sandbox.setUser", ["name": name, "groups": ["testers"], "displayName": "Erin"])
    _ = try host.call("sandbox.setPolicy", ["audience": name, "settings": ["pinRequired": true]])
    _ = try host.call("sandbox.setUser", ["name": "ERIN@contoso.example", "groups": [], "licensed": true])
    let user = try host.call("tenant.status", ["account": name])["users"]?.arrayValue?.first
    #expect(user?["displayName"] == "Erin")
    #expect(user?["identity"] == name)
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", ["account": name])
    #expect(try host.call("policy.isPINRequired", ["account": name]) == true)
    _ = try host.call("sandbox.removeUser", ["name": name])
    #expect(try host.call("tenant.status", ["account": name])["users"] == [])
  }

  @Test(
    "Sandbox methods refuse an unknown name or a wrong value, name its path, and change nothing",
    arguments: [
      ("setPolicy", ["audience": "alise@contoso.example", "settings": ["pinRequired": true]], "/audience", "alice@"),
      ("setPolicy", ["audience": "staf", "settings": ["pinRequired": true]], "/audience", "staff"),
      ("setPolicy", ["audience": "*", "settings": ["pinRequird": true]], "/settings/pinRequird", "pinRequired"),
      ("setPolicy", ["audience": "*", "settings": ["pinRequired": 7]], "/settings/pinRequired", "true or false"),
      ("setPolicy", ["audience": "*", "settings": [:]], "/settings", "no setting"),
      (
        "setPolicy", ["audience": "*", "settings": ["screenCaptureBlocked": true], "platform": "ios"],
        "/settings/screenCaptureBlocked", "android"
      ),
      (
        "setPolicy",
        ["audience": "*", "settings": ["allowedInboundDataTransferSources": "managedApps"], "platform": "windows"],
        "/settings/allowedInboundDataTransferSources", "one of allApps, none, selectedApps in a policy for Windows"
      ),
      ("setUser", ["name": "", "groups": []], "/name", "empty"),
      ("setUser", ["name": "erin", "id": "7"], "/id", "GUID"),
      ("removeUser", ["name": "bobb@contoso.example"], "/name", "bob@contoso.example"),
      ("removePolicy", ["name": "Contoso data protection for iOs"], "/name", "Contoso data protection for iOS"),
      ("setConfiguration", ["audience": "nobody", "settings": ["a": "b"]], "/audience", "neither a user"),
      ("wipe", ["account": "alicia@contoso.example"], "/account", "alice@contoso.example"),
      ("restore", ["name": "nothing"], "/name", "nothing was saved"),
      ("save", ["name": "../x"], "/name", "letters"),
    ] as [(String, JSONValue, String, String)])
  func refusals(_ method: String, _ params: JSONValue, _ path: String, _ text: String) throws {
    let host = try sandboxHost()
    let before = try FolderTenant(path: host.folder.file("tenant")).read()
    let error = try host.error("sandbox." + method, params)
    #expect(error["code"] == -32602, "\(error.jsonText)")
    #expect(error["data"]?["path"] == .string(path), "\(error.jsonText)")
    let said = (error["message"]?.stringValue ?? "") + (error["data"]?["hint"]?.stringValue ?? "")
    #expect(said.contains(text), "\(said)")
    let after = try FolderTenant(path: host.folder.file("tenant")).read()
    #expect(after.assignments == before.assignments)
    #expect(after.policies.count == before.policies.count)
  }

  @Test("sandbox.setPolicy writes a policy for Windows with the values that policies for Windows have")
  func windows() throws {
    let host = try sandboxHost()
    _ = try host.call("device.set", ["platform": "windows"])
    let alice: JSONValue = ["account": "alice@contoso.example"]
    _ = try host.call(
      "sandbox.setPolicy",
      ["audience": "*", "settings": ["allowedOutboundClipboardSharingLevel": "blocked", "printBlocked": true]])
    #expect(try host.call("enrollmentManager.registerAndEnrollAccount", alice)["status"] == "newPoliciesReceived")
    let settings = try host.call("policyManager.policy", alice)["settings"]
    #expect(settings?["allowedOutboundClipboardSharingLevel"]?["value"] == "none")
  }

  @Test("sandbox.contents returns users, policies, configurations and saves as they were set")
  func contents() throws {
    let host = try sandboxHost()
    let before = try host.call("sandbox.contents")
    let users = try #require(before["users"]?.arrayValue)
    #expect(users.map { $0["name"] }.first == "alice@contoso.example")
    #expect(users.map { $0["licensed"]?.boolValue } == [true, true, false, true])
    #expect(users.map { $0["enabled"]?.boolValue } == [true, true, true, false])
    let policies = try #require(before["policies"]?.arrayValue)
    #expect(policies.count == 3)
    #expect(policies.allSatisfy { $0["audience"] == ["staff"] && $0["apps"] == .null })
    #expect(policies.contains { $0["platforms"] == ["ios", "android"] })
    #expect(before["allowedAccounts"] == .null)
    #expect(before["saves"] == [])

    _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example", "groups": ["testers"]])
    _ = try host.call(
      "sandbox.setPolicy",
      [
        "audience": "erin@contoso.example", "settings": ["saveAsBlocked": true, "minimumPinLength": 6],
        "platform": "android", "apps": ["com.example.test"], "name": "Tight",
      ])
    _ = try host.call("sandbox.setConfiguration", ["audience": "*", "settings": ["server": "mail"], "name": "Mine"])
    _ = try host.call("sandbox.setAllowedAccounts", ["accounts": ["erin@contoso.example"]])
    _ = try host.call("sandbox.save", ["name": "ready"])
    let after = try host.call("sandbox.contents")
    let tight: JSONValue = [
      "name": "Tight", "audience": ["erin@contoso.example"], "platforms": ["android"], "apps": ["com.example.test"],
      "settings": ["saveAsBlocked": true, "minimumPinLength": 6],
    ]
    #expect(after["policies"]?.arrayValue?.contains(tight) == true, "\(after.jsonText)")
    let mine: JSONValue = ["name": "Mine", "audience": ["*"], "apps": .null, "settings": ["server": "mail"]]
    #expect(after["configurations"]?.arrayValue?.contains(mine) == true)
    #expect(after["users"]?.arrayValue?.last?["groups"] == ["testers", "erin@contoso.example"])
    #expect(after["allowedAccounts"] == ["erin@contoso.example"])
    #expect(after["saves"] == ["ready"])
    let told = try host.call("sandbox.story")["entries"]?.arrayValue ?? []
    #expect(!told.contains { $0["text"]?.stringValue?.hasPrefix("sandbox.contents") == true })
  }

  @Test("sandbox.contents names a damaged file of the tenant")
  func damagedContents() throws {
    let host = try sandboxHost()
    host.folder.write("{", to: "tenant/policies/ios.json")
    let error = try host.error("sandbox.contents")
    #expect(error["message"]?.stringValue?.contains("policies/ios.json") == true, "\(error.jsonText)")
  }

  @Test("sandbox.setConfiguration and sandbox.setAllowedAccounts take effect at the next check-in")
  func configuration() throws {
    let host = try sandboxHost()
    let bob: JSONValue = ["account": "bob@contoso.example"]
    _ = try host.call("sandbox.setConfiguration", ["audience": "*", "settings": ["server": "mail.example"]])
    _ = try host.call("sandbox.setPolicy", ["audience": "*", "settings": ["pinRequired": false]])
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", bob)
    #expect(
      try host.call("appConfig.stringValueForKey", ["key": "server", "account": "bob@contoso.example"])
        == "mail.example")
    _ = try host.call("sandbox.setAllowedAccounts", ["accounts": ["alice@contoso.example"]])
    _ = try host.call("tenant.checkIn")
    #expect(try host.call("enrollmentManager.allowedAccounts").arrayValue?.count == 1)
    _ = try host.call("sandbox.setAllowedAccounts", ["accounts": .null])
    _ = try host.call("tenant.checkIn")
    #expect(try host.call("enrollmentManager.allowedAccounts") == .null)
  }

  @Test("sandbox.wipe wipes an account at the next check-in, or at once with push, each time it is called")
  func wipe() throws {
    let host = try sandboxHost()
    let alice: JSONValue = ["account": "alice@contoso.example"]
    for isPushed in [false, true, true] {
      #expect(
        try host.call("enrollmentManager.registerAndEnrollAccount", alice)["status"] == "newPoliciesReceived")
      let order: JSONValue = ["account": "alice@contoso.example", "push": .bool(isPushed)]
      let statuses = try host.call("sandbox.wipe", order)
      #expect(statuses.arrayValue?.isEmpty == !isPushed)
      if !isPushed {
        #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
        _ = try host.call("tenant.checkIn")
      }
      _ = try host.call("debug.advanceClock", ["by": "PT0S"])
      #expect(try host.call("enrollmentManager.enrolledAccounts") == [])
    }
  }
}
