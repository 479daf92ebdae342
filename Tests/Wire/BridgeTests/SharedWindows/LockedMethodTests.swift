import JSON
import TestSupport
import Testing

@testable import Bridge

/// Every question and action about an account, asked about several.
@Suite("The lock-down policy over the wire", .timeLimit(.minutes(5)), .ownThreads)
struct LockedMethodTests {
  /// What a method answers, as far as the answer is given by the lock-down.
  private static let answers: [String: JSONValue] = [
    "policy.isPINRequired": true, "policy.isManagedBrowserRequired": true, "policy.isContactSyncAllowed": false,
    "policy.isWidgetContentSyncAllowed": false, "policy.isSpotlightIndexingAllowed": false,
    "policy.areSiriIntentsAllowed": false, "policy.areAppIntentsAllowed": false, "policy.isAppSharingAllowed": false,
    "policy.isScreenCaptureAllowed": false, "policy.shouldFileProviderEncryptFiles": true,
    "policy.isFileEncryptionRequired": true, "policy.notificationPolicy": "block",
    "policy.isSaveToAllowedForLocation": false, "policy.isOpenFromAllowedForLocation": false,
    "policy.isURLAllowed": false, "policy.isUniversalLinkAllowed": false, "policy.isDocumentPickerAllowed": false,
    "policy.canReceiveSharedItemProvider": false, "policy.canReceiveSharedFile": false,
    "policy.hasSaveRestriction": true, "policy.hasOpenRestriction": true,
    "enforcement.copy": ["clipboard": "blocked", "text": nil, "data": nil],
    "enforcement.paste": ["allowed": false, "text": nil, "data": nil],
    "enforcement.openURL": ["action": "rewrite"], "enforcement.filterShareTargets": ["targets": []],
    "enforcement.isActionAllowed": false, "enforcement.redactNotification": ["show": false, "title": "", "body": ""],
    "policy.getSaveToLocations": false, "policy.getOpenFromLocations": false,
  ]
  private static let methods = RequestCase.all.filter { method in
    let isPolicy = ["policy", "enforcement"].contains(String(method.method.name.prefix { $0 != "." }))
    return isPolicy && method.params.contains { ["account", "accounts"].contains($0.name) }
  }
  private static let accounts: JSONValue = ["alice@contoso.example", "eve@home.example"]

  /// The example of a method, asked about several accounts.
  private static func params(_ method: RequestCase) -> JSONObject {
    var params = method.exampleParams.objectValue ?? [:]
    params["account"] = nil
    params["accounts"] = accounts
    // The example's data is encrypted with a key that is nowhere.
    if params["itemProvider"] != nil { params["itemProvider"] = ["typeIdentifier": "public.text", "data": "aGk="] }
    return params
  }

  @Test("For several accounts, every policy and enforcement method answers by the lock-down policy")
  func methods() throws {
    let host = try TestHost()
    try host.enroll()
    for method in Self.methods {
      let name = method.method.name
      #expect(method.params.contains { $0.name == "accounts" }, "\(name) takes no accounts")
      let answer = try host.call(name, .object(Self.params(method)))
      let expected = try #require(Self.answers[name], "\(name) has no row")
      #expect(Self.agrees(answer, expected), "\(name): \(answer.jsonText)")
    }
    #expect(Self.methods.count == Self.answers.count)
  }

  @Test("policyManager.policy for several accounts is the lock-down, with no identity and no settings")
  func policy() throws {
    let host = try TestHost()
    try host.enroll()
    let policy = try host.call("policyManager.policy", ["accounts": Self.accounts])
    #expect(policy["managed"] == true)
    #expect(policy["lockDown"] == true)
    #expect(policy["identity"] == .null)
    #expect(policy["settings"] == [:])
    #expect(policy["policies"] == [])
    #expect(policy["accounts"]?.arrayValue?.map { $0["identity"] } == Self.accounts.arrayValue)
    #expect(try host.call("policyManager.policy", ["accounts": ["eve@home.example", ""]])["managed"] == false)
  }

  @Test(
    "policy.explain for several accounts has the lock-down answer and names them", arguments: answers.keys.sorted())
  func explained(name: String) throws {
    let host = try TestHost()
    try host.enroll()
    let method = try #require(Self.methods.first { $0.method.name == name })
    let params: JSONValue = .object(Self.params(method))
    let explained = try host.call("policy.explain", ["query": .string(name), "params": params])
    #expect(explained["verdict"] == (try host.call(name, params)))
    let steps = explained["because"]?.arrayValue ?? []
    let step = try #require(steps.first { $0["step"] == "lockDown" })
    let names = (step["accounts"]?.arrayValue ?? []).compactMap { $0["identity"]?.stringValue }
    #expect(names.count == 2)
    for name in names { #expect(step["text"]?.stringValue?.contains(name) == true, "\(step.jsonText)") }
    let rules = steps.filter { $0["step"] == "rule" }
    let isDecided = rules.contains { $0["text"]?.stringValue?.contains("lock-down policy decides") == true }
    #expect(isDecided == (name != "policy.isPINRequired"), "\(explained.jsonText)")
  }

  @Test("A window that shows several accounts answers like a call with these accounts, and receives no data")
  func window() throws {
    let world = try SharedWindowWorld([(name: "ann", members: #""saveAsBlocked": false"#)])
    let names = ["ann", "eve"]
    #expect(try world.show(names) == "success")
    for method in Self.methods where method.params.contains(where: { $0.name == "window" }) {
      var params = Self.params(method)
      params["accounts"] = SharedWindowWorld.accounts(names)
      let named = try world.host.call(method.method.name, .object(params))
      params["accounts"] = nil
      params["window"] = "inbox"
      #expect(try world.host.call(method.method.name, .object(params)) == named, "\(method.method.name)")
    }
    let provider: JSONValue = ["typeIdentifier": "public.text", "data": "aGk="]
    for sender in names {
      let from: JSONValue = ["account": SharedWindowWorld.account(sender), "managed": true]
      let params: JSONValue = ["source": from, "itemProvider": provider, "window": "inbox"]
      #expect(try world.host.call("enforcement.receive", params)["allowed"] == false)
    }
  }

  /// Whether an answer has the members of `expected`; for a table of locations, whether all have that value.
  private static func agrees(_ answer: JSONValue, _ expected: JSONValue) -> Bool {
    switch (answer.objectValue, expected.objectValue) {
    case (let answer?, let expected?): expected.members.allSatisfy { answer[$0.name] == $0.value }
    case (let answer?, nil): answer.members.allSatisfy { $0.value == expected }
    default: answer == expected
    }
  }
}
