import JSON
import MAM
import Model
import Support
import TestSupport
import Testing
import Vault

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

@Suite(.ownThreads) struct SandboxSaveTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  @Test("sandbox.restore brings back state, tenant and time of a save, and sandbox.reset those of the start")
  func restore() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let sealed = try host.call(
      "dataProtectionManager.protectString", ["string": "secret", "account": "alice@contoso.example"])
    _ = try host.call("sandbox.save", ["name": "enrolled"])
    for _ in 0..<2 {
      _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example"])
      _ = try host.call("sandbox.wipe", ["account": "alice@contoso.example", "push": true])
      _ = try host.call("debug.advanceClock", ["by": "P30D"])
      #expect(try host.call("enrollmentManager.enrolledAccounts") == [])
      let time = try host.call("sandbox.restore", ["name": "enrolled"])["time"]
      #expect(time == .string(TestHost.start.description))
      #expect(try host.call("debug.advanceClock", ["by": "PT0S"])["time"] == time)
      #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
      #expect(try host.call("dataProtectionManager.unprotectString", ["string": sealed]) == "secret")
      #expect(try host.call("tenant.status")["users"]?.arrayValue?.count == 4)
    }
    _ = try host.call("sandbox.reset")
    #expect(try host.call("enrollmentManager.registeredAccounts") == [])
    #expect(try host.call("policy.isPINRequired", Self.alice) == false)
    _ = try host.call("sandbox.restore", ["name": "enrolled"])
    #expect(try host.call("policy.isPINRequired", Self.alice) == true)
  }

  @Test("A sandbox creates its state and its seed only when a call needs them")
  func late() throws {
    let host = try sandboxHost()
    _ = try host.call("versionInfo.sdkVersion")
    #expect(try Folder.names(host.folder.path) == ["tenant"])
    _ = try host.call("sandbox.setUser", ["name": "erin@contoso.example"])
    _ = try host.call("sandbox.reset")
    #expect(try host.call("tenant.status")["users"]?.arrayValue?.count == 4)
    #expect(try Folder.names(host.folder.path).contains("seed"))
  }

  @Test("sandbox.save replaces an earlier save of the same name")
  func saveAgain() throws {
    let host = try sandboxHost()
    _ = try host.call("sandbox.save", ["name": "it"])
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    _ = try host.call("sandbox.save", ["name": "it"])
    _ = try host.call("sandbox.reset")
    _ = try host.call("sandbox.restore", ["name": "it"])
    #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
  }

  @Test("sandbox.export writes a folder that starts another sandbox, and refuses an existing folder")
  func export() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    let folder = TemporaryFolder()
    _ = try host.call("sandbox.export", ["folder": .string(folder.file("out"))])
    let error = try host.error("sandbox.export", ["folder": .string(folder.file("out"))])
    #expect(error["data"]?["name"] == "unsuitableFile")
    let other = TemporaryFolder()
    let home = SandboxFolder(root: other.path, appId: "com.example.test", trustsParents: true)
    let start = try home.begin(withExport: folder.file("out"), at: nil)
    #expect(start == TestHost.start.advanced(by: 86_400_000))
    let second = try TestHost(.folder(home.tenant.path), folder: other, sandbox: Sandbox(home))
    #expect(try second.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
    #expect(throws: MAMError.self) { try home.begin(withExport: folder.path, at: nil) }
  }

  @Test("sandbox.environment returns the variables for the state, the tenant, the app and the clock")
  func environment() throws {
    let host = try sandboxHost()
    let variables = try host.call("sandbox.environment")
    #expect(variables["MAMBRIDGE_STATE"] == .string(host.folder.file("state")))
    #expect(variables["MAMBRIDGE_TENANT"] == .string(host.folder.file("tenant")))
    #expect(variables["MAMBRIDGE_APP_ID"] == "com.example.test")
    #expect(variables["MAMBRIDGE_CLOCK"]?.stringValue == "manual=\(TestHost.start)")
  }
}

@Suite(.ownThreads) struct ScriptedUserTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  @Test("sandbox.answer makes the scripted user set a PIN, enter it, mistype it or cancel")
  func pin() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let show: JSONValue = ["account": "alice@contoso.example", "window": "main"]
    #expect(try host.error("policyManager.setUIPolicyIdentity", show)["code"] == 8001)
    _ = try host.call("sandbox.answer", ["pin": "482913", "signIn": true])
    #expect(try host.call("policyManager.setUIPolicyIdentity", show) == "success")
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    _ = try host.call("conditionalLaunch.didEnterBackground")
    _ = try host.call("sandbox.answer", ["pin": "111111"])
    let wrong = try host.reply("policyManager.setUIPolicyIdentity", show)
    #expect(wrong["error"]?["code"] == 8001, "\(wrong.jsonText)")
    _ = try host.call("sandbox.answer", ["pin": "482913"])
    #expect(try host.call("policyManager.setUIPolicyIdentity", show) == "success")
    _ = try host.call("debug.advanceClock", ["by": "P1D"])
    _ = try host.call("conditionalLaunch.didEnterBackground")
    _ = try host.call("sandbox.answer", ["canceled": true])
    #expect(try host.call("policyManager.setUIPolicyIdentity", show) == "canceled")
  }
}

@Suite(.ownThreads) struct SandboxStoryTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  @Test("sandbox.story lists calls with outcomes, decisions with reasons, errors and events, in order")
  func story() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let question: JSONValue = ["location": "box", "account": "alice@contoso.example"]
    #expect(try host.call("policy.isSaveToAllowedForLocation", question) == false)
    _ = try host.error("sandbox.restore", ["name": "nothing"])
    let story = try host.call("sandbox.story")
    let entries = story["entries"]?.arrayValue ?? []
    let texts = entries.compactMap { $0["text"]?.stringValue }
    #expect(
      texts.first
        == #"enrollmentManager.registerAndEnrollAccount with account "alice@contoso.example": newPoliciesReceived"#)
    #expect(texts.contains("policyManager.policyDidChange for alice@contoso.example"))
    let decision = entries.first { $0["kind"] == "decision" }
    #expect(decision?["text"]?.stringValue?.hasSuffix(": false") == true)
    let reasons = decision?["because"]?.strings ?? []
    #expect(reasons.first == "Saving to Box is blocked.")
    #expect(reasons.contains { $0.contains("allowedDataStorageLocations") })
    #expect(texts.last?.hasPrefix("sandbox.restore with name \"nothing\" failed with invalidParams (-32602)") == true)
    #expect(entries.compactMap { $0["number"]?.integerValue } == Array(1...Int64(entries.count)))
    let rest = try host.call("sandbox.story", ["since": story["next"] ?? 0])
    #expect(rest["entries"] == [])
    #expect(rest["missed"] == false)
  }

  @Test("sandbox.story has the reasons of a decision even if its call had a time limit")
  func timeLimit() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let options: JSONValue = ["timeoutMilliseconds": 60_000]
    _ = try host.call("policy.isScreenCaptureAllowed", ["account": "alice@contoso.example", "_meta": options])
    _ = try host.call("conditionalLaunch.evaluate", ["_meta": options])
    let entries = try host.call("sandbox.story")["entries"]?.arrayValue ?? []
    let decision = entries.first { $0["kind"] == "decision" }
    #expect(
      decision?["text"]?.stringValue?.hasPrefix(
        #"policy.isScreenCaptureAllowed with account "alice@contoso.example": "#) == true)
    #expect((decision?["because"]?.strings ?? []).isEmpty == false)
    #expect(entries.contains { $0["text"]?.stringValue?.hasPrefix("conditionalLaunch.evaluate: ") == true })
  }

  @Test("sandbox.story hides secrets, and drops the oldest entries when it is full")
  func bounds() throws {
    let host = try sandboxHost()
    _ = try host.call("sandbox.answer", ["pin": "482913"])
    let text = try host.call("sandbox.story")["entries"]?.arrayValue?.first?["text"]?.stringValue
    #expect(text == "sandbox.answer with pin (hidden): done")
    for _ in 0..<SandboxStory.mostEntries { _ = try host.call("versionInfo.sdkVersion") }
    let story = try host.call("sandbox.story")
    #expect(story["entries"]?.arrayValue?.count == SandboxStory.mostEntries)
    #expect(story["missed"] == true)
    #expect(try host.call("sandbox.story", ["since": 1])["missed"] == false)
  }
}

@Suite(.ownThreads) struct SandboxExpectationTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  /// A question about Alice, whose policy forbids what it can, and what a test may expect of the answer.
  struct Row: Sendable {
    let question: String
    let params: JSONValue
    let expected: JSONValue
    let isMet: Bool
    let text: String
  }

  private static let rows = [
    Row(
      question: "policy.isSaveToAllowedForLocation", params: ["location": "dropbox"],
      expected: ["outcome": "blocked", "setting": "saveAsBlocked"], isMet: true,
      text: "policy.isSaveToAllowedForLocation is blocked by saveAsBlocked\n  Saving to Dropbox is blocked."),
    Row(
      question: "policy.isSaveToAllowedForLocation", params: ["location": "dropbox"],
      expected: ["outcome": "blocked", "setting": "pinRequired"], isMet: false,
      text: "policy.isSaveToAllowedForLocation should be blocked by pinRequired, but is blocked by saveAsBlocked"),
    Row(
      question: "policy.isSaveToAllowedForLocation", params: ["location": "dropbox"], expected: ["outcome": "allowed"],
      isMet: false, text: "policy.isSaveToAllowedForLocation should be allowed, but is blocked\n  Saving to Dropbox"),
    Row(
      question: "enforcement.isActionAllowed", params: ["action": "print"], expected: ["outcome": "blocked"],
      isMet: false, text: "enforcement.isActionAllowed should be blocked, but is allowed\n  Printing is allowed."),
    Row(
      question: "enforcement.isActionAllowed", params: ["action": "print"], expected: ["outcome": "allowed"],
      isMet: true, text: "enforcement.isActionAllowed is allowed\n  Printing is allowed."),
    Row(
      question: "enforcement.openURL", params: ["url": "ftp://example.com/"], expected: ["outcome": "allowed"],
      isMet: false, text: "enforcement.openURL should be allowed, but is "),
    Row(
      question: "policy.isPINRequired", params: [:], expected: ["outcome": "allowed"], isMet: false,
      text: "policy.isPINRequired does not say whether something is allowed: check that it is true"),
    Row(
      question: "policy.getSaveToLocations", params: [:], expected: ["outcome": "allowed"], isMet: false,
      text: "policy.getSaveToLocations does not say whether something is allowed: check its members"),
    Row(
      question: "policy.isSaveToAllowedForLocation", params: ["location": "nowhere"], expected: ["outcome": "blocked"],
      isMet: false, text: "policy.isSaveToAllowedForLocation failed with invalidParams (-32602): /location"),
    Row(
      question: "policy.explain",
      params: ["query": "policy.isSaveToAllowedForLocation", "params": ["location": "dropbox"]],
      expected: ["outcome": "blocked", "setting": "saveAsBlocked"], isMet: true,
      text: "policy.isSaveToAllowedForLocation is blocked by saveAsBlocked\n  Saving to Dropbox is blocked."),
    Row(
      question: "policy.explain", params: ["query": "conditionalLaunch.evaluate"], expected: ["outcome": "blocked"],
      isMet: true, text: "conditionalLaunch.evaluate is blocked\n"),
    Row(
      question: "conditionalLaunch.evaluate", params: [:],
      expected: ["outcome": "blocked", "setting": "deviceComplianceRequired"], isMet: true,
      text: "conditionalLaunch.evaluate is blocked by deviceComplianceRequired\n  The device is jailbroken"),
  ]

  @Test("sandbox.expect says if the newest question had the expected outcome and setting, and why", arguments: rows)
  func expectations(_ row: Row) throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    _ = try host.call("device.set", ["jailbroken": true])
    _ = try host.call("policy.isScreenCaptureAllowed")
    _ = try host.reply(row.question, row.params)
    _ = try host.call("tenant.status")
    let found = try host.call("sandbox.expect", row.expected)
    #expect(
      found["isMet"]?.boolValue == row.isMet && found["text"]?.stringValue?.hasPrefix(row.text) == true,
      "\(found.jsonText)")
  }

  @Test("sandbox.expect refuses an unknown setting and suggests the nearest")
  func wrongSetting() throws {
    let host = try sandboxHost()
    _ = try host.call("policy.isScreenCaptureAllowed")
    let error = try host.error("sandbox.expect", ["outcome": "blocked", "setting": "saveAsBlokced"])
    #expect(error["data"]?["path"] == "/setting")
    #expect(error["data"]?["hint"] == "Did you mean saveAsBlocked?")
  }

  @Test("sandbox.story lists each of more than 500 events once, in order")
  func manyEvents() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    _ = try host.call("device.set", ["networkAvailable": false])
    _ = try host.call("debug.advanceClock", ["by": "P25D"])
    let last = try #require(host.call("events.list", ["after": .integer(1 << 53)])["next"]?.integerValue)
    // Less than the 30 days for which events are kept.
    #expect(last > 500)
    let entries = try host.call("sandbox.story")["entries"]?.arrayValue ?? []
    #expect(entries.filter { $0["kind"] == "event" }.count == Int(last))
    let times = entries.filter { $0["kind"] == "event" }.compactMap { $0["time"]?.stringValue }
    #expect(times == times.sorted())
  }

  @Test("sandbox.story cuts a long text to 400 bytes without splitting a character")
  func longTexts() throws {
    let host = try sandboxHost()
    let url = "https://example.com/" + String(repeating: "a\u{301}", count: 100_000)
    _ = try host.reply("policy.isURLAllowed", ["url": .string(url)])
    let text = try host.call("sandbox.story")["entries"]?.arrayValue?.last?["text"]?.stringValue
    #expect(text.map { $0.utf8.count <= 400 && !$0.contains("\u{FFFD}") } == true, "\(text ?? "")")
  }

  @Test("sandbox.expect is not met before anything was asked")
  func nothingAsked() throws {
    let found = try sandboxHost().call("sandbox.expect", ["outcome": "allowed"])
    #expect(found["isMet"] == false)
    #expect(found["text"]?.stringValue?.hasPrefix("nothing was asked") == true)
  }

  @Test("sandbox.waitForEvent returns each event once, for one account or any, and restore discards events")
  func waiting() throws {
    let host = try sandboxHost()
    let change: JSONValue = ["eventType": "policyManager.policyDidChange", "milliseconds": 50]
    let ofBob: JSONValue = [
      "eventType": "policyManager.policyDidChange", "account": "bob@contoso.example", "milliseconds": 50,
    ]
    #expect(
      try host.call("sandbox.waitForEvent", change)["text"]
        == "policyManager.policyDidChange did not happen within 0.05 s, but no event did")
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let missed = try host.call("sandbox.waitForEvent", ofBob)
    #expect(
      missed["entry"] == .null
        && missed["text"]?.stringValue?.hasPrefix(
          "policyManager.policyDidChange for bob@contoso.example did not happen within 0.05 s, but ") == true
    )
    #expect(
      try host.call("sandbox.waitForEvent", change)["entry"]?["params"]?["identity"] == "alice@contoso.example")
    #expect(try host.call("sandbox.waitForEvent", change)["entry"] == .null)
    _ = try host.call("sandbox.save", ["name": "enrolled"])
    _ = try host.call("sandbox.setPolicy", ["audience": "alice@contoso.example", "settings": ["pinRequired": true]])
    _ = try host.call("tenant.checkIn")
    _ = try host.call("sandbox.restore", ["name": "enrolled"])
    #expect(try host.call("sandbox.waitForEvent", change)["entry"] == .null)
    _ = try host.call("sandbox.reset")
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    #expect(try host.call("sandbox.waitForEvent", change)["entry"] != .null)
  }

  @Test(
    "sandbox.report merges repeated lines of the story, and its replay uses values from earlier answers")
  func report() throws {
    let host = try sandboxHost()
    #expect(try host.call("sandbox.report")["story"] == "Nothing happened.")
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let sealed = try host.call(
      "dataProtectionManager.protectString", ["string": "it's secret", "account": "alice@contoso.example"])
    _ = try host.call("dataProtectionManager.unprotectString", ["string": sealed])
    for _ in 0..<3 { _ = try host.call("policy.isScreenCaptureAllowed") }
    let report = try host.call("sandbox.report", ["failure": "a test\nit's wrong\n"])
    let story = try #require(report["story"]?.stringValue)
    #expect(story.contains("(2 more of these until "))
    let script = try #require(report["replay"]?.stringValue)
    let lines = script.split(separator: "\n")
    #expect(lines.first == "#!/usr/bin/env bash")
    #expect(lines[1] == "# Replays a test.")
    #expect(lines[2] == "# Needs jq.")
    #expect(script.contains(#""string":"it'\''s secret""#))
    #expect(script.contains(#"{"string":'"$(jq -c '.result' <<<"${answers[2]}")"'}}'"#))
    #expect(lines.last == #"echo 'it'\''s wrong'"#)
    #expect(!script.contains("sandbox.report"))
  }

  @Test("The replay script of sandbox.report uses values from errors and says where calls are left out")
  func replayOfErrors() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let error = try host.error(
      "policyManager.setUIPolicyIdentity", ["account": "alice@contoso.example", "window": "main"])
    let challenge = try #require(error["data"]?["challenge"]?["id"] ?? error["data"]?["challengeId"])
    _ = try host.reply("conditionalLaunch.answer", ["challenge": challenge, "pin": "482913"])
    _ = try host.reply(
      "dataProtectionManager.protectString", ["string": .string(String(repeating: "x", count: 9 << 20))])
    _ = try host.call("versionInfo.sdkVersion")
    let script = try #require(host.call("sandbox.report", ["failure": "a\u{0}b\u{1B}[1m"])["replay"]?.stringValue)
    #expect(
      script.contains("# Replays a b [1m.") && script.contains("<<<\"${answers[2]}\")"), "\(script.prefix(3_000))")
    #expect(script.contains("# Calls that are left out here: 1\ncall 4 "))
  }
}
