import JSON
import Testing

@testable import mambridge

@Suite struct EventTextTests {
  private static func event(_ type: String, _ members: JSONObject) -> JSONValue {
    var params: JSONObject = ["seq": 7, "time": "2026-01-31T09:30:00.123Z"]
    for member in members.members { params[member.name] = member.value }
    return ["type": .string(type), "params": .object(params)]
  }

  private static let account: JSONObject = ["accountId": "87d3", "identity": "alice@contoso.example"]

  @Test(
    "events prints the time, number, type, account and members of an event in one line",
    arguments: [
      (event("policyManager.policyDidChange", account), "policyManager.policyDidChange alice@contoso.example"),
      (event("a.b", ["accountId": "87d3", "identity": nil]), "a.b 87d3"),
      (event("a.b", ["accountId": "", "identity": ""]), "a.b no user"),
      (event("a.b", ["accountId": nil, "identity": nil]), "a.b unknown"), (event("a.b", [:]), "a.b"),
      (
        event(
          "enrollmentDelegate.policyRequestWithStatus",
          [
            "identity": "alice@contoso.example", "didSucceed": false, "statusCode": 203, "status": "authRequired",
            "errorString": "The account is disabled.", "error": ["code": 203],
          ]),
        "enrollmentDelegate.policyRequestWithStatus alice@contoso.example authRequired (203) The account is disabled."
      ),
      (
        event("policyManager.launchReport", ["verdict": "block", "reasons": [["text": "No PIN."], ["text": "No."]]]),
        "policyManager.launchReport block No PIN. No."
      ),
      (
        event("x.y", ["allowedAccounts": [["identity": "a@b"]], "count": 2, "note": "line\nbreak"]),
        #"x.y allowedAccounts [{"identity":"a@b"}] count 2 lineU+Abreak"#
      ),
    ] as [(JSONValue, String)])
  func texts(_ event: JSONValue, _ expected: String) {
    let item = StreamItem(event: event)
    #expect(item.text.lines(width: nil) { text, _ in text } == ["2026-01-31 09:30:00Z #7 " + expected])
    #expect(item.json == event)
  }

  @Test("events prints a gap with the numbers of the removed events and without a time")
  func gap() {
    let item = StreamItem(event: ["type": "events.gap", "params": ["after": 2, "to": 9, "from": 3]])
    #expect(item.text.lines(width: nil) { text, _ in text } == ["events.gap: the events 3 to 9 were removed"])
  }

  @Test(
    "events prints successful and failed statuses in different colors",
    arguments: [
      (["status": "newPoliciesReceived", "statusCode": 100, "didSucceed": true], "<newPoliciesReceived>"),
      (["status": "compliant"], "<compliant>"), (["status": "notCompliant"], "!notCompliant!"),
      (["status": "authRequired", "statusCode": 203, "didSucceed": false], "!authRequired!"),
    ] as [(JSONObject, String)])
  func colors(_ members: JSONObject, _ expected: String) {
    let lines = StreamItem(event: Self.event("a.b", members)).text.lines(width: nil) { text, style in
      style == .good ? "<\(text)>" : style == .warning ? "!\(text)!" : text
    }
    #expect(lines[0].contains(expected))
  }

  @Test(
    "events --type takes a type or the part before or after its dot, in upper or lower case",
    arguments: [
      ("policyManager.policyDidChange", ["policyManager.policyDidChange"]),
      ("POLICYDIDCHANGE", ["policyManager.policyDidChange"]),
      ("didChange", ["appConfig.didChange", "dataProtectionManager.didChange"]),
      ("appConfig", ["appConfig.didChange"]),
    ])
  func types(_ argument: String, _ expected: [String]) { #expect(EventTypes(argument: argument)?.names == expected) }

  @Test("events --type refuses unknown types", arguments: ["", "policy", "policyManager.", "logger.log", "events.gap"])
  func wrongTypes(_ argument: String) { #expect(EventTypes(argument: argument) == nil) }
}
