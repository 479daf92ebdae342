import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite("policy.explain", .ownThreads) struct ExplainTests {
  private static let listed: JSONValue = "listed@fabrikam.example"
  private static let closed: JSONValue = "closed@fabrikam.example"

  private static func host(_ flags: [String] = []) throws -> TestHost {
    let host = try TestHost(tenantFolder: TenantFolder(), flags: flags)
    try host.enroll(listed)
    return host
  }

  private static func explain(_ host: TestHost, _ query: String, _ params: JSONValue = .null) throws -> JSONValue {
    try host.call("policy.explain", ["query": .string(query), "params": params])
  }

  private static func texts(_ explanation: JSONValue) -> [String] {
    (explanation["because"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
  }

  @Test("An explanation has the verdict first, then the setting and its rule, then the account and policy")
  func sentences() throws {
    let host = try Self.host()
    let params: JSONValue = ["location": "dropbox", "account": Self.listed]
    let explanation = try Self.explain(host, "policy.isSaveToAllowedForLocation", params)
    #expect(explanation["verdict"] == false)
    #expect(
      Self.texts(explanation) == [
        "Saving to Dropbox is blocked.", "The policy \"Listed\" (T_listed) sets saveAsBlocked to true.",
        "The policy allows only listed locations, and this location cannot be listed.",
        "The question names listed@fabrikam.example.", "The account listed@fabrikam.example is managed.",
        "The policy \"Listed\" (T_listed) applies.",
      ])
  }

  @Test("An explanation follows each change of the policy, of a test policy and of the platform")
  func current() throws {
    let folder = TenantFolder()
    let host = try TestHost(tenantFolder: folder, flags: ["DebugSettingsEnabled=true"])
    try host.enroll(Self.listed)
    let query = "policy.isContactSyncAllowed"
    let ask = { Self.texts(try Self.explain(host, query, [Self.listed])) }
    let first = try ask()
    #expect(first[1] == "The policy \"Listed\" (T_listed) sets contactSyncBlocked to true.")
    #expect(first.last == "The policy \"Listed\" (T_listed) applies.")
    let assumed = try host.call(
      "policy.explain", ["query": .string(query), "params": [Self.listed], "assuming": ["contactSyncBlocked": false]])
    #expect(Self.texts(assumed)[1] == "The request assumes that contactSyncBlocked is false.")
    #expect(try ask() == first)
    _ = try host.call("debug.setPolicy", ["account": Self.listed, "settings": ["contactSyncBlocked": false]])
    #expect(try ask()[1].hasSuffix("sets contactSyncBlocked to false."))
    _ = try host.call("debug.clearPolicy")
    #expect(try ask() == first)
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Renamed",
       "contactSyncBlocked": true}
      """, to: "policies/listed.json")
    _ = try host.call("tenant.checkIn", [Self.listed])
    #expect(try ask() == first.map { $0.replacing("\"Listed\"", with: "\"Renamed\"") })
    _ = try host.call("device.set", ["platform": "android"])
    _ = try host.call("tenant.checkIn", [Self.listed])
    #expect(try Self.explain(host, query, [Self.listed])["verdict"] == true)
    #expect(try !ask().contains { $0.contains("Renamed") })
  }

  @Test("A window can receive content only if the account that it shows may receive it")
  func receivingWindow() throws {
    let host = try Self.host(["MultiIdentity=true"])
    _ = try host.call("policyManager.setUIPolicyIdentity", [Self.listed, "inbox"])
    _ = try host.call("policyManager.setUIPolicyIdentity", ["", "home"])
    for (window, isAllowed) in [("inbox", false), ("home", true), (nil, true)] as [(String?, Bool)] {
      let params: JSONValue = [
        "source": ["managed": false], "url": "contoso:x", "window": window.map(JSONValue.string) ?? .null,
      ]
      let explanation = try Self.explain(host, "enforcement.receive", params)
      #expect(explanation["verdict"]?["allowed"] == .bool(isAllowed), "\(window ?? "none")")
      #expect(try host.call("enforcement.receive", params) == explanation["verdict"])
    }
  }

  @Test("Each step of an explanation has its setting, value, account or policy as a field")
  func fields() throws {
    let explanation = try Self.explain(Self.host(), "policy.isContactSyncAllowed", [Self.listed])
    let steps = try #require(explanation["because"]?.arrayValue)
    #expect(steps.compactMap { $0["step"] } == ["verdict", "setting", "rule", "identity", "managed", "policy"])
    #expect(steps[0]["value"] == false)
    #expect(steps[1]["setting"] == "contactSyncBlocked")
    #expect(steps[1]["value"] == true)
    #expect(steps[1]["policy"]?["id"] == "T_listed")
    #expect(steps[3]["account"]?["identity"] == Self.listed)
    #expect(steps[4]["value"] == true)
    #expect(steps[5]["policy"] == ["id": "T_listed", "displayName": "Listed"])
  }

  @Test("A verdict with several members is explained by a rule for each member")
  func parts() throws {
    let explanation = try Self.explain(Self.host(), "policy.getSaveToLocations", [.null, Self.listed])
    let rules = (explanation["because"]?.arrayValue ?? []).filter { $0["step"] == "rule" }
    let parts = rules.compactMap { rule in rule["part"]?.stringValue.map { ($0, rule["value"] ?? .null) } }
    #expect(JSONValue.object(JSONObject(parts)) == explanation["verdict"])
    let texts = Self.texts(explanation)
    let reason = "this location is on the policy's list of allowed locations and belongs to no account"
    #expect(texts.contains("The answer for \"cameraRoll\" is yes because \(reason)."))
    #expect(texts.first == "Saving is allowed only to the local drive and the camera roll.")
  }

  @Test("policy.explain names the account of the location if the policy of that account decided")
  func otherAccount() throws {
    let host = try Self.host(["MultiManagedIdentities=true"])
    try host.enroll(Self.closed)
    let params: JSONValue = ["location": "box", "account": "eve@home.example", "locationAccount": Self.closed]
    let explanation = try Self.explain(host, "policy.isSaveToAllowedForLocation", params)
    #expect(explanation["verdict"] == false)
    let texts = Self.texts(explanation)
    #expect(texts.contains("The account eve@home.example is not managed: it is not registered in this app."))
    #expect(texts.contains("The account closed@fabrikam.example is managed."))
    #expect(
      texts.contains("The policy \"Closed\" (T_closed) sets allowedInboundDataTransferSources to \"none\"."))
  }

  @Test("An explanation says whether the process, a window or a thread determined the account")
  func levels() throws {
    let host = try Self.host(["MultiIdentity=true"])
    let ask = { (params: JSONValue) throws -> String? in
      let steps = try Self.explain(host, "policy.isPINRequired", params)["because"]?.arrayValue
      return steps?.first { $0["step"] == "identity" }?["text"]?.stringValue
    }
    #expect(try ask([:]) == "No identity is set, so the question is about no account.")
    _ = try host.call("policyManager.setProcessIdentity", [Self.listed])
    #expect(try ask([:]) == "No other identity is set, and the process acts for listed@fabrikam.example.")
    _ = try host.call("policyManager.setUIPolicyIdentity", [Self.listed, "w"])
    #expect(try ask(["window": "w"]) == "Window \"w\" shows listed@fabrikam.example.")
    _ = try host.call("policyManager.setCurrentThreadIdentity", ["", "t"])
    #expect(try ask(["thread": "t"]) == "Thread \"t\" acts for no user.")
    _ = try host.call("policyManager.setCurrentThreadIdentity", [Self.listed])
    #expect(
      try ask(["window": "w"])
        == "Thread \"main\" acts for listed@fabrikam.example, which takes precedence over the identity of window \"w\"."
    )
  }

  @Test("The explanation for a registered account that is not enrolled says so, with its last status")
  func unmanaged() throws {
    let host = try TestHost()
    _ = try host.enroll("bob@contoso.example")
    let texts = Self.texts(try Self.explain(host, "policy.isPINRequired", ["bob@contoso.example"]))
    let standing = "The account bob@contoso.example is not managed: it is registered but not enrolled, "
    #expect(texts.contains(standing + "and its last check-in ended with status 225 (licensedNotTargeted)."))
    #expect(texts.contains("Unmanaged accounts have no restrictions."))
  }

  @Test("An explanation says which setting is not set")
  func missingSetting() throws {
    let host = try Self.host()
    let explanation = try Self.explain(host, "policy.isPINRequired", [Self.listed])
    #expect(Self.texts(explanation).contains("The setting pinRequired is not set."))
  }

  @Test("policy.explain accepts policyManager.isManagementEnabled and policyManager.isIdentityManaged")
  func management() throws {
    let host = try Self.host()
    let enabled = try Self.explain(host, "policyManager.isManagementEnabled")
    #expect(enabled["verdict"] == true)
    #expect(Self.texts(enabled) == ["Management is enabled.", "An account in this app is managed."])
    #expect(try Self.explain(host, "policyManager.isIdentityManaged", [Self.listed])["verdict"] == true)
    #expect(try Self.explain(host, "policyManager.isIdentityManaged")["verdict"] == false)
  }

  @Test("While a required policy is missing, policy.explain fails with error 4001")
  func policyRequired() throws {
    let host = try TestHost(flags: ["MAMPolicyRequired=true"])
    for query in API.questionNames where !query.hasPrefix("policyManager.") {
      let params = API.methods.first { $0.name == query }.map { exampleParams($0) } ?? .null
      let error = try host.error("policy.explain", ["query": .string(query), "params": params])
      #expect(error["code"] == 4001, "\(query)")
      #expect(error["data"]?["hint"] != nil)
    }
  }

  @Test(
    "policy.explain checks params like the explained method, and names the path of a wrong one",
    arguments: [
      ("policy.isURLAllowed", [:], "/params/url"), ("policy.isURLAllowed", .null, "/params/url"),
      ("policy.isURLAllowed", ["url": "x"], "/params/url"), ("policy.isURLAllowed", [1], "/params/url"),
      ("policy.isPINRequired", ["acount": "x"], "/params/acount"), ("policy.isPINRequired", "x", "/params"),
      ("policy.isPINRequired", ["_meta": [:]], "/params/_meta"),
      ("enforcement.filterShareTargets", ["targets": [["id": 1]]], "/params/targets/0/id"),
      ("policy.isPinRequired", .null, "/query"), ("policy.explain", .null, "/query"), ("", .null, "/query"),
    ] as [(String, JSONValue, String)])
  func checks(query: String, params: JSONValue, path: String) throws {
    let error = try TestHost().error("policy.explain", ["query": .string(query), "params": params])
    #expect(error["code"] == -32602, "\(error.jsonText)")
    #expect(error["data"]?["path"] == .string(path), "\(error.jsonText)")
  }

  @Test("policy.explain suggests the nearest name for an unknown query")
  func nearest() throws {
    let error = try TestHost().error("policy.explain", ["enforcement.openUrl"])
    #expect(error["data"]?["hint"]?.stringValue?.hasPrefix("Did you mean enforcement.openURL?") == true)
    let far = try TestHost().error("policy.explain", ["device.get"])
    #expect(far["data"]?["hint"]?.stringValue?.contains("policy.isPINRequired") == true)
  }

  @Test("policy.explain refuses setUIPolicyIdentity, and the hint names conditionalLaunch.evaluate")
  func explainedElsewhere() throws {
    let hint = try TestHost().error("policy.explain", [.string(SetUIPolicyIdentity.name)])["data"]?["hint"]?.stringValue
    #expect(hint?.contains("each rule") == true)
  }

  @Test("policy.explain accepts every policy and enforcement method except itself and whatWouldChange")
  func complete() throws {
    let explicable = Set(API.questionNames)
    let asked = API.methods.map { $0.name }.filter { $0.hasPrefix("policy.") || $0.hasPrefix("enforcement.") }
    #expect(Set(asked).subtracting(explicable) == [ExplainPolicy.name, WhatWouldChange.name])
  }

  @Test("policy.explain of enforcement.receive gives no file an owner and starts no activity")
  func nothingChanges() throws {
    let host = try Self.host()
    let path = host.folder.write("plain", to: "plain")
    let params: JSONValue = ["source": ["account": Self.listed, "managed": true], "paths": [.string(path)]]
    #expect(try Self.explain(host, "enforcement.receive", params)["verdict"]?["allowed"] == true)
    #expect(try host.call("file.protectionInfoForFileAtPath", [.string(path)])["identity"] != Self.listed)
    #expect(try host.call("policyManager.getIdentityForCurrentActivity") == .null)
  }
}

private func exampleParams<M: Method>(_ method: M.Type) -> JSONValue { M.example.params.jsonValue }
