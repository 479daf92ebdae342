import JSON
import TestSupport
import Testing

@testable import Bridge

private typealias Row = (query: String, params: JSONValue, assumed: JSONValue, verdict: JSONValue)

private let listed: JSONValue = "listed@fabrikam.example"

/// Without an assumption, each has the other answer.
private let rows: [Row] = [
  ("policy.isSaveToAllowedForLocation", ["location": "dropbox"], ["saveAsBlocked": false], true),
  ("enforcement.isActionAllowed", ["action": "print"], ["printBlocked": true], false),
  ("policy.notificationPolicy", [:], ["notificationRestriction": "block"], "block"),
  ("policy.isSaveToAllowedForLocation", ["location": "dropbox"], ["saveAsBlocked": .null], true),
]

@Suite("policy.explain with assumed settings", .timeLimit(.minutes(5)), .ownThreads) struct AssumingTests {
  private let host: TestHost

  init() throws {
    host = try TestHost(tenantFolder: TenantFolder())
    try host.enroll(listed)
  }

  private func explain(_ query: String, _ params: JSONValue, _ assumed: JSONValue) throws -> JSONValue {
    try host.call("policy.explain", ["query": .string(query), "params": params, "assuming": assumed])
  }

  @Test("policy.explain gives the verdict under assumed settings and leaves the real answer unchanged", arguments: rows)
  fileprivate func assumed(_ row: Row) throws {
    let before = try host.call(row.query, row.params)
    #expect(before != row.verdict)
    let explanation = try explain(row.query, row.params, row.assumed)
    #expect(explanation["verdict"] == row.verdict)
    #expect(try host.call(row.query, row.params) == before)
    let texts = (explanation["because"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
    let name = try #require(row.assumed.objectValue?.names.first)
    #expect(texts.contains { $0.contains(name) && !$0.contains("The policy \"") }, "\(texts)")
  }

  @Test("With no assumed settings, policy.explain gives the answer of the query itself")
  func nothing() throws {
    for query in ["policy.isPINRequired", "policy.getSaveToLocations", "policyManager.isManagementEnabled"] {
      #expect(try explain(query, [:], [:])["verdict"] == host.call(query), "\(query)")
    }
  }

  @Test(
    "policy.explain refuses an unknown assumed setting or a wrong value, and names its path",
    arguments: [
      (["printBlockd": true], "/assuming/printBlockd"), (["printBlocked": "maybe"], "/assuming/printBlocked"),
      (7, "/assuming"),
    ] as [(JSONValue, String)])
  func faults(_ assumed: JSONValue, _ path: String) throws {
    let error = try host.error("policy.explain", ["query": "policy.isPINRequired", "assuming": assumed])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == .string(path))
  }

  @Test("Assumed settings apply to a registered account without a policy, but not to an unknown account")
  func withoutPolicy() throws {
    let sample = try TestHost(flags: ["MultiManagedIdentities=true"])
    try sample.enroll("bob@contoso.example")
    for (account, isAllowed) in [("bob@contoso.example", false), ("eve@contoso.example", true)] {
      let explanation = try sample.call(
        "policy.explain",
        [
          "query": "enforcement.isActionAllowed", "params": ["action": "print", "account": .string(account)],
          "assuming": ["printBlocked": true],
        ])
      #expect(explanation["verdict"] == .bool(isAllowed), "\(account)")
    }
  }

  @Test("enforcement.copy under assumed settings returns no protected content")
  func unprotected() throws {
    let verdict = try explain(
      "enforcement.copy", ["text": "hello"], ["allowedOutboundClipboardSharingLevel": "managedApps"])["verdict"]
    #expect(verdict?["clipboard"] == "protected")
    #expect(verdict?["text"] == .null)
  }
}

@Suite("policy.whatWouldChange", .timeLimit(.minutes(5)), .ownThreads) struct WhatWouldChangeTests {
  private static func search(_ host: TestHost, _ query: String, _ params: JSONValue = .null) throws -> JSONValue {
    try host.call("policy.whatWouldChange", ["query": .string(query), "params": params])
  }

  /// What decides, without content that is protected anew each time.
  private static func essence(_ verdict: JSONValue?) -> JSONValue? {
    verdict?["clipboard"] ?? verdict?["allowed"] ?? verdict
  }

  @Test("For random policies, each change that whatWouldChange finds alters the verdict", arguments: [UInt64](1...4))
  func proved(seed: UInt64) throws {
    var world = try RandomHost(seed: seed)
    for query in API.questionNames {
      let method = try #require(API.methods.first { $0.name == query })
      let params = JSONValue.object(world.params.params(of: method))
      let reply = try world.host.reply("policy.whatWouldChange", ["query": .string(query), "params": params])
      let plain = try world.host.reply("policy.explain", ["query": .string(query), "params": params])
      #expect(reply["error"] == plain["error"], "\(query)")
      guard let found = reply["result"] else { continue }
      #expect(Self.essence(found["verdict"]) == Self.essence(plain["result"]?["verdict"]), "\(query)")
      for change in (found["changes"]?.arrayValue ?? []).prefix(4) {
        let steps = change["settings"]?.arrayValue ?? []
        let assumed = JSONObject(steps.map { ($0["setting"]?.stringValue ?? "", $0["newValue"] ?? .null) })
        let other = try world.host.call(
          "policy.explain", ["query": .string(query), "params": params, "assuming": .object(assumed)])
        #expect(
          Self.essence(other["verdict"]) != Self.essence(found["verdict"]), "seed \(seed): \(query) \(change.jsonText)")
      }
    }
  }

  @Test("whatWouldChange finds a single setting if one suffices, and lists the one that decided first")
  func single() throws {
    let host = try TestHost()
    try host.enroll()
    let found = try Self.search(host, "policy.isSaveToAllowedForLocation", ["location": "dropbox"])
    #expect(found["verdict"] == false)
    let first = try #require(found["changes"]?.arrayValue?.first?["settings"]?.arrayValue)
    #expect(first.count == 1 && first[0]["setting"] == "saveAsBlocked")
    #expect(first[0]["value"] == true)
    #expect(first[0]["newValue"] == false)
    #expect(first[0]["text"] == "If saveAsBlocked is false instead of true, saving to Dropbox is allowed.")
    #expect(try Self.search(host, "policy.isSaveToAllowedForLocation", ["location": "dropbox"]) == found)
  }

  @Test("whatWouldChange finds the nearest number that changes the answer", arguments: [1, 2, 3, 16, 17, 18])
  func number(_ count: Int) throws {
    let host = try TestHost()
    try host.enroll()
    let text = String(repeating: "x", count: count)
    let changes = try Self.search(host, "enforcement.copy", ["text": .string(text)])["changes"]?.arrayValue ?? []
    let length = changes.compactMap { $0["settings"]?.arrayValue?.first }
      .first { $0["setting"] == "allowedOutboundClipboardSharingExceptionLength" }
    #expect(length?["newValue"] == .integer(Int64(count)))
  }

  @Test("whatWouldChange finds two settings to change together if no single setting suffices")
  func pair() throws {
    let host = try TestHost(flags: ["DebugSettingsEnabled=true"])
    try host.enroll()
    _ = try host.call(
      "debug.setPolicy",
      ["settings": ["managedBrowserToOpenLinksRequired": false, "customBrowserProtocol": "contoso"]])
    let found = try Self.search(host, "policy.isManagedBrowserRequired")
    #expect(found["verdict"] == false)
    #expect(found["changes"]?.arrayValue?.count == 1)
    let change = try #require(found["changes"]?.arrayValue?.first?["settings"]?.arrayValue)
    #expect(
      change.compactMap { $0["setting"]?.stringValue } == [
        "managedBrowserToOpenLinksRequired", "customBrowserProtocol",
      ])
    #expect(change.map { $0["newValue"] } == [true, .null])
  }

  /// An account with a policy for Windows with these members.
  private static func windows(_ members: JSONObject) throws -> TestHost {
    let folder = TenantFolder()
    var policy: JSONObject = [
      "@odata.type": "#microsoft.graph.windowsManagedAppProtection", "id": "T_listed", "displayName": "Listed",
    ]
    for member in members.members { policy[member.name] = member.value }
    folder.write(JSONValue.object(policy).jsonText, to: "policies/listed.json")
    let host = try TestHost(tenantFolder: folder)
    _ = try host.call("device.set", ["platform": "windows"])
    try host.enroll(listed)
    return host
  }

  @Test(
    "On Windows, whatWouldChange proposes values for Windows that also work in a real policy",
    arguments: [
      ("enforcement.paste", ["text": "hello"], ["allowedOutboundClipboardSharingLevel": "orgDestinationOrgSource"]),
      ("enforcement.copy", ["text": "hello"], ["allowedOutboundClipboardSharingLevel": "none"]),
      (
        "policy.isSaveToAllowedForLocation", ["location": "dropbox"],
        ["allowedOutboundDataTransferDestinations": "none"]
      ),
      ("policy.isSpotlightIndexingAllowed", [:], ["allowedOutboundDataTransferDestinations": "allApps"]),
      ("enforcement.isActionAllowed", ["action": "print"], ["printBlocked": true]),
    ] as [(String, JSONValue, JSONObject)])
  func onWindows(query: String, params: JSONValue, members: JSONObject) throws {
    let host = try Self.windows(members)
    let found = try Self.search(host, query, params)
    let changes = (found["changes"]?.arrayValue ?? []).compactMap { $0["settings"]?.arrayValue }
    #expect(!changes.isEmpty)
    for change in changes {
      let assumed = JSONObject(change.map { ($0["setting"]?.stringValue ?? "", $0["newValue"] ?? .null) })
      let explanation = try host.call(
        "policy.explain", ["query": .string(query), "params": params, "assuming": .object(assumed)])
      #expect(Self.essence(explanation["verdict"]) != Self.essence(found["verdict"]), "\(assumed.jsonText)")
      var real = members
      for member in assumed.members { real[member.name] = member.value }
      let verdict = try Self.windows(real).call(query, params)
      #expect(Self.essence(verdict) == Self.essence(explanation["verdict"]), "\(assumed.jsonText)")
    }
  }

  @Test(
    "policy.explain accepts an assumed value only if policies of the device's platform have it",
    arguments: [
      (["allowedOutboundClipboardSharingLevel": "orgDestinationAnySource"], true, false),
      (["allowedOutboundClipboardSharingLevel": "managedAppsWithPasteIn"], false, true),
      (["allowedOutboundDataTransferDestinations": "managedApps"], false, true),
      (["allowedInboundDataTransferSources": "none"], true, true),
      (["mobileThreatDefenseRemediationAction": "warn"], false, true),
      (["allowedOutboundClipboardSharingLevel": 3], true, true), (["pinRequired": true], true, true),
      (["allowedOutboundClipboardSharingLevel": .null], true, true),
      (["allowedOutboundClipboardSharingLevel": "nowhere"], false, false),
    ] as [(JSONValue, Bool, Bool)])
  func words(assumed: JSONValue, isOfWindows: Bool, isOfPhones: Bool) throws {
    let phone = try TestHost(tenantFolder: TenantFolder())
    try phone.enroll(listed)
    for (host, isTaken) in [(try Self.windows(["printBlocked": true]), isOfWindows), (phone, isOfPhones)] {
      let reply = try host.reply("policy.explain", ["query": "policy.isPINRequired", "assuming": assumed])
      #expect((reply["error"] == nil) == isTaken, "\(reply.jsonText)")
      guard let error = reply["error"] else { continue }
      let name = try #require(assumed.objectValue?.names.first)
      #expect(error["code"] == -32602, "\(error.jsonText)")
      #expect(error["data"]?["path"] == .string("/assuming/\(name)"), "\(error.jsonText)")
    }
  }

  @Test("whatWouldChange stops at its time limit and says so in its text")
  func cutOff() throws {
    let host = try TestHost(searchTime: .zero)
    try host.enroll()
    let found = try Self.search(host, "policy.isSaveToAllowedForLocation", ["location": "dropbox"])
    #expect(found["verdict"] == false)
    #expect(found["changes"] == [])
    #expect(found["text"]?.stringValue?.contains("No change was found within a second") == true)
  }

  @Test("whatWouldChange finds no change for an unregistered account and says why")
  func nobody() throws {
    let found = try Self.search(try TestHost(), "policy.isPINRequired", ["account": "eve@contoso.example"])
    #expect(found["changes"] == [])
    #expect(found["text"]?.stringValue?.contains("No registered account") == true)
  }
}
