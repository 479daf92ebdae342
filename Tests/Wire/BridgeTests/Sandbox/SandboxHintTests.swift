import JSON
import MAM
import Model
import TestSupport
import Testing

@testable import Bridge

/// What a sandbox says to somebody whose test is wrong.
@Suite(.ownThreads) struct SandboxHintTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]
  private static let bob: JSONValue = ["account": "bob@contoso.example"]

  private static func story(_ host: TestHost) throws -> [JSONValue] {
    try host.call("sandbox.story")["entries"]?.arrayValue ?? []
  }

  /// The texts and the reasons of the story.
  private static func told(_ host: TestHost) throws -> [String] {
    try story(host).flatMap { [$0["text"]?.stringValue ?? ""] + ($0["because"]?.strings ?? []) }
  }

  @Test(
    "A policy or configuration without a name replaces only that of its audience, and the story says so",
    arguments: [("setPolicy", "policy", "policies"), ("setConfiguration", "configuration", "configurations")])
  func usualNames(_ method: String, _ what: String, _ member: String) throws {
    let host = try sandboxHost()
    let settings: [String: JSONValue] = ["setPolicy": ["saveAsBlocked": true], "setConfiguration": ["server": "mail"]]
    for audience in ["alice@contoso.example", "BOB@contoso.example", "bob@contoso.example", "*", "staff"] {
      _ = try host.call(
        "sandbox." + method, ["audience": .string(audience), "settings": settings[method] ?? [:]])
    }
    let names = try host.call("sandbox.contents")[member]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(
      Set(names.filter { $0.hasPrefix("Sandbox") }) == [
        "Sandbox for alice@contoso.example", "Sandbox for bob@contoso.example", "Sandbox for everybody",
        "Sandbox for staff",
      ])
    let replacing = try Self.told(host).filter { $0.contains("in place of") }
    #expect(replacing.count == 1)
    #expect(replacing.first?.hasSuffix(": done, in place of the \(what) for bob@contoso.example") == true)
    _ = try host.call(
      "sandbox." + method, ["audience": "*", "settings": settings[method] ?? [:], "name": "Sandbox for staff"])
    #expect(try Self.told(host).last?.hasSuffix(": done, in place of the \(what) for staff") == true)
  }

  @Test(
    "A misspelled or short name of a user is answered with the user who is meant",
    arguments: [
      ("allice", "alice@contoso.example"), ("bob", "bob@contoso.example"), ("bobb", "bob@contoso.example"),
      ("Carol", "carol@contoso.example"), ("dave@contoso.exmaple", "dave@contoso.example"), ("zoe", nil),
    ] as [(String, String?)])
  func misspelledUsers(_ name: String, _ meant: String?) throws {
    let host = try sandboxHost()
    let removed = try host.error("sandbox.removeUser", ["name": .string(name)])
    #expect(
      removed["message"]?.stringValue?.hasSuffix(meant.map { "Did you mean \($0)?" } ?? "sandbox.setUser") == true,
      "\(removed.jsonText)")
    let save: JSONValue = ["location": "dropbox", "account": .string(name)]
    #expect(try host.call("policy.isSaveToAllowedForLocation", save) == true)
    let asked = try host.call("sandbox.expect", ["outcome": "allowed"])
    #expect(asked["isMet"] == false)
    #expect(asked["text"]?.stringValue?.contains("The account \(name) is not managed: it is not registered") == true)
    #expect(meant.map { asked["text"]?.stringValue?.contains("Did you mean \($0)?") == true } ?? true)
    let text = try host.call("enrollmentManager.registerAndEnrollAccount", ["account": .string(name)])["errorString"]
    let hint = meant.map { "Did you mean \($0)? Otherwise" } ?? "Check the spelling, or"
    #expect(text == .string("The tenant does not list this user. \(hint) add the user with sandbox.setUser."))
    #expect(try Self.told(host).contains(text?.stringValue ?? ""))
  }

  @Test("A status of a sandbox names sandbox.setUser as the way to enable or license a user")
  func refusedUsers() throws {
    let host = try sandboxHost()
    for (user, member) in [("carol", "licensed"), ("dave", "enabled")] {
      let status = try host.call(
        "enrollmentManager.registerAndEnrollAccount", ["account": .string("\(user)@contoso.example")])
      #expect(status["errorString"]?.stringValue?.hasSuffix("Set \(member) to true with sandbox.setUser.") == true)
    }
  }

  @Test(
    "sandbox.expect takes no unmanaged account for allowed, unless it is to be, or its user has no policy",
    arguments: [
      ("allice", false, false), ("allice", true, true), ("carol@contoso.example", false, false),
      ("bob@contoso.example", false, true), ("alice@contoso.example", false, true), ("", false, true),
    ])
  func unmanaged(_ account: String, _ isUnmanaged: Bool, _ isMet: Bool) throws {
    let host = try sandboxHost()
    if !account.isEmpty {
      _ = try host.call("enrollmentManager.registerAndEnrollAccount", ["account": .string(account)])
    }
    _ = try host.call("enforcement.isActionAllowed", ["action": "print", "account": .string(account)])
    let found = try host.call("sandbox.expect", ["outcome": "allowed", "unmanaged": .bool(isUnmanaged)])
    #expect(found["isMet"] == .bool(isMet), "\(found.jsonText)")
    guard !isMet else { return }
    #expect(
      found["text"]?.stringValue?.hasPrefix(
        "enforcement.isActionAllowed should be allowed, but is allowed only because no policy applies\n") == true)
    #expect(found["text"]?.stringValue?.hasSuffix("pass unmanaged to sandbox.expect.") == true)
  }

  @Test("sandbox.expect says that nobody is enrolled if the question names no account")
  func nobody() throws {
    let host = try sandboxHost()
    _ = try host.call("policy.isScreenCaptureAllowed")
    let found = try host.call("sandbox.expect", ["outcome": "allowed"])
    #expect(found["isMet"] == false)
    #expect(found["text"]?.stringValue?.contains("There is no account, so nothing is managed.") == true)
  }

  @Test("sandbox.expect says why a launch is not blocked: no policy applies, or none sets the setting")
  func launches() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.bob)
    let expected: JSONValue = ["outcome": "blocked", "setting": "deviceComplianceRequired"]
    _ = try host.call("conditionalLaunch.evaluate", Self.bob)
    let first = "conditionalLaunch.evaluate should be blocked by deviceComplianceRequired, but is allowed\n"
    let without = try host.call("sandbox.expect", expected)["text"]?.stringValue
    let standing = "is registered but not enrolled; its last check-in ended with licensedNotTargeted."
    #expect(without == first + "  No policy applies: bob@contoso.example \(standing)")
    _ = try host.call("sandbox.setPolicy", ["audience": "bob@contoso.example", "settings": ["saveAsBlocked": true]])
    _ = try host.call("tenant.checkIn")
    _ = try host.call("conditionalLaunch.evaluate", Self.bob)
    let with = try host.call("sandbox.expect", expected)["text"]?.stringValue
    #expect(with?.hasPrefix(first) == true)
    #expect(
      with?.contains("The policy of bob@contoso.example does not set deviceComplianceRequired.") == true,
      "\(with ?? "")")
  }

  @Test("A launch that asks for a PIN says how a test answers it, and why an answer was refused")
  func pin() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    func text() throws -> String {
      _ = try host.call("conditionalLaunch.evaluate", Self.alice)
      let found = try host.call("sandbox.expect", ["outcome": "allowed"])
      return found["isMet"] == true ? "met" : found["text"]?.stringValue ?? ""
    }
    #expect(try text().contains("choose one. In a test, answer it before with sandbox.answer"))
    #expect(try Self.told(host).contains { $0.contains("which is the verb user of the kits: pin.") })
    let show: JSONValue = ["account": "alice@contoso.example", "window": "main"]
    _ = try host.call("sandbox.answer", ["pin": "12", "signIn": true])
    #expect(try text().contains("The answer \"pin\" of sandbox.answer was refused: "))
    #expect(try host.error("policyManager.setUIPolicyIdentity", show)["code"] == 8001)
    let refused = "The answer \"pin\" of sandbox.answer was refused: This PIN cannot be used."
    #expect(try Self.told(host).contains { $0.hasPrefix(refused) })
    _ = try host.call("sandbox.answer", ["pin": "482913", "signIn": true, "accepted": true])
    #expect(try text() == "met")
  }

  @Test("A move of the clock by nothing is left out of the story, but not of the replay")
  func idleClock() throws {
    let host = try sandboxHost()
    _ = try host.call("debug.advanceClock", ["by": "PT0S"])
    _ = try host.call("debug.advanceClock", ["by": "PT1S"])
    let report = try host.call("sandbox.report")
    #expect(report["story"]?.stringValue?.contains("PT0S") == false)
    #expect(report["story"]?.stringValue?.contains("PT1S") == true)
    #expect(report["replay"]?.stringValue?.contains("PT0S") == true)
  }

  @Test(
    "sandbox.expect says what to check of an answer that is neither allowed nor blocked",
    arguments: [
      (
        "enforcement.filterShareTargets", ["targets": [["id": "com.example.mail", "managed": false]]],
        "does not say whether something is allowed: check its members targets and encrypt"
      ),
      (
        "enforcement.openURL", ["url": "https://example.com/"], "The answer has action \"rewrite\": check that instead."
      ),
    ] as [(String, JSONValue, String)])
  func otherAnswers(_ method: String, _ params: JSONValue, _ text: String) throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let answer = try host.reply(method, params)
    let found = try host.call("sandbox.expect", ["outcome": "allowed"])["text"]?.stringValue
    #expect(found?.contains(text) == true, "\(answer.jsonText) \(found ?? "")")
  }

  @Test("A wait for an event that has come before says when it came")
  func awaitedAgain() throws {
    let host = try sandboxHost()
    _ = try host.call("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let change: JSONValue = ["eventType": "policyManager.policyDidChange", "milliseconds": 50]
    _ = try host.call("sandbox.waitForEvent", change)
    let text = try host.call("sandbox.waitForEvent", change)["text"]?.stringValue ?? ""
    let time = TestHost.start.timeOfDay
    #expect(
      text.contains("within 0.05 s again, after the one of \(time) that an earlier wait returned, but "), "\(text)")
  }

  @Test("The replay says how many programs have joined")
  func joined() throws {
    let host = try sandboxHost()
    #expect(try host.call("sandbox.report")["replay"]?.stringValue?.contains("joined") == false)
    let root = try #require(host.call("sandbox.environment")[JoinedSandbox.variable]?.stringValue)
    JoinedSandbox(root: root).join()
    let replay = try host.call("sandbox.report")["replay"]?.stringValue
    #expect(replay?.contains("\n# One program joined the sandbox, whose calls are not in this script.\n") == true)
  }

  @Test("A duration that is a number, and a misspelled setting, are answered with what to write")
  func wrongParameters() throws {
    let host = try sandboxHost()
    #expect(
      try host.error("debug.advanceClock", ["by": 5])["message"]
        == "/by must be a duration such as P90D or PT30M, not an integer")
    let setting = try host.error("settings.set", ["values": ["MultiIdentiy": true]])
    #expect(setting["message"]?.stringValue?.contains("did you mean MultiIdentity?") == true, "\(setting.jsonText)")
    let flag = #expect(throws: SettingsError.self) { try sandboxHost(flags: ["MultiIdentiy=true"]) }
    #expect(flag?.hint.hasPrefix("Did you mean MultiIdentity? ") == true)
  }
}
