import JSON
import MAM
import Model
import Support
import TestSupport
import Testing

@testable import Bridge
@testable import Tenancy

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

  @Test("sandbox.story hides the value of a parameter that the method does not have")
  func misspelledSecret() throws {
    let host = try sandboxHost()
    _ = try host.error("sandbox.answer", ["pni": "482913"])
    let text = try host.call("sandbox.story")["entries"]?.arrayValue?.first?["text"]?.stringValue
    #expect(text?.hasPrefix("sandbox.answer with pni (hidden) failed with invalidParams") == true)
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
}

@Suite(.ownThreads) struct SandboxReportTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

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
