import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite("policy.explain of a conditional launch", .timeLimit(.minutes(5)), .ownThreads) struct ExplainLaunchTests {
  private static let query: JSONObject = ["query": "conditionalLaunch.evaluate", "params": [.string(TestHost.alice)]]

  private static func host() throws -> TestHost {
    let host = try TestHost()
    try host.enroll()
    return host
  }

  private static func steps(_ explained: JSONValue, _ kind: JSONValue) -> [JSONValue] {
    (explained["because"]?.arrayValue ?? []).filter { $0["step"] == kind }
  }

  private static func answer(_ explained: JSONValue) -> JSONValue? { explained["because"]?.arrayValue?.first?["text"] }

  @Test("policy.explain of a launch lists unmet rules with their policies first and asks no user")
  func asks() throws {
    let host = try Self.host()
    let explained = try host.call("policy.explain", .object(Self.query))
    let rules = Self.steps(explained, "rule")
    #expect(rules.first?["setting"] == "pinRequired")
    #expect(rules.first?["policy"]?["displayName"]?.stringValue != "")
    let sentence = explained["because"]?.arrayValue?.first?["text"]
    #expect(sentence == "The account's data may be shown only after the user has answered.")
    #expect(explained["verdict"]?["verdict"] == "block")
    #expect(explained["verdict"]?["challenges"] == [])
    #expect(explained["because"]?.arrayValue?.contains { $0["step"] == "managed" } == true)
    let evaluated = try host.call("conditionalLaunch.evaluate", [.string(TestHost.alice)])
    #expect(evaluated["verdict"] == explained["verdict"]?["verdict"])
    let texts = { (rules: [JSONValue]) in Set(rules.compactMap { $0["setting"]?.stringValue }) }
    #expect(texts(evaluated["rules"]?.arrayValue ?? []) == texts(rules))
  }

  @Test("policy.explain predicts a wipe and does not carry it out", arguments: ["evaluate", "didBecomeActive"])
  func wipe(method: String) throws {
    let host = try Self.host()
    let query: JSONValue = [
      "query": .string("conditionalLaunch.\(method)"), "assuming": ["minimumWipeSdkVersion": "99.0"],
    ]
    let explained = try host.call("policy.explain", query)
    #expect(explained["verdict"]?["verdict"] == "wipe")
    #expect(explained["because"]?.arrayValue?.first?["text"] == "The account's data is removed from the app.")
    #expect(Self.steps(explained, "rule").first?["setting"] == "minimumWipeSdkVersion")
    let still = try host.call("policyManager.isIdentityManaged", [.string(TestHost.alice)])
    #expect(still == true)
  }

  @Test("For a launch, each change that whatWouldChange finds leads to another explanation")
  func changes() throws {
    let host = try Self.host()
    let explained = try host.call("policy.explain", .object(Self.query))
    let found = try host.call("policy.whatWouldChange", .object(Self.query))
    let changes = found["changes"]?.arrayValue ?? []
    #expect(found["verdict"]?["verdict"] == "block")
    #expect(!changes.isEmpty)
    for change in changes.prefix(4) {
      let steps = change["settings"]?.arrayValue ?? []
      var asked = Self.query
      asked["assuming"] = .object(JSONObject(steps.map { ($0["setting"]?.stringValue ?? "", $0["newValue"] ?? .null) }))
      let other = try host.call("policy.explain", .object(asked))
      #expect(Self.answer(other) != Self.answer(explained), "\(change.jsonText)")
    }
    _ = try host.call("device.set", ["jailbroken": true])
    let blocked = try host.call("policy.whatWouldChange", .object(Self.query))
    let texts = (blocked["changes"]?.arrayValue ?? []).compactMap { $0["settings"]?.arrayValue?.first?["text"] }
    #expect(
      texts.contains(
        """
        If deviceComplianceRequired is false instead of true, the account's data may be shown only after the user has \
        answered.
        """), "\(texts)")
  }

  @Test("policy.explain allows a launch without a policy, and names the path of an unknown parameter")
  func edges() throws {
    let host = try TestHost()
    let explained = try host.call("policy.explain", .object(Self.query))
    #expect(explained["verdict"]?["verdict"] == "allow")
    #expect(Self.steps(explained, "rule").isEmpty)
    let wrong: JSONValue = ["query": "conditionalLaunch.evaluate", "params": ["acount": "x"]]
    #expect(try host.error("policy.explain", wrong)["data"]?["path"] == "/params/acount")
  }
}
