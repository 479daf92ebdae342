import JSON
import MAM
import Tenancy
import TestSupport
import Testing

@Suite(.ownThreads) struct TestPolicyTests {
  private static let flag = "DebugSettingsEnabled=true"
  private static let alice: JSONValue = .string(TestHost.alice)

  private func host(_ tenant: TenantLocation = .sample, folder: TemporaryFolder = TemporaryFolder()) throws -> TestHost
  {
    try TestHost(tenant, flags: [Self.flag], folder: folder)
  }

  private func requiresPIN(_ host: TestHost) throws -> JSONValue {
    try host.call("policy.isPINRequired", ["account": Self.alice])
  }

  private func changes(_ host: TestHost) throws -> Int {
    let events = try host.call("events.list")["events"]?.arrayValue ?? []
    return events.count { $0["type"] == "policyManager.policyDidChange" }
  }

  @Test(
    "A test policy applies at once, overrides check-ins, and ends with debug.clearPolicy")
  func wins() throws {
    let host = try host()
    try host.enroll()
    #expect(try requiresPIN(host) == true)
    #expect(try changes(host) == 1)
    #expect(try host.call("debug.setPolicy", ["account": Self.alice, "settings": ["pinRequired": false]]) == .null)
    #expect(try requiresPIN(host) == false)
    #expect(try changes(host) == 2)
    _ = try host.call("tenant.checkIn")
    #expect(try requiresPIN(host) == false)
    #expect(try changes(host) == 2)
    _ = try host.call("debug.clearPolicy", ["account": Self.alice])
    #expect(try requiresPIN(host) == true)
    #expect(try changes(host) == 3)
    _ = try host.call("debug.clearPolicy")
    #expect(try changes(host) == 3)
  }

  @Test("A policy change in the tenant is reported only once the test policy that hides it is cleared")
  func hidden() throws {
    let folder = TenantFolder()
    let host = try host(.folder(folder.path))
    #expect(try host.enroll("closed@fabrikam.example") == 100)
    _ = try host.call("debug.setPolicy", ["settings": ["pinRequired": false]])
    let before = try changes(host)
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_closed", "printBlocked": true}"##,
      to: "policies/closed.json")
    #expect(try host.call("tenant.checkIn").arrayValue?.first?["statusCode"] == 100)
    #expect(try changes(host) == before)
    _ = try host.call("debug.clearPolicy")
    #expect(try changes(host) == before + 1)
  }

  @Test("Setting a test policy with the same settings again causes no policyDidChange")
  func same() throws {
    let host = try host()
    try host.enroll()
    for _ in 0..<2 { _ = try host.call("debug.setPolicy", ["settings": ["PINEnabled": 1]]) }
    #expect(try changes(host) == 2)
  }

  @Test("A test policy is marked as such in policyManager.policy, tenant.status, diagnostics and the log")
  func shown() throws {
    let host = try host()
    try host.enroll()
    #expect(try host.call("policyManager.mamPolicySource") == "mam")
    _ = try host.call("debug.setPolicy", ["settings": ["AppSharingToLevel": "0"]])
    #expect(try host.call("policyManager.mamPolicySource") == "other")
    let policy = try host.call("policyManager.policy", ["account": Self.alice])
    #expect(policy["policies"] == [["id": "debug", "displayName": "Test policy (debug.setPolicy)"]])
    let names = try #require(policy["settings"]?.objectValue?.names)
    #expect(Set(names) == ["allowedOutboundDataTransferDestinations", "displayName", "id"])
    let setting = policy["settings"]?["allowedOutboundDataTransferDestinations"]
    #expect(setting?["value"] == "none")
    #expect(setting?["sdkValue"] == 0)
    #expect(setting?["policyId"] == "debug")
    for method in ["tenant.status", "diagnosticConsole.getDiagnosticInformation"] {
      let account = try #require(host.call(method)["accounts"]?.arrayValue?.first)
      #expect(account["hasTestPolicy"] == true)
      #expect(account["explanation"]?.stringValue?.contains("A test policy") == true)
      let reasons = (account["policies"]?.arrayValue ?? []).map { $0["reason"]?.stringValue ?? "" }
      #expect(reasons.first == "testPolicy")
      #expect(reasons.contains("replacedByTest"))
      #expect(reasons.contains("applies"))
    }
    let log = try host.call("diagnosticsLog.query", ["level": "warning", "text": "debug.setPolicy"]).arrayValue ?? []
    #expect(log.contains { $0["category"] == "policy" })
    #expect(!log.contains { $0["message"]?.stringValue?.contains(TestHost.alice) == true })
  }

  @Test("A test policy applies in all processes and after a restart; an account's own takes precedence")
  func stored() throws {
    let folder = TemporaryFolder()
    let first = try host(folder: folder)
    try first.enroll()
    let second = try host(folder: folder)
    #expect(try requiresPIN(second) == true)
    _ = try first.call("debug.setPolicy", ["settings": ["pinRequired": false]])
    #expect(try requiresPIN(second) == false)
    _ = try second.call("debug.setPolicy", ["account": "ALICE@contoso.example", "settings": ["pinRequired": true]])
    #expect(try requiresPIN(first) == true)
    #expect(try requiresPIN(TestHost(folder: folder)) == true)
    _ = try first.call("debug.clearPolicy", ["account": "87d349ed-44d7-43e1-9a83-5f2406dee5bd"])
    #expect(try requiresPIN(second) == false)
    _ = try first.call("debug.clearPolicy")
    #expect(try requiresPIN(second) == true)
  }

  @Test("With a test policy, an account without a tenant is managed and its data is protected")
  func withoutTenant() throws {
    let host = try host(.none)
    _ = try host.call("debug.setPolicy", ["account": Self.alice, "settings": ["saveAsBlocked": true]])
    #expect(try host.enroll() == 204)
    #expect(try host.call("policyManager.isIdentityManaged", ["account": Self.alice]) == true)
    let location: JSONValue = ["account": Self.alice, "location": "dropbox"]
    #expect(try host.call("policy.isSaveToAllowedForLocation", location) == false)
    let data: JSONValue = ["string": "figures", "account": Self.alice]
    let protected = try host.call("dataProtectionManager.protectString", data)
    #expect(protected != "figures")
    #expect(try host.call("dataProtectionManager.unprotectString", ["string": protected]) == "figures")
  }

  @Test("A setting in a test policy applies only on the platforms that have this setting")
  func platforms() throws {
    let host = try host()
    try host.enroll()
    _ = try host.call("debug.setPolicy", ["settings": ["encryptAppData": true]])
    #expect(try host.call("policy.isFileEncryptionRequired", ["account": Self.alice]) == false)
    _ = try host.call("device.set", ["platform": "android"])
    #expect(try host.call("policy.isFileEncryptionRequired", ["account": Self.alice]) == true)
  }

  @Test("debug.setPolicy and debug.clearPolicy fail with 9002 and a hint without DebugSettingsEnabled")
  func needsSetting() throws {
    let host = try TestHost()
    for (method, params) in [("debug.setPolicy", ["settings": [:]]), ("debug.clearPolicy", [:])] as [(_, JSONValue)] {
      let error = try host.error(method, params)
      #expect(error["code"] == 9002)
      #expect(error["data"]?["hint"]?.stringValue?.contains("--set DebugSettingsEnabled=true") == true)
    }
    _ = try host.call("settings.set", ["values": ["DebugSettingsEnabled": true]])
    _ = try host.call("debug.setPolicy", ["settings": [:]])
  }

  @Test(
    "debug.setPolicy refuses an unknown setting or a wrong value, names its path, and changes nothing",
    arguments: [
      ("pinRequried", true, "did you mean pinRequired?"), ("AppSharingToLevl", 0, "did you mean AppSharingToLevel?"),
      ("nothing.like.it", 1, "docs/policy-settings.md"), ("PINMINLENGTH", -1, "from 0 to 65535"),
      ("allowedDataStorageLocations", ["box", "attic"], "attic"), ("pinRequired", "maybe", "true or false"),
      ("AppSharingToLevel", 3, "number"), ("allowedOutboundDataTransferDestinations", "some", "allApps"),
      ("periodBeforePinReset", "a year", "ISO 8601"), ("minimumRequiredOsVersion", "newest", "version"),
    ] as [(String, JSONValue, String)])
  func refuses(name: String, value: JSONValue, text: String) throws {
    let host = try host()
    try host.enroll()
    let settings = JSONValue.object(JSONObject([("printBlocked", true), (name, value)]))
    let error = try host.error("debug.setPolicy", ["settings": settings])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == .string("/settings/" + name))
    #expect(error["message"]?.stringValue?.contains(text) == true, "\(error.jsonText)")
    #expect(try changes(host) == 1)
  }

  @Test("debug.setPolicy refuses a setting under two names, and an empty account")
  func refusesTwice() throws {
    let host = try host()
    let twice = try host.error("debug.setPolicy", ["settings": ["pinRequired": true, "PINEnabled": 1]])
    #expect(twice["data"]?["path"] == "/settings/PINEnabled")
    let nobody = try host.error("debug.setPolicy", ["account": "", "settings": [:]])
    #expect(nobody["data"]?["path"] == "/account")
  }

  @Test("debug.setPolicy accepts an exported policy", .enabled(if: SharedFolder.isPresent, "the samples are missing"))
  func export() throws {
    let host = try host()
    try host.enroll()
    let policy = try JSONValue(parsing: #require(SharedFolder.text("samples/ios-level3.json")))
    _ = try host.call("debug.setPolicy", ["settings": policy])
    #expect(try host.call("policy.isManagedBrowserRequired", ["account": Self.alice]) == true)
  }
}
