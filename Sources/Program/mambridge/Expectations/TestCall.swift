import Bridge
import JSON
import Model
import Support

/// A call of a test that was answered, and why it was answered like that.
struct TestCall {
  let apps: TestApps
  let method: String
  let members: JSONObject
  /// The whole JSON-RPC reply.
  let reply: JSONValue

  /// The settings that decided: the rules of a launch that did not pass, or those that `policy.explain` names.
  func decidingSettings() throws -> Set<String> {
    if let rules = firedRules { return Set(rules.compactMap { $0["setting"]?.stringValue }) }
    let explained = try explanation()
    guard let steps = explained["result"]?["because"]?.arrayValue else {
      throw CommandFailure(exitCode: 64, message: "because cannot be checked here. \(explained.outcomeText)")
    }
    return Set(steps.filter { $0["step"] == "setting" }.compactMap { $0["setting"]?.stringValue })
  }

  /// What a reader needs to know if the reply is not as expected.
  func failure(_ expected: ExpectedResult) throws -> [String] {
    var got = reply.outcomeText
    if firedRules != nil, let verdict = reply["result"]?["verdict"]?.stringValue { got = verdict }
    let head = ["\(method) did not end as expected", "expected: \(expected.text)", "got:      \(got)"]
    return head + (reply.openChallenges.first.map(Self.unanswered) ?? []) + (try reasons()) + (try whatWouldChange())
  }

  func reasons() throws -> [String] {
    if let rules = firedRules {
      return rules.compactMap { rule in
        rule["text"]?.stringValue.map { "\(rule["setting"]?.stringValue ?? ""): \($0)" }
      }
    }
    return (try explanation()["result"]?["because"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
  }

  /// That a question to the user has no answer, and the line that would answer it.
  static func unanswered(_ challenge: JSONValue) -> [String] {
    let kind = challenge["kind"]?.stringValue ?? "unknown"
    let message = challenge["message"]?.stringValue ?? ""
    let answer = Challenge.Kind(rawValue: kind).map(UserAnswer.line(fitting:)) ?? "answer cancel"
    return [
      "the user was asked, and no answer was prepared (challenge \(kind)): \(message)",
      "write the line \"\(answer)\" before this one, or expect \"challenge \(kind)\"",
    ]
  }

  /// `nil` unless the reply is about a conditional launch.
  private var firedRules: [JSONValue]? {
    reply["result"]?["rules"]?.arrayValue?.filter { $0["outcome"] != "passed" && $0["outcome"] != "notApplicable" }
  }

  private func explanation() throws -> JSONValue {
    try apps.call(API.explanation, ["query": .string(method), "params": .object(members)])
  }

  private func whatWouldChange() throws -> [String] {
    let reply = try apps.call("policy.whatWouldChange", ["query": .string(method), "params": .object(members)])
    let changes = reply["result"]?["changes"]?.arrayValue ?? []
    return changes.flatMap { $0["settings"]?.arrayValue ?? [] }.compactMap { $0["text"]?.stringValue }
  }
}
