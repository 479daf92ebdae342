import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy

/// Members of a policy that mambridge does not know: which of them may restrict, and what becomes of them.
@Suite struct UnknownMembersTests {
  private func imported(_ members: String, kind: PolicyKind? = .ios) throws -> PolicyImport {
    PolicyImport(try #require(JSONValue(parsing: "{\(members)}").objectValue), source: "x.json", kind: kind)
  }

  @Test(
    "An unknown policy member is ignored with a warning if its value restricts nothing",
    arguments: [
      "null", "false", "0", "0.0", #""""#, #"" ""#, "[]", "{}", #""notConfigured""#, #""NotConfigured""#, #""allow""#,
      #""allApps""#, #""anyApp""#, #""notBlocked""#, #""notRequired""#, #""unspecified""#, #""unrestricted""#,
      #""false""#, #""0""#, #""0.0.0""#, #""PT0S""#, #""P0D""#, #""0000-00-00""#, "[null, false]",
      #"[{"level": "allow"}]"#, #"{"a": null, "b": {"c": []}}"#, #""unknownFutureValue""#, #""notSet""#,
    ])
  func neutral(value: String) throws {
    let found = try imported(#""futureRestriction": \#(value)"#)
    #expect(found.unknown.members.isEmpty)
    #expect(found.warnings.map(\.kind) == [.ignored])
    #expect(found.warnings.first?.text.hasPrefix("is not known and is ignored") == true)
  }

  @Test(
    "An unknown policy member counts as a restriction if its value may restrict something",
    arguments: [
      "true", "1", "0.5", "-1", #""true""#, #""block""#, #""blocked""#, #""managedApps""#, #""none""#, #""required""#,
      #""17.4""#, #""PT5M""#, #""2026-01-01""#, #"["a"]"#, #"[false, true]"#, #"{"a": "block"}"#, #"{"a": {"b": 1}}"#,
    ])
  func restricting(value: String) throws {
    for kind in PolicyKind.allCases {
      let found = try imported(#""futureRestriction": \#(value)"#, kind: kind)
      #expect(found.unknown["futureRestriction"] == (try JSONValue(parsing: value)))
      #expect(found.warnings.map(\.kind) == [.unknownRestriction])
    }
  }

  @Test(
    "An unknown policy member named allow… or …Allowed counts as a restriction if it is false",
    arguments: [("allowFutureSync", true), ("futureSyncAllowed", true), ("futureSyncBlocked", false)])
  func allowing(name: String, isNeutral: Bool) throws {
    #expect(try imported("\"\(name)\": true").unknown.members.isEmpty == isNeutral)
    #expect(try imported("\"\(name)\": false").unknown.members.isEmpty != isNeutral)
  }

  @Test(
    "An unknown allow… or …Allowed member counts as a restriction if it is false in any spelling",
    arguments: [
      ("0", true), (#""false""#, true), (#""No""#, true), (#""FALSE""#, true), (#""0""#, true), ("1", false),
      (#""yes""#, false), (#""TRUE""#, false), ("null", false), (#""notConfigured""#, false), (#""block""#, true),
    ])
  func spelledFlag(value: String, restricts: Bool) throws {
    for name in ["allowFutureSync", "futureSyncAllowed"] {
      #expect(try imported("\"\(name)\": \(value)").unknown.members.isEmpty != restricts)
    }
  }

  @Test(
    "Annotations, actions, times and portal notes in a policy are not settings and cause no warning",
    arguments: [
      "@odata.type", "@odata.etag", "futureList@odata.type", "assignments@odata.navigationLink",
      "#microsoft.graph.assign", "@microsoft.graph.tips", "lastActionDateTime", "periodBeforePinResetRequired",
      "pinRequiredInsteadOfBiometric", "shareWithBrowserVirtualSetting", "UsePPE", "ContainerName",
      "MinSecurityPatchVersionWarn", "MaxSecurityPatchVersionWarn", "IntuneMAMPolicyVersion",
    ])
  func information(name: String) throws {
    let found = try imported("\"\(name)\": true")
    #expect(found.unknown.members.isEmpty)
    #expect(found.warnings.isEmpty)
  }

  @Test("The warning about an unknown policy member suggests the nearest setting name")
  func spelling() throws {
    let found = try imported(#""saveAsBlock": true, "PinRequire": false"#)
    #expect(found.warnings.map { $0.text.hasSuffix("did you mean saveAsBlocked?") } == [true, false])
    #expect(found.warnings[1].text.hasSuffix("did you mean pinRequired?"))
  }

  @Test("An unknown member of an app configuration never counts as a restriction")
  func configuration() throws {
    #expect(try imported(#""future": true"#, kind: nil).warnings.map(\.kind) == [.ignored])
  }

  @Test("Unknown restrictions are stored with the policy; a policy of an earlier version has none")
  func stored() throws {
    var warnings: [PolicyWarning] = []
    let object: JSONObject = ["pinRequired": true, "future": ["a": 1], "other": "block", "nothing": false]
    var policy = PolicyDocument(unchecked: object, kind: .ios, source: "x", fallbackID: "x", warnings: &warnings)
    policy.blocksUnknown = true
    #expect(policy.unknown.names == ["future", "other"])
    #expect(try PolicyDocument(stored: policy.encoded) == policy)
    var old = try #require(JSONValue(parsing: policy.encoded).objectValue)
    for name in ["unknown", "blocksUnknown"] { old[name] = nil }
    let read = try PolicyDocument(stored: JSONValue.object(old).jsonText)
    #expect(read.unknown.members.isEmpty)
    #expect(!read.blocksUnknown)
    #expect(read.settings == policy.settings)
  }

  private func policy(blocks: Bool, kind: PolicyKind = .android) throws -> EffectivePolicy {
    var warnings: [PolicyWarning] = []
    var documents = ["future", "later"].map { name in
      PolicyDocument(
        unchecked: [name: true, "pinRequired": true], kind: kind, source: "x", fallbackID: name, warnings: &warnings)
    }
    for index in documents.indices { documents[index].blocksUnknown = blocks }
    let platform = try #require(DevicePlatform.allCases.first { $0.policyKind == kind })
    return try #require(EffectivePolicy(merging: documents, platform: platform))
  }

  @Test(
    "If unknown restrictions block, a launch rule unknownRestrictions blocks on every platform",
    arguments: DevicePlatform.allCases)
  func rule(platform: DevicePlatform) throws {
    for blocks in [false, true] {
      let policy = try policy(blocks: blocks, kind: platform.policyKind)
      #expect(policy.unknownRestrictions.map(\.setting) == ["future", "later"])
      #expect(policy.unknownRestrictions.allSatisfy { $0.blocks == blocks })
      let findings = LaunchRules(policy).findings(LaunchAccount().facts(ToldDevice(platform)))
      let rules = findings.map { $0.report(in: .english) }.filter { $0.setting == "unknownRestrictions" }
      #expect(rules.map(\.outcome) == (blocks ? [.block] : []))
      #expect(rules.allSatisfy { $0.value == ["future": true, "later": true] && $0.message?.isEmpty == false })
      #expect(findings.allSatisfy { $0.setting != nil || $0.dependsOnSource })
    }
  }

  @Test("An explanation names an unknown restriction and says that it has no effect")
  func explanation() throws {
    let alice: AccountReference = "alice@contoso.example"
    let policy = CompiledPolicy(try policy(blocks: false))
    let questions = PolicyQuestions(policy: policy, account: alice)
    let explanation = Explanation(
      "a PIN is required", true, because: questions.isPINRequired(.notSet).reasons,
      about: EffectiveIdentity(alice, .process),
      in: FixedAccounts(policies: [alice: policy], effective: alice))
    let steps = explanation.steps.filter { $0.setting == "future" }
    #expect(steps.map(\.value) == [true])
    #expect(steps.first?.text.contains("does not know that setting, so it has no effect") == true)
  }
}
