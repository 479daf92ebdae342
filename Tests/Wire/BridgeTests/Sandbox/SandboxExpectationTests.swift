import JSON
import MAM
import Model
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import Tenancy

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
}
